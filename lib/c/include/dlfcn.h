/* Libraries that are loaded as a program runs, of which there are none: programs are static. */
#ifndef PEBBLE_DLFCN_H
#define PEBBLE_DLFCN_H
#ifdef __cplusplus
extern "C" {
#endif
enum { RTLD_LOCAL, RTLD_LAZY, RTLD_NOW, RTLD_GLOBAL = 0x100 };
#define RTLD_DEFAULT ((void *)0)
void *dlopen(const char *path, int how); /* NULL */
void *dlsym(void *library, const char *name); /* NULL */
int dlclose(void *library); /* -1 */
char *dlerror(void); /* why, once */
#ifdef __cplusplus
}
#endif
#endif
