/* The first process of a Linux that exists to have its services measured. What is on the kernel's command line says which: `bench=files` measures
   the file systems and turns the machine off, `bench=network` starts servers and waits for the machine to be ended. The host tool
   builds it, and makes it /init of an initramfs (host/src/linux/services.rs). */
#include "services.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

/* Debian's kernel has these as modules; each comes behind what it needs. */
static const char *const modules[] = {"virtio_mmio", "failover", "net_failover", "virtio_net", "virtio_blk",
                                      "crc32c_generic", "crc16", "mbcache", "jbd2", "ext4"};

static _Noreturn void power_off(void)
{
    fflush(stdout);
    tcdrain(STDOUT_FILENO);
    reboot(RB_POWER_OFF);
    for (;;)
        pause();
}
_Noreturn void fail(const char *what)
{
    printf("bench: %s: %s\n", what, strerror(errno));
    power_off();
}
static void load(const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "/modules/%s.ko", name);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    CHECK(file, path);
    CHECK(syscall(SYS_finit_module, file, "", 0), path);
    close(file);
}
static void be(const char *what)
{
    if (strcmp(what, "files") == 0) {
        CHECK(mount("/dev/vda", "/disk", "ext4", 0, NULL), "mount /dev/vda");
        disk_files("/disk");
        CHECK(umount("/disk"), "umount /disk");
        memory_files("/tmp");
        printf("bench: done\n");
        return;
    }
    network();
    printf("ready\n");
    while (wait(NULL) > 0)
        ;
    errno = ECHILD;
    fail("the servers");
}
int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    CHECK(mount("dev", "/dev", "devtmpfs", 0, NULL), "mount /dev");
    CHECK(mount("tmpfs", "/tmp", "tmpfs", 0, NULL), "mount /tmp");
    for (size_t n = 0; n < sizeof modules / sizeof *modules; n++)
        load(modules[n]);
    /* What the kernel does not know of its command line it passes on. */
    const char *what = getenv("bench");
    be(what ? what : "");
    power_off();
}
