/* fnmatch, in the place of picolibc's, which (as of 1.8) knows no classes of characters. */
#include <ctype.h>
#include <fnmatch.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

enum { MOST_OF_A_CLASS = 15 };

static int same(unsigned char a, unsigned char b, int flags)
{
    return flags & FNM_CASEFOLD ? tolower(a) == tolower(b) : a == b;
}
static int in_class(const char *name, size_t length, unsigned char c)
{
    char copy[MOST_OF_A_CLASS + 1] = "";
    if (length > MOST_OF_A_CLASS)
        return 0;
    memcpy(copy, name, length);
    return iswctype(btowc(c) == WEOF ? c : (wint_t)c, wctype(copy)) != 0;
}
/* Whether `c` is in the brackets that begin at `at`, behind which *end is then; -1: they do not end. */
static int in_brackets(const char *at, unsigned char c, int flags, const char **end)
{
    int inverted = *++at == '!' || *at == '^', found = 0;
    at += inverted;
    for (const char *first = at; *at != ']' || at == first; at++) {
        const char *close;
        if (*at == '\\' && !(flags & FNM_NOESCAPE))
            at++;
        if (!*at || (*at == '/' && flags & FNM_PATHNAME))
            return -1;
        if (at[0] == '[' && at[1] == ':' && (close = strstr(at + 2, ":]"))) {
            found |= in_class(at + 2, close - at - 2, c) || (flags & FNM_CASEFOLD && in_class(at + 2, close - at - 2, isupper(c) ? tolower(c) : toupper(c)));
            at = close + 1;
            continue;
        }
        unsigned char low = *at, high = low;
        if (at[1] == '-' && at[2] && at[2] != ']') {
            at += 2;
            at += *at == '\\' && !(flags & FNM_NOESCAPE);
            if (!*at)
                return -1;
            high = *at;
        }
        int folded = isupper(c) ? tolower(c) : toupper(c);
        found |= (c >= low && c <= high) || (flags & FNM_CASEFOLD && folded >= low && folded <= high);
    }
    *end = at + 1;
    return found != inverted;
}
/* Whether the text begins with a point that only a point matches. */
static int hidden(const char *text, const char *start, int flags)
{
    return flags & FNM_PERIOD && *text == '.' && (text == start || (flags & FNM_PATHNAME && text[-1] == '/'));
}
/* Matches one character; where the pattern goes on, or NULL. */
static const char *match_one(const char *pattern, const char *text, const char *start, int flags)
{
    const char *end;
    if (!*text)
        return NULL;
    switch (*pattern) {
    case '?': return (*text == '/' && flags & FNM_PATHNAME) || hidden(text, start, flags) ? NULL : pattern + 1;
    case '[': {
        int found = in_brackets(pattern, *text, flags, &end);
        if (found >= 0)
            return !found || (*text == '/' && flags & FNM_PATHNAME) || hidden(text, start, flags) ? NULL : end;
        break;
    }
    case '\\':
        pattern += !(flags & FNM_NOESCAPE) && pattern[1];
        break;
    }
    return same(*pattern, *text, flags) ? pattern + 1 : NULL;
}
/* Only the last star is ever gone back to, and in a path none across a slash: so no pattern takes long. */
int fnmatch(const char *pattern, const char *text, int flags)
{
    const char *start = text, *star = NULL, *from = NULL;
    for (;;) {
        if (*pattern == '*') {
            if (hidden(text, start, flags))
                return FNM_NOMATCH;
            star = ++pattern;
            from = text;
            continue;
        }
        if (!*pattern && (!*text || (flags & FNM_LEADING_DIR && *text == '/')))
            return 0;
        const char *next = *pattern ? match_one(pattern, text, start, flags) : NULL;
        if (next) {
            pattern = next;
            text++;
            continue;
        }
        if (!star || !*from || (*from == '/' && flags & FNM_PATHNAME))
            return FNM_NOMATCH;
        pattern = star;
        text = ++from;
    }
}
