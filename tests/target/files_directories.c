// expect stdout 4 names: a.txt b.txt inner/ z.txt
// expect stdout again: a.txt
// expect stdout inner: deep.txt of 5 bytes
// expect stdout the tree is gone: No such file or directory
/* A tree of directories is made, walked and taken away, with what POSIX has for that. */
#include <pebble.h>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
}
/* Names go while the directory is read. */
static void remove_tree(const char *path)
{
    DIR *directory = opendir(path);
    struct dirent *entry;
    char inside[64];
    while ((entry = readdir(directory))) {
        if (snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name) >= (int)sizeof inside)
            exit(1);
        if (entry->d_type == DT_DIR)
            remove_tree(inside);
        else
            unlink(inside);
    }
    closedir(directory);
    rmdir(path);
}
int main(void)
{
    char names[64] = "";
    int count = 0;
    struct dirent *entry;
    struct stat status;
    mkdir("tree", 0755);
    mkdir("tree/inner", 0755);
    put("tree/z.txt", "z");
    put("tree/a.txt", "a");
    put("/tree/b.txt", "b");
    put("tree/inner/deep.txt", "12345");
    DIR *directory = opendir("tree");
    while ((entry = readdir(directory))) {
        strcat(strcat(names, " "), entry->d_name);
        if (entry->d_type == DT_DIR)
            strcat(names, "/");
        count++;
    }
    printf("%d names:%s\n", count, names);
    rewinddir(directory);
    printf("again: %s\n", readdir(directory)->d_name);
    closedir(directory);
    directory = opendir("tree/inner/");
    entry = readdir(directory);
    stat("tree/inner/deep.txt", &status);
    if (entry->d_ino == status.st_ino)
        printf("inner: %s of %d bytes\n", entry->d_name, (int)status.st_size);
    closedir(directory);
    remove_tree("tree");
    if (!opendir("tree"))
        printf("the tree is gone: %s\n", strerror(errno));
    return 0;
}
