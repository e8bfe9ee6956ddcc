// The testbench: the core, the memory and devices around it, and the clock. See `usage` for the command line.
#include "Vbench_top.h"
#include "machine.h"
#include "memory_port.h"
#include "trace.h"
#include "verilated.h"
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char usage[] =
    "usage: model [options] RAM\n"
    "RAM is a file: what is in it is at 0x80000000, its size is the memory's, and stores change it.\n"
    "The core starts there, in machine mode.\n"
    "  -l CYCLES   latency of reads (20)\n"
    "  -w CYCLES   latency of writes (20)\n"
    "  -n CYCLES   cycles in a unit of time (10)\n"
    "  -m CYCLES   stop after so many cycles, with status 124 (0: never)\n"
    "  -t FILE     trace the instructions between marks, see trace.h\n"
    "  -c FROM:TO  trace these cycles too\n"
    "  -v          tell cycles and instructions on standard error\n"
    "Its status is what the program wrote to the test device.\n";

static int fail(const char *what) {
    perror(what);
    return 125;
}

int main(int argc, char **argv) {
    uint64_t read_latency = 20, write_latency = 20, cycles_per_time = 10, limit = 0;
    unsigned long long from = 0, to = 0;
    FILE *trace_file = nullptr;
    bool verbose = false;
    for (int option; (option = getopt(argc, argv, "l:w:n:m:t:c:v")) != -1;) {
        switch (option) {
        case 'l': read_latency = strtoull(optarg, nullptr, 0); break;
        case 'w': write_latency = strtoull(optarg, nullptr, 0); break;
        case 'n': cycles_per_time = strtoull(optarg, nullptr, 0); break;
        case 'v': verbose = true; break;
        case 'm': limit = strtoull(optarg, nullptr, 0); break;
        case 't':
            if (!(trace_file = fopen(optarg, "w"))) return fail(optarg);
            break;
        case 'c':
            if (sscanf(optarg, "%llu:%llu", &from, &to) == 2) break;
            // falls through
        default: return fputs(usage, stderr), 125;
        }
    }
    if (optind != argc - 1 || cycles_per_time == 0) return fputs(usage, stderr), 125;
    int file = open(argv[optind], O_RDWR);
    struct stat status;
    if (file < 0 || fstat(file, &status)) return fail(argv[optind]);
    void *ram = mmap(nullptr, status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (ram == MAP_FAILED) return fail(argv[optind]);

    VerilatedContext context;
    Vbench_top top(&context);
    Machine machine((uint8_t *)ram, status.st_size, cycles_per_time);
    MemoryPort port(top, machine, read_latency, write_latency);
    Trace trace(trace_file, from, to);

    top.boot_addr_i = Machine::ram_base;
    top.rst_ni = 0;
    for (int i = 0; i < 10; i++) {
        top.clk_i = 0, top.eval();
        top.clk_i = 1, top.eval();
    }
    top.rst_ni = 1;
    uint64_t cycle = 0, instructions = 0;
    for (; !machine.stopped() && !(limit && cycle == limit) && !context.gotFinish(); cycle++) {
        machine.tick();
        top.time_irq_i = machine.timer_interrupt();
        top.ipi_i = machine.software_interrupt();
        top.irq_i = machine.external_interrupts();
        port.drive(cycle);
        top.clk_i = 0, top.eval();
        port.sample(cycle);
        instructions += (top.commit_valid & 1) + (top.commit_valid >> 1);
        trace.cycle(top, cycle);
        top.clk_i = 1, top.eval();
    }
    top.final();
    if (trace_file) fclose(trace_file);
    if (verbose)
        fprintf(stderr, "model: %llu cycles, %llu instructions\n", (unsigned long long)cycle,
                (unsigned long long)instructions);
    return machine.stopped() ? machine.status() : 124;
}
