// expect status 126
// expect stderr load page fault at address 0x1000000000
int main(void)
{
    return *(volatile int *)0x1000000000ul;
}
