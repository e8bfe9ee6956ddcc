// expect stdout right
// icount
// timeout 60
/* Large pieces by fread and fwrite take at most a quarter more than by read and write; and no byte of small ones takes a call to the system. */
#include <fcntl.h>
#include <pebble.h>
#include <unistd.h>

enum { PIECE = 65536, BYTES = 1 << 20, SMALL = 1 << 18, ROUNDS = 8 };
static char piece[PIECE];

static unsigned long long by_descriptor(int (*each)(int fd))
{
    int fd = open("bytes", O_RDWR | O_CREAT, 0600);
    unsigned long long start = hrtime();
    for (int n = 0; n < BYTES / PIECE * ROUNDS; n++)
        if ((n % (BYTES / PIECE) == 0 && lseek(fd, 0, SEEK_SET) < 0) || !each(fd))
            return 0;
    unsigned long long took = hrtime() - start;
    close(fd);
    return took;
}
static int writes(int fd) { return write(fd, piece, PIECE) == PIECE; }
static int reads(int fd) { return read(fd, piece, PIECE) == PIECE; }

static unsigned long long by_stream(const char *mode)
{
    FILE *file = fopen("bytes", mode);
    unsigned long long start = hrtime();
    for (int n = 0; n < BYTES / PIECE * ROUNDS; n++)
        if ((n % (BYTES / PIECE) == 0 && fseek(file, 0, SEEK_SET) < 0) || (*mode == 'r' ? fread(piece, 1, PIECE, file) : fwrite(piece, 1, PIECE, file)) != PIECE)
            return ~0ull;
    unsigned long long took = hrtime() - start;
    fclose(file);
    return took;
}
static unsigned long long by_byte(void)
{
    FILE *file = fopen("bytes", "r");
    unsigned long long start = hrtime();
    for (int n = 0; n < SMALL; n++)
        if (getc(file) == EOF)
            return ~0ull;
    unsigned long long took = hrtime() - start;
    fclose(file);
    return took;
}
/* What a call that asks for the thread's number takes, so often. */
static unsigned long long calls(void)
{
    unsigned long long start = hrtime();
    for (int n = 0; n < SMALL; n++)
        get_thread();
    return hrtime() - start;
}
int main(void)
{
    unsigned long long written = by_descriptor(writes), read = by_descriptor(reads);
    unsigned long long streamed = by_stream("r"), byte = by_byte(), asked = calls();
    unsigned long long out = by_stream("w");
    printf("read %llu, fread %llu; write %llu, fwrite %llu; getc %llu, a call %llu each\n", read, streamed, written, out, byte / (SMALL / 1000), asked / (SMALL / 1000));
    if (!read || !written || streamed * 4 > read * 5 || out * 4 > written * 5 || byte > 4 * asked)
        return 1;
    puts("right");
    return 0;
}
