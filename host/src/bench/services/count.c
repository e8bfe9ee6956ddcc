/* A plugin for QEMU's translator that counts the instructions that a guest executes, in a file that others read meanwhile: in user mode
   and above, in the upper half, in the firmware. While the guest waits for an interrupt it executes nothing, and nothing is counted. Where
   the guest executes the hint `slti x0, x0, K`, K and the counts go to the log. Arguments: shared=FILE, log=FILE.

   Debian's QEMU 7.2 loads plugins, and its packages have no header for them: what is declared here is QEMU's interface, version 1
   (include/qemu/qemu-plugin.h). */
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

typedef uint64_t plugin_id;
struct info {
    const char *target;
    struct {
        int least, current;
    } version;
    bool system;
    int harts, most_harts;
};
struct qemu_plugin_tb;
struct qemu_plugin_insn;
enum { ADD_U64 };
extern void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id, void (*)(plugin_id, struct qemu_plugin_tb *));
extern void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *, int, void *, uint64_t);
extern void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *, void (*)(unsigned, void *), int, void *);
extern void qemu_plugin_register_atexit_cb(plugin_id, void (*)(plugin_id, void *), void *);
extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
extern struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
extern const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *);
extern size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *);
extern uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *);
EXPORT int qemu_plugin_version = 1;

/* The counters: user, upper half, firmware; and what all of them were together at the last mark. */
enum { USER, UPPER, FIRMWARE, COUNTERS, MARKED = COUNTERS, WORDS };
static volatile uint64_t *counters;
static FILE *marks;

/* Where OpenSBI is on QEMU's machine `virt`. */
#define FIRMWARE_START 0x80000000u
#define FIRMWARE_END 0x80200000u
/* `slti x0, x0, K`, less K. */
#define HINT 0x02013u
#define HINT_MASK 0xfffffu

static void marked(unsigned hart, void *k)
{
    (void)hart;
    counters[MARKED] = counters[USER] + counters[UPPER] + counters[FIRMWARE];
    if (marks)
        fprintf(marks, "%ld %" PRIu64 "\n", (long)k, counters[MARKED]);
}
static void ended(plugin_id id, void *nothing)
{
    (void)id, (void)nothing;
    if (marks)
        fflush(marks);
}
static void translated(plugin_id id, struct qemu_plugin_tb *block)
{
    (void)id;
    size_t count = qemu_plugin_tb_n_insns(block);
    for (size_t i = 0; i < count; i++) {
        struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(block, i);
        uint64_t at = qemu_plugin_insn_vaddr(instruction);
        int where = at >> 63 ? UPPER : at >= FIRMWARE_START && at < FIRMWARE_END ? FIRMWARE : USER;
        qemu_plugin_register_vcpu_insn_exec_inline(instruction, ADD_U64, (void *)&counters[where], 1);
        uint32_t word = 0;
        if (qemu_plugin_insn_size(instruction) == sizeof word)
            memcpy(&word, qemu_plugin_insn_data(instruction), sizeof word);
        if ((word & HINT_MASK) == HINT)
            qemu_plugin_register_vcpu_insn_exec_cb(instruction, marked, 0, (void *)(long)(word >> 20));
    }
}
EXPORT int qemu_plugin_install(plugin_id id, const struct info *info, int argc, char **argv)
{
    (void)info;
    size_t bytes = WORDS * sizeof *counters;
    for (int i = 0; i < argc; i++) {
        if (strncmp(argv[i], "shared=", 7) == 0) {
            int file = open(argv[i] + 7, O_RDWR);
            if (file < 0 || ftruncate(file, bytes) < 0)
                return -1;
            counters = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        } else if (strncmp(argv[i], "log=", 4) == 0) {
            marks = fopen(argv[i] + 4, "w");
        }
    }
    if (!counters || counters == MAP_FAILED)
        return -1;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, ended, 0);
    return 0;
}
