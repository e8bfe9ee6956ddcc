// expect status 126
// expect stderr load page fault at address 0xffffffff80400000
int main(void)
{
    return *(volatile int *)0xffffffff80400000ul;
}
