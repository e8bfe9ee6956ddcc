/* Domains of protection that are refused something. */
#ifndef PARTS_H
#define PARTS_H

#include <pebble.h>

/* How an error is named that such a test expects. */
static const char *name(word result)
{
    return result == -EACCESS ? "EACCESS" : result == -EFAULT ? "EFAULT" : result == -ENOENT ? "ENOENT" : "?";
}
/* A new one, which sees the program and is entered at `entry`, by four calls at a time. */
static int made(int dp, dp_entry *entry, int procedures)
{
    if (dp < 0 || dp_show_program(dp) || dp_register(dp, entry, procedures, 4))
        exit(printf("FAILED: no domain: %d\n", dp));
    return dp;
}
#endif
