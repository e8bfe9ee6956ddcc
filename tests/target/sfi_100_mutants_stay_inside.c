// isolation sfi
// host hosts
// icount
// timeout 120
// arguments mutants 100 1
// expect stdout nothing outside has changed
/* What is mutated: a program of many functions, through pointers too, which allocates, sorts and prints. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    struct node *left, *right;
    char text[16];
};
static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }
static struct node *insert(struct node *tree, const char *text)
{
    if (!tree) {
        tree = calloc(1, sizeof *tree);
        strcpy(tree->text, text);
        return tree;
    }
    int order = strcmp(text, tree->text);
    if (order < 0)
        tree->left = insert(tree->left, text);
    else if (order > 0)
        tree->right = insert(tree->right, text);
    return tree;
}
static int depth(const struct node *tree)
{
    if (!tree)
        return 0;
    int left = depth(tree->left), right = depth(tree->right);
    return 1 + (left > right ? left : right);
}
int main(void)
{
    char texts[40][16], *sorted[40];
    struct node *tree = NULL;
    for (int n = 0; n < 40; n++) {
        snprintf(texts[n], sizeof texts[n], "%03d-%.2f", n * 7919 % 1000, n / 3.0);
        sorted[n] = texts[n];
        tree = insert(tree, texts[n]);
    }
    qsort(sorted, 40, sizeof *sorted, by_text);
    printf("%s %s %d\n", sorted[0], sorted[39], depth(tree));
    return 0;
}
