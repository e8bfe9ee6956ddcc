/* What a switch between two domains of protection costs in three ways, each as the portal would do it (the 1995 paper, section 3.3.2):

     asid    each has a root table and an address-space number of its own: a write to satp
     patch   the callee sees the caller's pages and D more, in one table and with one number: the D entries are written, on the way back they are
             taken away, each with a fence for its page
     flush   each has a root table, and there is one number: a write to satp and a fence for all of it, as on a core without numbers

   and "nothing", from which the others are read. It is a measurement of these sequences, not of portals: what a portal does besides is
   the same in all. The program executes in supervisor mode, has two root tables of its own, which are its component's with one gigabyte more,
   and measures with interrupts off. A round: the caller touches F pages, calls, the callee touches F pages, `warm` of which the caller has
   touched, it returns, and the caller touches its F pages again. "often": round after round; "seldom": before each, the translation buffers
   are emptied. Cycles of the call with what the callee touches, and of the return with what the caller touches, of ROUNDS rounds each. */
#include <pebble.h>

enum { PAGE = 4096, ENTRIES = 512, MOST_D = 64, MOST_F = 14, FRAMES = MOST_F + MOST_D + MOST_F, ROUNDS = 8, BEFORE = 4 };
/* Numbers that no domain has. */
enum { CALLERS_NUMBER = 0x7f01, CALLEES_NUMBER = 0x7f02 };
enum { PRESENT = 1, PAGE_OF_BOTH = 0xc7 };

struct run {
    uint64_t caller, callee, count, satp[2], number, record, table, private, call_at, stores_at, fences_at, return_at, seldom, rounds;
    uint64_t call, back;
};
void patches_run(struct run *run);
extern char patches_nothing[], patches_satp[], patches_satp_back[], patches_flush[], patches_flush_back[];
extern char patches_patch_end[], patches_patch_back[], patches_stores_end[], patches_fences_end[];

/* clang-format off */
__asm__(
    ".option push\n"
    ".option norvc\n"
    ".option norelax\n"
    ".section .text.patches, \"ax\"\n"
    ".balign 4096\n"
    ".globl patches_run\n"
    "patches_run:\n"
    "    addi sp, sp, -112\n"
    "    sd ra, 0(sp)\n  sd s0, 8(sp)\n  sd s1, 16(sp)\n  sd s2, 24(sp)\n  sd s3, 32(sp)\n  sd s4, 40(sp)\n  sd s5, 48(sp)\n"
    "    sd s6, 56(sp)\n  sd s7, 64(sp)\n  sd s8, 72(sp)\n  sd s9, 80(sp)\n  sd s10, 88(sp)\n  sd s11, 96(sp)\n  sd a0, 104(sp)\n"
    "    ld s0, 0(a0)\n  ld s1, 8(a0)\n  ld s2, 16(a0)\n  ld s3, 24(a0)\n  ld s4, 32(a0)\n  ld s5, 40(a0)\n  ld a2, 48(a0)\n"
    "    ld a3, 56(a0)\n  ld s6, 64(a0)\n  ld s7, 72(a0)\n  ld s8, 80(a0)\n  ld s9, 88(a0)\n  ld s10, 96(a0)\n  ld s11, 104(a0)\n"
    "    ld a1, 112(a0)\n"
    "    li a5, 0\n  li a6, 0\n  li a7, 4096\n"
    "    csrci sstatus, 2\n"
    "    csrr t5, satp\n"
    "    csrw satp, s3\n"
    "    sfence.vma zero, zero\n"
    "0:  beqz s11, 1f\n"
    "    sfence.vma zero, zero\n"
    "1:  mv t1, s0\n  mv t2, s2\n  jal t4, patches_touch\n"
    "    rdcycle a4\n"
    "    jalr t4, s7\n"
    "    mv t1, s1\n  mv t2, s2\n  jal t4, patches_touch\n"
    "    rdcycle t0\n"
    "    sub a4, t0, a4\n"
    "    rdcycle t0\n"
    "    mv t6, s6\n"
    "    jalr t4, s10\n"
    "    mv t1, s0\n  mv t2, s2\n  jal t4, patches_touch\n"
    "    rdcycle t1\n"
    "    sub t0, t1, t0\n"
    "    addi a1, a1, -1\n"
    "    li t1, 8\n"                                /* ROUNDS */
    "    bgeu a1, t1, 0b\n"
    "    add a5, a5, a4\n  add a6, a6, t0\n"
    "    bnez a1, 0b\n"
    "    csrw satp, t5\n"
    "    sfence.vma zero, zero\n"
    "    csrsi sstatus, 2\n"
    "    ld a0, 104(sp)\n"
    "    sd a5, 120(a0)\n  sd a6, 128(a0)\n"
    "    ld ra, 0(sp)\n  ld s0, 8(sp)\n  ld s1, 16(sp)\n  ld s2, 24(sp)\n  ld s3, 32(sp)\n  ld s4, 40(sp)\n  ld s5, 48(sp)\n"
    "    ld s6, 56(sp)\n  ld s7, 64(sp)\n  ld s8, 72(sp)\n  ld s9, 80(sp)\n  ld s10, 88(sp)\n  ld s11, 96(sp)\n"
    "    addi sp, sp, 112\n"
    "    ret\n"
    /* t2 pages from t1 on, in different lines of the cache; each access waits for the one before. */
    "patches_touch:\n"
    "    beqz t2, 2f\n"
    "1:  ld t3, 0(t1)\n"
    "    add t1, t1, t3\n"
    "    add t1, t1, a7\n"
    "    addi t1, t1, 64\n"
    "    addi t2, t2, -1\n"
    "    bnez t2, 1b\n"
    "2:  jr t4\n"
    "patches_nothing:\n"
    "    jr t4\n"
    "patches_satp:\n"
    "    csrw satp, s4\n"
    "    jr t4\n"
    "patches_satp_back:\n"
    "    csrw satp, s3\n"
    "    jr t4\n"
    "patches_flush:\n"
    "    csrw satp, s4\n"
    "    sfence.vma zero, s5\n"
    "    jr t4\n"
    "patches_flush_back:\n"
    "    csrw satp, s3\n"
    "    sfence.vma zero, s5\n"
    "    jr t4\n"
    /* The last D entries from the record a2 to the table a3. The fence has them leave the store buffer, which walks do not look into. */
    "    .set n, 0\n"
    "    .rept 64\n"
    "    ld t1, 8*n(a2)\n"
    "    sd t1, 8*n(a3)\n"
    "    .set n, n + 1\n"
    "    .endr\n"
    "patches_patch_end:\n"
    "    fence\n"
    "    jr t4\n"
    "patches_patch_back:\n"
    "    jr s8\n"
    "    .set n, 0\n"
    "    .rept 64\n"
    "    sd zero, 8*n(a3)\n"
    "    .set n, n + 1\n"
    "    .endr\n"
    "patches_stores_end:\n"
    "    jr s9\n"
    "    .rept 64\n"
    "    sfence.vma t6, s5\n"
    "    add t6, t6, a7\n"
    "    .endr\n"
    "patches_fences_end:\n"
    "    jr t4\n"
    ".option pop\n");
/* clang-format on */

static _Alignas(PAGE) uint64_t roots[2][ENTRIES], middles[2][ENTRIES], leaves[2][ENTRIES], record[ENTRIES], frames[FRAMES][ENTRIES];
/* The gigabyte in which the pages lie, from which the component has nothing. */
enum { SLOT = 128 };
static const uint64_t base = (uint64_t)SLOT << 30;

static uint64_t *view(uint64_t physical)
{
    return (uint64_t *)(physical | 0xffffffff00000000);
}
static uint64_t satp(void)
{
    uint64_t value;
    __asm__ volatile("csrr %0, satp" : "=r"(value));
    return value;
}
static uint64_t root_of(uint64_t value)
{
    return (value & ((1ul << 44) - 1)) << 12;
}
/* The physical address of what lies here. */
static uint64_t physical(const void *at)
{
    uint64_t table = root_of(satp()), va = (uint64_t)at;
    *(volatile uint64_t *)(va & -8ul) = *(volatile uint64_t *)(va & -8ul);
    for (int level = 2; level > 0; level--)
        table = view(table)[va >> (12 + 9 * level) & 511] >> 10 << 12;
    return (view(table)[va >> 12 & 511] >> 10 << 12) + va % PAGE;
}
static uint64_t entry(uint64_t physical, uint64_t bits)
{
    return physical >> 12 << 10 | bits;
}
static void make_tables(void)
{
    uint64_t *own = view(root_of(satp()));
    if (own[SLOT])
        exit(printf("something is at %#lx\n", base));
    for (int n = 0; n < 2; n++) {
        memcpy(roots[n], own, PAGE);
        roots[n][SLOT] = entry(physical(middles[n]), PRESENT);
        middles[n][0] = entry(physical(leaves[n]), PRESENT);
    }
}
/* The callee, and in `patch` nobody but the callee, sees `private` pages from MOST_F on; both see all others. */
static void show(int private)
{
    for (int n = 0; n < FRAMES; n++) {
        uint64_t page = entry(physical(frames[n]), PAGE_OF_BOTH);
        int own = n >= MOST_F && n < MOST_F + private;
        leaves[0][n] = own ? 0 : page;
        leaves[1][n] = page;
        if (own)
            record[n - MOST_F] = page;
    }
}
static uint64_t space(int n, uint64_t number)
{
    return 8ul << 60 | number << 44 | physical(roots[n]) >> 12;
}
enum way { NOTHING, ASID, PATCH, FLUSH };
static const char *const names[] = {"nothing", "asid", "patch", "flush"};

static void measure(enum way way, int seldom, int d, int f, int warm)
{
    show(way == NOTHING ? 0 : d);
    /* The first of the callee's that the caller has not touched is the first of those that the callee alone sees. */
    struct run run = {.caller = base + (MOST_F - f) * (PAGE + 64ul), .callee = base + (MOST_F - warm) * (PAGE + 64ul), .count = f};
    run.satp[0] = space(0, CALLERS_NUMBER), run.satp[1] = way == ASID ? space(1, CALLEES_NUMBER) : space(1, CALLERS_NUMBER);
    run.number = CALLERS_NUMBER, run.seldom = seldom, run.rounds = BEFORE + ROUNDS;
    run.record = (uint64_t)view(physical(record)) - 8 * (MOST_D - d);
    run.table = (uint64_t)view(physical(leaves[0])) + 8 * MOST_F - 8 * (MOST_D - d);
    run.private = base + MOST_F * PAGE;
    run.stores_at = (uint64_t)patches_stores_end - 4 * d, run.fences_at = (uint64_t)patches_fences_end - 8 * d;
    const char *const calls[] = {patches_nothing, patches_satp, patches_patch_end - 8 * d, patches_flush};
    const char *const returns[] = {patches_nothing, patches_satp_back, patches_patch_back, patches_flush_back};
    run.call_at = (uint64_t)calls[way], run.return_at = (uint64_t)returns[way];
    patches_run(&run);
    printf("patch %s %s %d %d %d %lu %lu\n", names[way], seldom ? "seldom" : "often", d, f, warm, run.call, run.back);
}
int main(void)
{
    static const int most[] = {0, 1, 2, 4, 8, 14}, shown[] = {1, 2, 4, 8, 16, 32, 64};
    make_tables();
    for (size_t n = 0; n < sizeof most / sizeof *most; n++)
        for (int half = 0; half <= 2; half++) {
            int f = most[n], warm = (f * half + 1) / 2;
            if ((f == 0 && half) || (f == 1 && half == 1))
                continue;
            for (int seldom = 0; seldom < 2; seldom++) {
                measure(NOTHING, seldom, 0, f, warm);
                measure(ASID, seldom, MOST_D, f, warm);
                measure(FLUSH, seldom, MOST_D, f, warm);
                for (size_t d = 0; d < sizeof shown / sizeof *shown; d++)
                    measure(PATCH, seldom, shown[d], f, warm);
            }
        }
    return 0;
}
