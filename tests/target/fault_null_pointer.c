// expect status 126
// expect stderr fault_null_pointer (domain
// expect stderr load page fault at address 0x0
int main(void)
{
    return *(volatile int *)0;
}
