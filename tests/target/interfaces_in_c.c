// expect stdout the clock goes on
// expect stdout a file has 5 bytes: hello
// expect stdout no such file: -2
/* Portals by the header that is made of lib/interfaces: their names, and the functions that call them. */
#include <pebble_interfaces.h>

enum { READ_WRITE = 2, CREATE = 0x200 };

static char path[NAMELEN] __attribute__((aligned(NAMELEN)));

int main(void)
{
    int clock = portal_open(PEBBLE_CLOCK_TIME), open = portal_open(PEBBLE_FILES_OPEN), unlink = portal_open(PEBBLE_FILES_UNLINK);
    word before = pebble_clock_time(clock);
    pebble_scheduler_sleep(1000000);
    printf("the clock %s\n", before > 0 && pebble_clock_time(clock) > before ? "goes on" : "stands");
    strcpy(path, "by_portals");
    int file = pebble_files_open(open, path, READ_WRITE | CREATE);
    static char text[8] __attribute__((aligned(8))) = "hello", back[8] __attribute__((aligned(8)));
    word written = invoke_portal(file + 1, text, 5l);
    invoke_portal(file + 2, 0l, 0l);
    word read = invoke_portal(file, back, 8l);
    printf("a file has %ld bytes: %.*s\n", written == read ? read : -1, (int)read, back);
    for (int n = 0; n < 4; n++)
        pebble_portal_close(file + n);
    pebble_files_unlink(unlink, path);
    printf("no such file: %ld\n", pebble_files_unlink(unlink, path));
    return 0;
}
