/* What the measurements of Linux's services share. The host counts the instructions of the whole machine (host/src/bench/services), so
   nothing is measured here: an operation on files is put between two marks, servers are there to be asked. */
#ifndef SERVICES_H
#define SERVICES_H

/* Says what failed and why, and turns the machine off. */
_Noreturn void fail(const char *what);
#define CHECK(result, what) ((long)(result) < 0 ? fail(what) : (void)0)

/* The hint `slti x0, x0, K`, which the counter on the host sees. */
#define MARK(k) __asm__ volatile(".insn i 0x13, 2, x0, x0, %0" : : "i"(k) : "memory")
/* The mark that says that a datagram has come. */
enum { ARRIVED = 30 };

/* The operations on files in a folder, each between marks from `first` on (STORED in host/src/bench/services/mod.rs). */
enum { ON_DISK = 10, IN_MEMORY = 20 };
void disk_files(const char *folder);
void memory_files(const char *folder);

/* Gives the card its address, and starts a process for each server; returns when all of them take connections. */
void network(void);

#endif
