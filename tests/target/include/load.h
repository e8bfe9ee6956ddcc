/* How far a client has come (components/load.c), as NAME.progress says: since it began, and since that was asked for last. */
#pragma once

struct progress {
    long right;                            /* since it began */
    long wrong, dead, other;               /* answers that were not right; EDEAD; other errors */
    long error;                            /* the last of those */
    unsigned long long longest, last;      /* ticks between two that were right, at most; when the last was */
};
