// expect status 126
// expect stderr instruction page fault
static int code[] = {0x00008067};
int main(void)
{
    ((void (*)(void))code)();
    return 0;
}
