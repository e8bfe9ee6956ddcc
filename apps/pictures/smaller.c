/* smaller WIDTH FILE…: a PNG of that width beside each picture. */
#include "pictures.h"
#include <libgen.h>

static word read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return -ENOENT;
    size_t bytes = fread(pictures_region(PICTURE_FILE), 1, PICTURE_ROOM, file);
    int more = fgetc(file) != EOF;
    fclose(file);
    return more ? -ENOSPC : (word)bytes;
}
static int write_file(const char *path, word bytes)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        return -EIO;
    size_t written = fwrite(pictures_region(PICTURE_RESULT), 1, (size_t)bytes, file);
    return fclose(file) || written != (size_t)bytes ? -ENOSPC : 0;
}
int main(int argc, char **argv)
{
    int width = argc > 2 ? atoi(argv[1]) : 0, failed = 0;
    if (width <= 0 || width > 16384)
        return fprintf(stderr, "usage: smaller WIDTH FILE…\n"), 2;
    for (int n = 2; n < argc; n++) {
        const char *who = "file";
        char path[256];
        word made = 0, bytes = read_file(argv[n]), size = bytes;
        if (bytes >= 0)
            size = picture_scale(bytes, width, PICTURE_PNG, &made, &who);
        snprintf(path, sizeof path, "%s.%d.png", argv[n], width);
        if (size > 0 && (bytes = write_file(path, made)) < 0)
            size = bytes, who = path;
        if (size > 0)
            printf("%s: %ld x %ld, now %d wide: %ld bytes\n", argv[n], PICTURE_WIDTH(size), PICTURE_HEIGHT(size), width, made);
        else
            failed = 1, printf("%s: %s: %s\n", argv[n], who, pebble_strerror((int)size));
    }
    return failed;
}
