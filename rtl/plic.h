// The platform-level interrupt controller (PLIC specification 1.0.0), as on QEMU's `virt`: context 0 is machine mode,
// context 1 supervisor mode. All sources are level-triggered.
#pragma once
#include <cstdint>

class Plic {
public:
    static const uint64_t base = 0xc000000, bytes = 0x600000;
    static const int sources = 96, contexts = 2;
    // A device's interrupt line.
    void set(int source, bool level) {
        if (lines[source] != level) {
            lines[source] = level;
            update();
        }
    }
    bool interrupt(int context) const { return highest[context] != 0; }
    uint32_t read(uint64_t offset) {
        if (offset < 4 * sources) return priority[offset / 4];
        if (offset >= 0x1000 && offset < 0x1000 + sources / 8) {
            uint32_t bits = 0;
            for (int i = 0; i < 32; i++) bits |= (uint32_t)pending((offset - 0x1000) * 8 + i) << i;
            return bits;
        }
        if (uint32_t *word = enable_word(offset)) return *word;
        for (int c = 0; c < contexts; c++) {
            if (offset == threshold_offset(c)) return threshold[c];
            if (offset == threshold_offset(c) + 4) {
                int source = highest[c];
                claimed[source] = source != 0;
                update();
                return source;
            }
        }
        return 0;
    }
    void write(uint64_t offset, uint32_t value) {
        if (offset < 4 * sources) priority[offset / 4] = value & 7;
        else if (uint32_t *word = enable_word(offset)) *word = value;
        else for (int c = 0; c < contexts; c++) {
            if (offset == threshold_offset(c)) threshold[c] = value & 7;
            // A completion of a source that is not enabled is ignored.
            if (offset == threshold_offset(c) + 4 && value < sources && enabled(c, value)) claimed[value] = false;
        }
        update();
    }

private:
    static uint64_t threshold_offset(int context) { return 0x200000 + 0x1000 * context; }
    uint32_t *enable_word(uint64_t offset) {
        if (offset < 0x2000 || offset >= 0x2000 + 0x80 * contexts || offset % 0x80 >= sources / 8) return nullptr;
        return &enable[(offset - 0x2000) / 0x80][offset % 0x80 / 4];
    }
    bool enabled(int context, int source) const { return enable[context][source / 32] >> source % 32 & 1; }
    bool pending(int source) const { return lines[source] && !claimed[source]; }
    // The pending source of the highest priority, of the lowest number among equals.
    void update() {
        for (int c = 0; c < contexts; c++) {
            highest[c] = 0;
            uint32_t most = threshold[c];
            for (int s = 1; s < sources; s++)
                if (pending(s) && enabled(c, s) && priority[s] > most) {
                    highest[c] = s;
                    most = priority[s];
                }
        }
    }
    bool lines[sources] = {}, claimed[sources] = {};
    uint32_t priority[sources] = {}, enable[contexts][sources / 32] = {}, threshold[contexts] = {};
    int highest[contexts] = {};
};
