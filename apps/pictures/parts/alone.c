/* The main function of a part that is a program of its own: what it provides, it has registered before. */
#include <pebble.h>

int main(void)
{
    thread_exit();
}
