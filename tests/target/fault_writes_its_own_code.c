// expect status 126
// expect stderr store page fault
int main(void)
{
    *(volatile int *)main = 0;
    return 0;
}
