// timeout 60
#include "include/hostile.h"
#include <fcntl.h>

/* Addresses and lengths that do not fit a window's page, by portals that take both: lengths that wrap behind the address, negative
   ones, one byte too many, addresses that are not aligned as what lies there must be. Who is asked refuses, or serves what fits;
   nobody else's memory is touched, and the server lives. */
_Alignas(4096) static char pages[2][4096];

static const word lengths[] = {-1, -2, -2047, -2048, -4095, -4096, -8192, 1l << 62, (word)(1ul << 63), (word)((1ul << 63) - 1), 1l << 32, 4097};
enum { LENGTHS = sizeof lengths / sizeof *lengths };
static const int offsets[] = {0, 1, 4, 1365, 2048, 4088, 4095};
enum { OFFSETS = sizeof offsets / sizeof *offsets };

/* Whether portal `portal`, which takes a window, a length and perhaps a word before them, refuses all lengths that do not fit. */
static int refuses(int portal)
{
    for (int n = 0; n < LENGTHS; n++)
        for (int at = 0; at < OFFSETS; at++) {
            word length = lengths[n], room = 4096 - offsets[at];
            if (length > 0 && length <= room)
                continue;
            if (invoke_portal(portal, pages[0] + offsets[at], length) != -EINVAL)
                return 0;
        }
    return 1;
}
/* Whether it refuses every address that leaves no room for what it reads or writes there, or that is not aligned. */
static int keeps_to_the_page(int portal, word before, int arguments)
{
    /* Each of them in the plain way, elsewhere one in seven: of each eight in a row, sooner or later. */
    for (int at = 0; at < 4096; at += hostile_fewer > 1 ? 7 : 1) {
        if (at % 8 == 0 && at < 4096 - 256)
            continue;
        char *address = pages[0] + at;
        memset(pages[1], 0x5a, 64);
        word result = arguments == 1 ? invoke_portal(portal, address)
                      : arguments == 2 ? invoke_portal(portal, before, address)
                                       : invoke_portal(portal, before, 32l, address);
        if (result == -EDEAD)
            return 0;
        for (int n = 0; n < 64; n++)
            if (pages[1][n] != 0x5a)
                return 0;
    }
    return 1;
}
static int attack(void)
{
    int file = open("hostile", O_RDWR | O_CREAT), ends[2];
    wall(1, file > 0 && pipe(ends) == 0);
    /* More than a page, so that a server which believes the length runs out of its window. */
    memset(pages, 'x', sizeof pages);
    for (int n = 0; n < 3; n++)
        wall(2, write(file, pages, sizeof pages) == sizeof pages);
    wall(3, write(ends[1], pages, 4096) == 4096);
    wall(4, lseek(file, 0, SEEK_SET) == 0);
    wall(5, refuses(file));             /* read */
    wall(6, refuses(ends[0]));
    wall(7, refuses(file + 1));         /* write */
    wall(8, refuses(ends[1] + 1));
    wall(9, refuses(portal_open("console.write")));
    wall(10, refuses(portal_open("console.read")));
    wall(11, refuses(portal_open("console.raw")));
    wall(12, keeps_to_the_page(file + 3, 2, 2));            /* control: status */
    wall(13, keeps_to_the_page(portal_open("inspect.domain"), get_asid(), 2));
    wall(14, keeps_to_the_page(portal_open("inspect.portal"), get_asid(), 3));
    wall(15, keeps_to_the_page(portal_open("inspect.counts"), 0, 1));
    word capability = cap_create(1, 1, 0);
    wall(16, capability > 0 && keeps_to_the_page(portal_open("capability.info"), capability, 2));
    wall(17, keeps_to_the_page(17, file, 2));               /* portal.info */
    wall(18, keeps_to_the_page(11, 0, 1));                  /* portal.register */
    /* All of them still serve. */
    char byte;
    wall(19, lseek(file, 0, SEEK_SET) == 0 && read(file, &byte, 1) == 1 && byte == 'x');
    wall(20, read(ends[0], pages[0], 4096) == 4096 && pages[0][4095] == 'x');
    struct cap_info info;
    wall(21, cap_info(capability, &info) == 0 && info.object == 1);
    return 0;
}
