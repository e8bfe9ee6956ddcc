// expect stdout */*.c: src/a.c src/b.c
// expect stdout src/[!a].?: src/b.c src/b.h
// expect stdout none: 3
// expect stdout the pattern itself: no*
// expect stdout with marks and behind 2 others: doc/ src/
// expect stdout 300 more, in order
// expect stdout hidden only where asked for: .x
// expect stdout escaped: star*
// expect stdout no escape: 3
// expect stdout scandir: b.c b.h
// expect stdout regex: 2 to 5, b to 4
// expect stdout errors: 3 2
// expect status 0
/* glob, fnmatch, scandir and regular expressions, as programs use them. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <glob.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void make(const char *path)
{
    int fd = open(path, O_CREAT | O_WRONLY, 0600);
    if (fd < 0)
        exit(1);
    close(fd);
}
static void show(const char *what, const char *pattern, int flags)
{
    glob_t found = {.gl_offs = 0};
    int result = glob(pattern, flags, NULL, &found);
    printf("%s:", what);
    if (result)
        printf(" %d", result);
    for (size_t n = 0; n < found.gl_pathc; n++)
        printf(" %s", found.gl_pathv[n]);
    printf("\n");
    if (result == 0 && found.gl_pathv[found.gl_pathc])
        exit(2);
    globfree(&found);
}
static int begins_with_b(const struct dirent *entry)
{
    return entry->d_name[0] == 'b';
}
static int failed(const char *path, int error)
{
    (void)path;
    return error != 0;
}
static void many(void)
{
    glob_t found = {.gl_offs = 2};
    char name[32];
    if (glob("*", GLOB_DOOFFS | GLOB_MARK, NULL, &found) || found.gl_pathv[0] || found.gl_pathv[1])
        exit(3);
    printf("with marks and behind 2 others:");
    for (size_t n = 0; n < found.gl_pathc; n++)
        if (strchr(found.gl_pathv[2 + n], '/'))
            printf(" %s", found.gl_pathv[2 + n]);
    printf("\n");
    mkdir("many", 0700);
    for (int n = 299; n >= 0; n--) {
        snprintf(name, sizeof name, "many/%03d", n);
        make(name);
    }
    size_t before = found.gl_pathc;
    if (glob("many/[0-9]*", GLOB_DOOFFS | GLOB_APPEND, NULL, &found) || found.gl_pathc != before + 300)
        exit(4);
    for (int n = 0; n < 300; n++)
        if (atoi(found.gl_pathv[2 + before + n] + 5) != n)
            exit(5);
    globfree(&found);
    printf("300 more, in order\n");
}
int main(void)
{
    if (mkdir("work", 0700) < 0 || chdir("work") < 0 || mkdir("src", 0700) < 0 || mkdir("doc", 0700) < 0)
        return 1;
    make("src/b.c"), make("src/a.c"), make("src/b.h"), make(".x"), make("star*");
    show("*/*.c", "*/*.c", 0);
    show("src/[!a].?", "src/[!a].?", 0);
    show("none", "no*", 0);
    show("the pattern itself", "no*", GLOB_NOCHECK);
    many();
    show("hidden only where asked for", ".*", 0);
    show("escaped", "star\\*", 0);
    show("no escape", "star\\*", GLOB_NOESCAPE);
    struct dirent **list;
    int count = scandir("src", &list, begins_with_b, alphasort);
    printf("scandir: %s %s\n", count == 2 ? list[0]->d_name : "?", count == 2 ? list[1]->d_name : "?");
    while (count > 0)
        free(list[--count]);
    free(list);
    regex_t regex;
    regmatch_t at[2];
    if (regcomp(&regex, "a(b+)c?", REG_EXTENDED) || regexec(&regex, "xxabb", 2, at, 0) || fnmatch("*.[ch]", "a.h", 0) ||
        fnmatch("*", ".x", FNM_PERIOD) != FNM_NOMATCH)
        return 6;
    printf("regex: %d to %d, b to %d\n", (int)at[0].rm_so, (int)at[0].rm_eo, (int)at[1].rm_so + 1);
    regfree(&regex);
    /* A file is no folder, which is no error; a path that is too long matches nothing. */
    char longest[3000];
    for (size_t n = 0; n < sizeof longest; n++)
        longest[n] = n % 2 ? '/' : 'x';
    longest[sizeof longest - 1] = 0;
    glob_t found;
    int results[3] = {glob("src/a.c/*", GLOB_ERR, failed, &found), glob(longest, 0, NULL, &found), scandir("none", &list, NULL, NULL)};
    printf("errors: %d %d\n", results[0] == results[1] ? results[0] : -1, results[2] == -1 ? errno : -1);
    return 0;
}
