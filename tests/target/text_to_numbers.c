// expect stdout right
/* Text that is a number: strtod and scanf, at ties, ends of the formats, in hexadecimal, with more digits than a number has, and where it ends. */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(what) ((what) ? (void)0 : (printf("line %d: %s\n", __LINE__, #what), exit(1)))

static int is(const char *text, double wanted, int used)
{
    char *end;
    double got = strtod(text, &end);
    return (isnan(wanted) ? isnan(got) : got == wanted && !signbit(got) == !signbit(wanted)) && end - text == used;
}
static void decimal(void)
{
    CHECK(is("9007199254740993", 9007199254740992.0, 16) && is("9007199254740993.00000000000000000000000001", 9007199254740994.0, 43));
    CHECK(is("1.00000000000000011102230246251565404236316680908203125", 1, 55));
    CHECK(is("1.00000000000000011102230246251565404236316680908203126", 1.0000000000000002, 55));
    CHECK(is("2.4703282292062327208e-324", 0, 26) && is("2.4703282292062328e-324", 0x1p-1074, 23) && is("4.9406564584124654e-324", 0x1p-1074, 23));
    CHECK(is("1.7976931348623158e308", DBL_MAX, 22) && is("1.7976931348623159e308", HUGE_VAL, 22) && errno == ERANGE);
    CHECK(is("2.2250738585072011e-308", 0x0.fffffffffffffp-1022, 23) && is("179769313486231580793728971405301e276", DBL_MAX, 37));
    CHECK(is("1e", 1, 1) && is("1e+x", 1, 1) && is(".5e1", 5, 4) && is(".", 0, 0) && is("-0.0e5", -0.0, 6) && is("1e-99999", 0, 8));
    CHECK(is("infinit", INFINITY, 3) && is("-INFINITYx", -INFINITY, 9) && is("nan(12ab)c", NAN, 9) && is("nan(", NAN, 3));
    CHECK(strtof("1.00000017881393432617187499", NULL) == 0x1.000002p0f && strtof("1.00000017881393432617187501", NULL) == 0x1.000004p0f);
    CHECK(strtold("0.1", NULL) == 0.1L && strtold("1.1897314953572317650857593266280070162e4932", NULL) == LDBL_MAX);
    CHECK(strtold("3.3621031431120935062626778173217526e-4932", NULL) == LDBL_MIN && strtold("6.5e-4966", NULL) == __LDBL_DENORM_MIN__);
    /* A digit far behind decides. */
    static char tie[3000];
    strcpy(tie, "9007199254740993.");
    memset(tie + 17, '0', 2500);
    CHECK(strtod(tie, NULL) == 9007199254740992.0);
    tie[2000] = '1';
    CHECK(strtod(tie, NULL) == 9007199254740994.0);
}
static void hexadecimal(void)
{
    CHECK(is("0x1.8", 1.5, 5) && is("0x.8", 0.5, 4) && is("0xFD.0", 253, 6) && is("0x.8p1", 1, 6) && is("0xA.p-1", 5, 7));
    CHECK(is("0x", 0, 1) && is("0xg", 0, 1) && is("0x.p1", 0, 1) && is("0x1p", 1, 3) && is("00x1", 0, 2));
    CHECK(is("0x1.00000000000008p0", 1, 20) && is("0x1.000000000000080001p0", 0x1.0000000000001p0, 24) && is("0x1.8p-1075", 0x1p-1074, 11));
    CHECK(is("0x1p-1075", 0, 9) && is("0x1.fffffffffffff8p1023", HUGE_VAL, 23) && is("0x.00000000000000000000000000000000001p140", 1, 42));
    CHECK(is("0x100000000000000000000000000000000001", 0x1p140, 38));
}
static void scanned(void)
{
    double a = 0, b = 0, c = 0;
    float f = 0;
    int n = 0, m = 0;
    char text[10] = "", *made = NULL, letter = 0;
    CHECK(sscanf("0x1.99999ap-2 0x1.8 12345678901234567890.5", "%a %lf %lf", &f, &a, &b) == 3 && f == 0x1.99999ap-2f && a == 1.5 && b == 12345678901234567890.5);
    CHECK(sscanf("12 nanx infinity-", "%lf %lfx %lf%c", &a, &b, &c, &letter) == 4 && a == 12 && isnan(b) && isinf(c) && letter == '-');
    FILE *file = fopen("text", "w+");
    fputs("left777 0xz", file);
    rewind(file);
    CHECK(fscanf(file, "%f", &f) == 0 && getc(file) == 'l' && fscanf(file, "eft%d", &n) == 1 && n == 777);
    fclose(file);
    CHECK(sscanf("a-z9", "%[a-]%[-z]", text, text + 5) == 2 && strcmp(text, "a-") == 0 && strcmp(text + 5, "z") == 0);
    CHECK(sscanf("0x1F 077 9", "%i %i %i", &n, &m, &m) == 3 && n == 31 && m == 9);
    CHECK(sscanf("words here", "%ms%n", &made, &n) == 1 && strcmp(made, "words") == 0 && n == 5);
    CHECK(sscanf("", "%d", &n) == EOF && sscanf("x", "%d", &n) == 0 && sscanf("12345", "%3d%d", &n, &m) == 2 && n == 123 && m == 45);
    free(made);
}
int main(void)
{
    decimal();
    hexadecimal();
    scanned();
    puts("right");
    return 0;
}
