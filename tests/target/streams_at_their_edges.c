// expect stdout right
// stdin abc
/* Where streams stand: behind what is pushed back, appended, read ahead, opened again and closed; and how many bytes each function takes. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(what) ((what) ? (void)0 : (printf("line %d: %s\n", __LINE__, #what), exit(1)))

static FILE *with(const char *text, const char *mode)
{
    FILE *file = fopen("text", "w");
    fputs(text, file);
    fclose(file);
    return fopen("text", mode);
}
static void pushed_back(void)
{
    char text[10];
    FILE *file = with("abcdef", "r");
    getc(file), getc(file);
    CHECK(ungetc('b', file) == 'b' && ftell(file) == 1);
    CHECK(fread(text, 1, 3, file) == 3 && memcmp(text, "bcd", 3) == 0);
    /* What was not read there, too; and a position forgets it. */
    CHECK(ungetc('x', file) == 'x' && ftell(file) == 3 && getc(file) == 'x' && ftell(file) == 4);
    CHECK(ungetc('x', file) == 'x' && fseek(file, 0, SEEK_CUR) == 0 && getc(file) == 'd');
    CHECK(fread(text, 1, 10, file) == 2 && feof(file) && getc(file) == EOF && ungetc('z', file) == 'z' && !feof(file) && getc(file) == 'z');
    CHECK(ungetc('y', file) == 'y' && freopen("text", "r", file) == file && getc(file) == 'a');
    CHECK(fseek(file, -1, SEEK_SET) == -1 && errno == EINVAL && fseek(file, 100, SEEK_SET) == 0 && getc(file) == EOF && !ferror(file));
    fclose(file);
}
static void both_directions(void)
{
    char text[20];
    FILE *file = with("Hello", "a+");
    CHECK(getc(file) == 'H' && fseek(file, 0, SEEK_SET) == 0 && putc('X', file) == 'X' && ftell(file) == 6);
    rewind(file);
    CHECK(fgets(text, sizeof text, file) && strcmp(text, "HelloX") == 0);
    fclose(file);
    file = with("1234567890", "r+");
    CHECK(getc(file) == '1' && fseek(file, 0, SEEK_CUR) == 0 && putc('b', file) == 'b' && fseek(file, 0, SEEK_CUR) == 0 && getc(file) == '3');
    fclose(file);
    file = with("", "w+");
    setvbuf(file, NULL, _IONBF, 0);
    CHECK(fputs("abc\ndef", file) >= 0 && fseek(file, 1, SEEK_SET) == 0 && getc(file) == 'b' && fgets(text, 20, file) && strcmp(text, "c\n") == 0);
    fclose(file);
}
/* More than a buffer holds, in pieces of all sizes. */
static void pieces(void)
{
    static char from[20000], to[20000];
    for (size_t n = 0; n < sizeof from; n++)
        from[n] = n * 7 + n / 256;
    FILE *file = fopen("pieces", "w+");
    for (size_t at = 0, step = 1; at < sizeof from; at += step, step = step * 3 + 1) {
        size_t here = step < sizeof from - at ? step : sizeof from - at;
        CHECK(fwrite(from + at, 1, here, file) == here && ftell(file) == (long)(at + here));
        step = here;
    }
    rewind(file);
    for (size_t at = 0, step = 5000; at < sizeof to;) {
        size_t here = fread(to + at, 1, step, file);
        CHECK(here && ftell(file) == (long)(at + here));
        at += here;
        step = step * 2 / 3 + 1;
    }
    CHECK(memcmp(from, to, sizeof to) == 0 && fread(to, 3, 1, file) == 0 && fread(to, 0, 1, file) == 0);
    fclose(file);
}
static void *beside(void *file)
{
    /* Whoever locks a stream has it for itself. */
    fputs("beside\n", file);
    return NULL;
}
static void locked(void)
{
    char text[30] = "";
    FILE *file = fopen("locked", "w+");
    pthread_t thread;
    flockfile(file);
    putc_unlocked('1', file);
    pthread_create(&thread, NULL, beside, file);
    usleep(20000);
    fputs("2 ", file);
    funlockfile(file);
    pthread_join(thread, NULL);
    rewind(file);
    CHECK(fgets(text, sizeof text, file) && strcmp(text, "12 beside\n") == 0);
    fclose(file);
}
/* What is written and not closed is there when the program has ended. */
static void at_the_end(void)
{
    char text[10] = "";
    int child = fork();
    if (child == 0) {
        FILE *file = fopen("left", "w");
        fputs("left", file);
        exit(0);
    }
    waitpid(child, NULL, 0);
    FILE *file = fopen("left", "r");
    CHECK(file && fgets(text, sizeof text, file) && strcmp(text, "left") == 0);
    fclose(file);
    file = fopen("left", "w");
    fputs("more", file);
    CHECK(fflush(NULL) == 0);
    int fd = open("left", O_RDONLY);
    CHECK(read(fd, text, sizeof text) == 4);
    fclose(file);
    close(fd);
}
static void in_memory(void)
{
    char memory[10] = "abc", full[6] = "abcde", line[20], *grown = NULL;
    size_t size = 0;
    FILE *file = fmemopen(memory, sizeof memory, "a+");
    CHECK(fputs("de", file) >= 0 && fflush(file) == 0 && strcmp(memory, "abcde") == 0);
    rewind(file);
    CHECK(fread(line, 1, 9, file) == 5);
    fclose(file);
    file = fmemopen(full, 5, "a");
    fputs("XYZ", file);
    fclose(file);
    CHECK(memcmp(full, "abcde", 6) == 0);
    file = fmemopen(full, 5, "r");
    CHECK(fseek(file, -1, SEEK_SET) == -1 && fseek(file, 2, SEEK_SET) == 0 && getc(file) == 'c' && putc('x', file) == EOF);
    fclose(file);
    file = open_memstream(&grown, &size);
    for (int n = 0; n < 1000; n++)
        fprintf(file, "%d,", n);
    CHECK(fclose(file) == 0 && size == 3890 && strlen(grown) == size && strcmp(grown + size - 4, "999,") == 0);
    free(grown);
}
/* Last: the standard ones. */
static void standard(void)
{
    char text[20] = "";
    CHECK(fclose(stdin) == 0 && getchar() == EOF && ferror(stdin) && errno == EBADF);
    CHECK(freopen("text", "r", stdin) == stdin && fileno(stdin) == 0 && fgets(text, sizeof text, stdin));
    CHECK(fclose(stderr) == 0 && fputs("nowhere", stderr) == EOF);
    puts("right");
    CHECK(fclose(stdout) == 0 && puts("nowhere") == EOF);
}
int main(void)
{
    pushed_back();
    both_directions();
    pieces();
    locked();
    at_the_end();
    in_memory();
    standard();
    return 0;
}
