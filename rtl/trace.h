// The trace: a line for each committed instruction, "cycle privilege pc instruction". Either of a window of cycles, or of
// what lies between two marks in the program: `slti x0, x0, 1` begins and `slti x0, x0, 2` ends, which do nothing else
// on any RISC-V hart (hints for custom use; unprivileged specification, section 2.9).
#pragma once
#include "Vbench_top.h"
#include <cstdint>
#include <cstdio>

class Trace {
public:
    Trace(FILE *file, uint64_t from, uint64_t to) : file(file), from(from), to(to) {}
    void cycle(const Vbench_top &top, uint64_t cycle) {
        if (!file || !top.commit_valid) return;
        if (top.commit_valid & 1) instruction(cycle, top.commit_privilege, top.commit_pc_0, top.commit_instruction_0);
        if (top.commit_valid & 2) instruction(cycle, top.commit_privilege, top.commit_pc_1, top.commit_instruction_1);
    }

private:
    static const uint32_t begin = 0x00102013, end = 0x00202013;
    void instruction(uint64_t cycle, int privilege, uint64_t pc, uint32_t word) {
        if (word == begin) on = true;
        if (on || (cycle >= from && cycle < to))
            fprintf(file, "%llu %c %llx %x\n", (unsigned long long)cycle, "US?M"[privilege], (unsigned long long)pc, word);
        if (word == end) on = false;
    }
    FILE *file;
    uint64_t from, to;
    bool on = false;
};
