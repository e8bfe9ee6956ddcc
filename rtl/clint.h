// The core-local interruptor (SiFive's, as on QEMU's `virt`): the software interrupt, and the timer. The time goes on by
// one in a fixed number of core cycles.
#pragma once
#include <cstdint>

class Clint {
public:
    static const uint64_t base = 0x2000000, bytes = 0x10000;
    explicit Clint(uint64_t cycles_per_time) : cycles_per_time(cycles_per_time) {}
    void tick() {
        if (++cycles == cycles_per_time) {
            cycles = 0;
            time++;
        }
    }
    bool timer_interrupt() const { return time >= compare; }
    bool software_interrupt() const { return software; }
    uint64_t now() const { return time; }
    // Offsets and values of words of 4 bytes: 8-byte accesses come as two.
    uint32_t read(uint64_t offset) const {
        switch (offset) {
        case 0: return software;
        case 0x4000: return compare;
        case 0x4004: return compare >> 32;
        case 0xbff8: return time;
        case 0xbffc: return time >> 32;
        default: return 0;
        }
    }
    void write(uint64_t offset, uint32_t value) {
        switch (offset) {
        case 0: software = value & 1; break;
        case 0x4000: compare = compare >> 32 << 32 | value; break;
        case 0x4004: compare = (compare & 0xffffffff) | (uint64_t)value << 32; break;
        }
    }

private:
    uint64_t cycles_per_time, cycles = 0, time = 0, compare = ~0ull;
    bool software = false;
};
