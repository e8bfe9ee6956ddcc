/* scandir: the names of a folder, those that are wanted, in order. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int alphasort(const struct dirent **a, const struct dirent **b)
{
    return strcoll((*a)->d_name, (*b)->d_name);
}
/* A copy of an entry at the end of `list`; 0: there is no memory. */
static int add(struct dirent ***list, int count, const struct dirent *entry)
{
    struct dirent **longer = *list;
    /* Twice as long at each power of two. */
    if ((count & (count - 1)) == 0) {
        longer = realloc(longer, (count ? 2 * count : 1) * sizeof *longer);
        if (!longer)
            return 0;
        *list = longer;
    }
    if (!(longer[count] = malloc(sizeof *entry)))
        return 0;
    *longer[count] = *entry;
    return 1;
}
int scandir(const char *path, struct dirent ***to, int (*wanted)(const struct dirent *),
            int (*compare)(const struct dirent **, const struct dirent **))
{
    struct dirent **list = NULL, *entry;
    int count = 0;
    DIR *directory = opendir(path);
    if (!directory)
        return -1;
    errno = 0;
    for (; (entry = readdir(directory)); errno = 0) {
        if (wanted && !wanted(entry))
            continue;
        if (!add(&list, count, entry)) {
            errno = ENOMEM;
            break;
        }
        count++;
    }
    int error = errno;
    closedir(directory);
    if (error) {
        while (count > 0)
            free(list[--count]);
        free(list);
        errno = error;
        return -1;
    }
    if (compare && count > 0)
        qsort(list, count, sizeof *list, (int (*)(const void *, const void *))compare);
    *to = list;
    return count;
}
