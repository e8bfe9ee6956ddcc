/* Messages: they go to standard error. */
#ifndef PEBBLE_SYSLOG_H
#define PEBBLE_SYSLOG_H
#include <stdarg.h>
#ifdef __cplusplus
extern "C" {
#endif
enum { LOG_EMERG, LOG_ALERT, LOG_CRIT, LOG_ERR, LOG_WARNING, LOG_NOTICE, LOG_INFO, LOG_DEBUG };
#define LOG_PID    1
#define LOG_CONS   2
#define LOG_NDELAY 8
#define LOG_USER   (1 << 3)
#define LOG_DAEMON (3 << 3)
#define LOG_MASK(priority) (1 << (priority))
#define LOG_UPTO(priority) ((1 << ((priority) + 1)) - 1)
void openlog(const char *name, int options, int facility);
void syslog(int priority, const char *format, ...) __attribute__((format(printf, 2, 3)));
void vsyslog(int priority, const char *format, va_list arguments);
int setlogmask(int mask);
void closelog(void);
#ifdef __cplusplus
}
#endif
#endif
