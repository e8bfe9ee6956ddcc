// isolation sfi
// expect status 0
// expect stdout refused
/* What would act for the whole host is refused, and so are windows on its memory. */
#include <pebble.h>

int main(void)
{
    int write = portal_open("console.write"), wrong = 0;
    /* domain_fork, pager, page: to no effect; thread_create: not where no code can be. */
    for (int number = 2; number < 40; number++)
        if (number == 18 || number == 28 || number == 29)
            wrong += pebble_call6(number, 0, 0, 0, 0, 0, 0) != -134;
    wrong += pebble_call6(3, 0, 0, 0, 0, 0, 0) != -EINVAL;
    /* register, grant: what the host has at that address. */
    wrong += pebble_call1(11, 0x40000) != -EFAULT || pebble_call1(30, 0x40000) != -EFAULT;
    /* The host's constants, its stack, its fault domain's lower guard zone. */
    wrong += pebble_call3(write, 0x40000, 16, 0) >= 0;
    wrong += pebble_call3(write, 0x3f000, 16, 0) >= 0;
    wrong += pebble_call3(write, 0x18000000, 16, 0) >= 0;
    printf("%s\n", wrong ? "let through" : "refused");
    return wrong;
}
