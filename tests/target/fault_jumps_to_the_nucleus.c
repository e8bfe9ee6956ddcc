// expect status 126
// expect stderr instruction page fault at address 0xffffffffc0200000
int main(void)
{
    ((void (*)(void))0xffffffffc0200000ul)();
    return 0;
}
