// expect status 126
// expect stdout the child's address is not ours
// expect stderr was stopped: load page fault at address 0x
#include <pebble.h>
/* Another domain's memory: where a trusted server's service stack is. */
int main(void)
{
    printf("the child's address is not ours\n");
    return *(volatile int *)0x1040007ff0ul;
}
