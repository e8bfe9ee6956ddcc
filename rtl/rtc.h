// The Goldfish real-time clock of QEMU's `virt`. It starts at the same moment in every run and goes by the core's cycles,
// so that runs repeat: a unit of the timer's time is 100 ns.
#pragma once
#include <cstdint>

class Rtc {
public:
    static const uint64_t base = 0x101000, bytes = 0x1000;
    static const int source = 11;
    // Units of the timer's time.
    void set_time(uint64_t time) {
        now = start + time * 100;
        if (armed && now >= alarm) {
            armed = false;
            pending = true;
        }
    }
    bool interrupt() const { return pending && enabled; }
    uint32_t read(uint64_t offset) {
        switch (offset) {
        case 0x00: high = now >> 32; return now;
        case 0x04: return high;
        case 0x08: return alarm;
        case 0x0c: return alarm >> 32;
        case 0x10: return enabled;
        case 0x18: return armed;
        default: return 0;
        }
    }
    void write(uint64_t offset, uint32_t value) {
        switch (offset) {
        case 0x00: start += (now >> 32 << 32 | value) - now; break;
        case 0x04: start += ((uint64_t)value << 32 | (uint32_t)now) - now; break;
        case 0x08: alarm = alarm_high << 32 | value; armed = true; break;
        case 0x0c: alarm_high = value; break;
        case 0x10: enabled = value & 1; break;
        case 0x14: armed = false; break;
        case 0x1c: pending = false; break;
        }
    }

private:
    uint64_t start = 1704067200ull * 1000000000;     // 2024-01-01, in nanoseconds since 1970
    uint64_t now = start, alarm = 0, alarm_high = 0;
    uint32_t high = 0;
    bool armed = false, pending = false, enabled = false;
};
