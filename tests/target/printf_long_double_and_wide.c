// expect stdout 1.5|7
// expect stdout 1.190e+4932 0x1.ffffffffffffffffffffffffffffp+16383 8
// expect stdout 3.362e-4932 4940
// expect stdout 0.1000000000000000000000000000000000
// expect stdout grün|    äb|é     ||ß|
// expect stdout Permission denied
/* What printf says of long doubles, all of whose digits are there, and of wide characters, of which none is cut. */
#include <errno.h>
#include <float.h>
#include <stdio.h>
#include <wchar.h>

int main(void)
{
    printf("%.1Lf|%d\n", 1.5L, 7);
    printf("%.3Le %La %d\n", LDBL_MAX, LDBL_MAX, 8);
    printf("%.3Le %d\n", LDBL_MIN, snprintf(NULL, 0, "%Lf", LDBL_MAX));
    printf("%.34Lf\n", 0.1L);
    printf("%ls|%7ls|%-7ls|%.2ls|%lc|\n", L"grün", L"äb", L"é", L"€uro", L'ß');
    errno = EACCES;
    printf("%m\n");
    return 0;
}
