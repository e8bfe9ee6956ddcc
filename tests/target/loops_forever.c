// timeout 2
// expect status 124
int main(void)
{
    for (;;)
        __asm__ volatile("");
}
