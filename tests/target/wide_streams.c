// expect stdout grüße, 12|  é|é  |日本
// expect stdout then € and 𝄞
// expect stdout all right
// expect status 7
/* Wide characters in streams and formats, ISO C's <uchar.h>, timespec_get and quick_exit; all of it is so where it comes from glibc, in a locale of UTF-8. */
#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <uchar.h>
#include <unistd.h>
#include <wchar.h>

#define CHECK(what) ((what) ? (void)0 : (fprintf(stderr, "line %d: %s, errno %d\n", __LINE__, #what, errno), exit(1)))

static void streams(void)
{
    static wchar_t line[4000];
    FILE *file = fopen("/tmp/wide", "w+");
    CHECK(file && fwide(file, 1) >= 0 && fputws(L"grüße €\n", file) >= 0 && putwc(L'𝄞', file) == L'𝄞' && fputwc(L'\n', file) == L'\n');
    /* Longer than a buffer, with characters across its end. */
    for (int n = 0; n < 6000; n++)
        CHECK(fputwc(L"a語é"[n % 3], file) != WEOF);
    CHECK(fputwc(0xd800, file) == WEOF && errno == EILSEQ);
    clearerr(file);
    rewind(file);
    CHECK(fgetws(line, 4, file) == line && wcscmp(line, L"grü") == 0);
    CHECK(getwc(file) == L'ß' && ungetwc(L'ß', file) == L'ß' && fgetwc(file) == L'ß' && ungetwc(L'€', file) == L'€' && fgetwc(file) == L'€');
    CHECK(fgetws(line, 100, file) == line && wcscmp(line, L"e €\n") == 0);
    CHECK(fgetws(line, 100, file) == line && wcscmp(line, L"𝄞\n") == 0);
    for (int n = 0; n < 6000; n++) {
        wint_t c = fgetwc(file);
        CHECK(c == (wint_t)L"a語é"[n % 3]);
        /* What was read lies in the buffer. */
        CHECK(n % 7 || (ungetwc(c, file) == c && fgetwc(file) == c));
    }
    CHECK(fgetwc(file) == WEOF && feof(file) && !ferror(file));
    fclose(file);
    /* Bytes that are no characters: an error, and not more than that. */
    static const char *const wrong[] = {"\xff", "\xc3(", "\xc0\xaf", "\xe2\x82", "\xed\xa0\x80", "\xf4\x90\x80\x80"};
    for (unsigned n = 0; n < sizeof wrong / sizeof *wrong; n++) {
        file = fopen("/tmp/wide", "w+");
        CHECK(fputs(wrong[n], file) >= 0 && (file = freopen("/tmp/wide", "r", file)));
        errno = 0;
        CHECK(fgetwc(file) == WEOF && (errno == EILSEQ || n == 3));
        fclose(file);
    }
    remove("/tmp/wide");
}
/* What is put back is read next, whatever it is, and is not in the file. */
static void put_back(int buffered)
{
    FILE *file = fopen("/tmp/wide", "w");
    CHECK(file && fputws(L"abc語𝄞é", file) >= 0 && fclose(file) == 0);
    file = fopen("/tmp/wide", "r+");
    CHECK(file && (buffered || setvbuf(file, NULL, _IONBF, 0) == 0));
    CHECK(ungetwc(L'€', file) == L'€' && fgetwc(file) == L'€' && fgetwc(file) == L'a');
    CHECK(ungetwc(L'𝄞', file) == L'𝄞' && fgetwc(file) == L'𝄞' && fgetwc(file) == L'b');
    CHECK(fgetwc(file) == L'c' && fgetwc(file) == L'語' && ungetwc(L'語', file) == L'語' && fgetwc(file) == L'語');
    CHECK(fgetwc(file) == L'𝄞' && ungetwc(L'x', file) == L'x' && ungetwc(WEOF, file) == WEOF && fgetwc(file) == L'x');
    CHECK(ungetwc(0x110000, file) == WEOF && errno == EILSEQ);
    /* It is forgotten where one goes elsewhere. */
    CHECK(ungetwc(L'€', file) == L'€' && fseek(file, 1, SEEK_SET) == 0 && fgetwc(file) == L'b');
    rewind(file);
    CHECK(fgetwc(file) == L'a' && fclose(file) == 0);
    remove("/tmp/wide");
}
static void multibyte(void)
{
    wchar_t wide[10];
    char bytes[MB_LEN_MAX], narrow[20];
    const char *from = "größe";
    const wchar_t *to = L"größe";
    mbstate_t state = {0};
    CHECK(MB_LEN_MAX >= 4 && MB_CUR_MAX >= 4);
    CHECK(mbstowcs(wide, "größe", 10) == 5 && wcscmp(wide, L"größe") == 0 && mbstowcs(NULL, "größe", 0) == 5 && mbstowcs(wide, "größe", 2) == 2);
    CHECK(wcstombs(narrow, L"größe", 20) == 7 && strcmp(narrow, "größe") == 0 && wcstombs(NULL, L"größe", 0) == 7 && wcstombs(narrow, L"größe", 3) == 2);
    CHECK(mbsrtowcs(wide, &from, 10, &state) == 5 && !from && wcsrtombs(narrow, &to, 20, &state) == 7 && !to);
    from = "ab\xff";
    CHECK(mbsrtowcs(wide, &from, 10, &state) == (size_t)-1 && errno == EILSEQ && *from == (char)0xff);
    memset(&state, 0, sizeof state);
    CHECK(wctomb(bytes, L'€') == 3 && memcmp(bytes, "€", 3) == 0 && mblen("€", 3) == 3 && mblen("€", 2) == -1 && mbtowc(wide, "ß", 2) == 2 && *wide == L'ß');
    CHECK(mbrtowc(wide, "\xe2\x82", 2, &state) == (size_t)-2 && mbrtowc(wide, "\xac", 1, &state) == 1 && *wide == L'€' && mbsinit(&state));
    CHECK(mbrlen("", 1, &state) == 0 && btowc('x') == L'x' && btowc(0xe4) == WEOF && wctob(L'x') == 'x' && wctob(L'€') == EOF);
}
static void formats(void)
{
    wchar_t text[60];
    /* Widths, precisions and what is returned count characters. */
    CHECK(swprintf(text, 60, L"%5s|%-5ls|%.2s|%.1ls|%lc|%3d", "grü", L"日本", "éèê", L"日本", L'€', 7) == 22);
    CHECK(wcscmp(text, L"  grü|日本   |éè|日|€|  7") == 0);
    CHECK(swprintf(text, 4, L"%d", 1234) < 0 && swprintf(text, 5, L"%d", 1234) == 4 && wcscmp(text, L"1234") == 0);
    CHECK(swprintf(text, 60, L"a%cb", 0) == 3 && text[2] == L'b' && text[3] == 0);
    char pair[2] = {'a', 'b'};
    CHECK(swprintf(text, 60, L"%.2s%.0s.", pair, pair) == 3 && wcscmp(text, L"ab.") == 0);
    int count = 0, number = 0;
    CHECK(swprintf(text, 60, L"é€%n!", &count) == 3 && count == 2);
    wchar_t word[20];
    double value;
    CHECK(swscanf(L"42 größe 1.5", L"%d %ls %lf", &number, word, &value) == 3 && number == 42 && value == 1.5 && wcscmp(word, L"größe") == 0);
    CHECK(swscanf(L"x", L"%d", &number) == 0 && swscanf(L"", L"%d", &number) == EOF);
    struct tm noon = {.tm_year = 126, .tm_mon = 11, .tm_mday = 1, .tm_hour = 12};
    CHECK(wcsftime(text, 60, L"%Y-%m-%d, „%H:%M“", &noon) == 19 && wcscmp(text, L"2026-12-01, „12:00“") == 0);
    CHECK(wcsftime(text, 10, L"%Y-%m-%d", &noon) == 0 && wcsftime(text, 11, L"%Y-%m-%d", &noon) == 10);
    FILE *file = tmpfile();
    CHECK(file && fwprintf(file, L"7 über\n") == 7);
    rewind(file);
    CHECK(fwscanf(file, L"%d %ls", &number, word) == 2 && number == 7 && wcscmp(word, L"über") == 0);
    fclose(file);
}
static void characters(void)
{
    char16_t half;
    char32_t c;
    char bytes[8];
    mbstate_t state = {0};
    CHECK(mbrtoc32(&c, "€", 4, &state) == 3 && c == 0x20ac && mbrtoc32(&c, "", 1, &state) == 0 && c == 0);
    CHECK(mbrtoc32(&c, "\xe2", 1, &state) == (size_t)-2 && mbrtoc32(&c, "\x82\xac", 2, &state) == 2 && c == 0x20ac);
    CHECK(mbrtoc16(&half, "𝄞", 4, &state) == 4 && half == 0xd834 && mbrtoc16(&half, "x", 1, &state) == (size_t)-3 && half == 0xdd1e);
    CHECK(mbrtoc16(&half, "x", 1, &state) == 1 && half == 'x');
    CHECK(mbrtoc32(&c, "\xff", 1, &state) == (size_t)-1 && errno == EILSEQ);
    memset(&state, 0, sizeof state);
    CHECK(c32rtomb(bytes, 0x1d11e, &state) == 4 && memcmp(bytes, "𝄞", 4) == 0 && c32rtomb(bytes, 0xdc00, &state) == (size_t)-1);
    memset(&state, 0, sizeof state);
    CHECK(c16rtomb(bytes, 0xd834, &state) == 0 && c16rtomb(bytes, 0xdd1e, &state) == 4 && memcmp(bytes, "𝄞", 4) == 0);
    CHECK(c16rtomb(bytes, 'x', &state) == 1 && c16rtomb(bytes, 0xdd1e, &state) == (size_t)-1);
}
static void second(void) { fputws(L"all right\n", stdout), fflush(stdout); }
static void first(void) { fputws(L"then € and 𝄞\n", stdout); }
static void never(void) { puts("exit's"); }
int main(void)
{
    struct timespec now = {0};
    setlocale(LC_ALL, "C.UTF-8");
    streams();
    put_back(1);
    put_back(0);
    multibyte();
    formats();
    characters();
    CHECK(wprintf(L"%s, %d|%3s|%-3lc|%ls\n", "grüße", 12, "é", L'é', L"日本") == 21);
    CHECK(timespec_get(&now, TIME_UTC) == TIME_UTC && now.tv_sec > 1000000000 && timespec_get(&now, 77) == 0);
    CHECK(atexit(never) == 0 && at_quick_exit(second) == 0 && at_quick_exit(first) == 0);
    quick_exit(7);
}
