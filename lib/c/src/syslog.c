/* syslog on standard error. */
#include "system.h"
#include <syslog.h>

static const char *program;
static int with_number, wanted = 0xff;

void openlog(const char *name, int options, int facility)
{
    (void)facility;
    program = name;
    with_number = options & LOG_PID;
}
void vsyslog(int priority, const char *format, va_list arguments)
{
    if (!(wanted & LOG_MASK(priority & 7)))
        return;
    if (program)
        fprintf(stderr, with_number ? "%s[%d]: " : "%s: ", program, get_asid());
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}
void syslog(int priority, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsyslog(priority, format, arguments);
    va_end(arguments);
}
int setlogmask(int mask)
{
    int before = wanted;
    if (mask)
        wanted = mask;
    return before;
}
void closelog(void)
{
    program = NULL;
    with_number = 0;
}
