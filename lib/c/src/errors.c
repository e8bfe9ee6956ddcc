/* What results mean. */
#include "system.h"

static const char *reason_text(int reason)
{
    switch (reason) {
    case 1: return "stack or state letter missing";
    case 2: return "unknown stack letter";
    case 3: return "unknown state letter";
    case 4: return "unknown argument letter";
    case 5: return "too many arguments";
    case 6: return "letter for boot components only";
    case 7: return "too long";
    case 8: return "length missing";
    case 9: return "the letter's server is not there";
    case 10: return "template refused";
    default: return "wrong";
    }
}
const char *pebble_strerror(int result)
{
    static __thread char text[64];
    int error = -result;
    if (error >= ESPEC) {
        snprintf(text, sizeof text, "specification: %s at position %d", reason_text((error - ESPEC) >> 8), error & 0xff);
        return text;
    }
    return strerror(error);
}
/* What errors mean of which picolibc knows nothing: the system's own, and those that are in no list. */
char *_user_strerror(int error, int internal, int *failed)
{
    static __thread char text[32];
    (void)internal, (void)failed;
    switch (error) {
    case EDQUOT: return "Disk quota exceeded";
    case EOWNERDEAD: return "Owner died";
    case ENOTRECOVERABLE: return "State not recoverable";
    case ECANCELED: return "Operation canceled";
#define TEXT(error, text) case error: return text;
    ERROR_TEXTS(TEXT)
    default: snprintf(text, sizeof text, "Unknown error %d", error); return text;
    }
}
