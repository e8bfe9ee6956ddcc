/* getopt and its long forms, in the place of picolibc's, which (as of 1.8) knows no beginnings of long options and loses its place in letters that stand
   together. Words that are no options are moved behind those that are, unless the letters begin with + or POSIXLY_CORRECT is set; where they begin
   with -, each is an option 1. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Weak: programs that bring a getopt of their own have that one. */
#define REPLACEABLE __attribute__((weak))

REPLACEABLE char *optarg;
REPLACEABLE int optind = 1, opterr = 1, optopt = '?';

/* In a word of letters, the next one. */
static const char *letters;
/* Words that are no options and have been passed over: [first, last). */
static int first, last;

static void say(char *const words[], const char *what, const char *option, int length, int quiet)
{
    if (opterr && !quiet)
        fprintf(stderr, "%s: %s '%.*s'\n", words[0], what, length, option);
}
/* Moves what was passed over behind the options [last, optind) that came then. */
static void move(char *const constant[])
{
    char **words = (char **)constant;
    for (; last < optind; first++, last++) {
        char *option = words[last];
        memmove(words + first + 1, words + first, (last - first) * sizeof *words);
        words[first] = option;
    }
}
static int is_option(const char *word)
{
    return word[0] == '-' && word[1];
}
/* Finds the next word that is an option: 0; -1: there is none, 1: it is another word, and each is one. */
static int find(int count, char *const words[], char order)
{
    first = first < optind ? first : optind;
    last = last < optind ? last : optind;
    if (order == 0) {
        if (first == last)
            first = optind;
        else
            move(words);
        while (optind < count && !is_option(words[optind]))
            optind++;
        last = optind;
    }
    if (optind < count && strcmp(words[optind], "--") == 0) {
        optind++;
        if (first == last)
            first = optind;
        else
            move(words);
        last = optind = count;
    }
    if (optind >= count) {
        optind = first != last ? first : optind;
        return -1;
    }
    if (is_option(words[optind]))
        return 0;
    if (order != '-')
        return -1;
    optarg = words[optind++];
    return 1;
}
/* The long option whose name begins with `name`; -1: none, -2: more than one that are not the same. */
static int named(const char *name, size_t length, const struct option *longs)
{
    int found = -1;
    for (int n = 0; longs[n].name; n++) {
        if (strncmp(longs[n].name, name, length) != 0)
            continue;
        if (strlen(longs[n].name) == length)
            return n;
        if (found < 0)
            found = n;
        else if (longs[n].has_arg != longs[found].has_arg || longs[n].flag != longs[found].flag || longs[n].val != longs[found].val)
            found = -2;
    }
    return found;
}
static int long_option(int count, char *const words[], const char *name, const struct option *longs, int *index, int quiet, int missing)
{
    const char *word = words[optind++];
    size_t length = strcspn(name, "=");
    int n = named(name, length, longs);
    if (n < 0) {
        say(words, n == -1 ? "unrecognized option" : "ambiguous option", word, (int)strlen(word), quiet);
        optopt = 0;
        return '?';
    }
    const struct option *option = &longs[n];
    optarg = NULL;
    if (name[length] == '=') {
        if (option->has_arg == no_argument) {
            say(words, "option takes no argument:", option->name, (int)strlen(option->name), quiet);
            optopt = option->val;
            return '?';
        }
        optarg = (char *)name + length + 1;
    } else if (option->has_arg == required_argument) {
        if (optind >= count) {
            say(words, "option needs an argument:", option->name, (int)strlen(option->name), quiet);
            optopt = option->val;
            return missing;
        }
        optarg = words[optind++];
    }
    if (index)
        *index = n;
    if (!option->flag)
        return option->val;
    *option->flag = option->val;
    return 0;
}
static int letter(int count, char *const words[], const char *wanted, int quiet, int missing)
{
    int c = (unsigned char)*letters++;
    const char *known = c == ':' || c == ';' ? NULL : strchr(wanted, c);
    int ends = !*letters;
    optind += ends;
    if (!known) {
        say(words, "invalid option", letters - 1, 1, quiet);
        optopt = c;
        return '?';
    }
    optarg = NULL;
    if (known[1] == ':') {
        if (!ends) {
            optarg = (char *)letters;
            optind++;
        } else if (known[2] != ':') {
            if (optind >= count) {
                say(words, "option needs an argument:", letters - 1, 1, quiet);
                optopt = c;
                letters = NULL;
                return missing;
            }
            optarg = words[optind++];
        }
        letters = NULL;
    }
    return c;
}
static int next(int count, char *const words[], const char *wanted, const struct option *longs, int *index, int only)
{
    if (optind == 0) {
        optind = 1;
        first = last = 0;
        letters = NULL;
    }
    char order = *wanted == '+' || *wanted == '-' ? *wanted++ : getenv("POSIXLY_CORRECT") ? '+' : 0;
    int quiet = *wanted == ':', missing = quiet ? ':' : '?';
    if (!letters || !*letters) {
        letters = NULL;
        int found = find(count, words, order);
        if (found)
            return found;
        const char *word = words[optind];
        if (longs && word[1] == '-')
            return long_option(count, words, word + 2, longs, index, quiet, missing);
        if (longs && only && (word[2] || !strchr(wanted, word[1])) && named(word + 1, strcspn(word + 1, "="), longs) != -1)
            return long_option(count, words, word + 1, longs, index, quiet, missing);
        letters = word + 1;
    }
    return letter(count, words, wanted, quiet, missing);
}
REPLACEABLE int getopt(int count, char *const words[], const char *wanted)
{
    return next(count, words, wanted, NULL, NULL, 0);
}
REPLACEABLE int getopt_long(int count, char *const words[], const char *wanted, const struct option *longs, int *index)
{
    return next(count, words, wanted, longs, index, 0);
}
REPLACEABLE int getopt_long_only(int count, char *const words[], const char *wanted, const struct option *longs, int *index)
{
    return next(count, words, wanted, longs, index, 1);
}
