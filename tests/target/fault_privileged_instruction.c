// expect status 126
// expect stderr illegal instruction
int main(void)
{
    __asm__ volatile("csrw satp, zero");
    return 0;
}
