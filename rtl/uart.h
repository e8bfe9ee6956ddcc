// A 16550 (National Semiconductor PC16550D data sheet, section 8) that prints to standard output. What is sent has left
// at once, and nothing is ever received.
#pragma once
#include <cstdint>
#include <cstdio>

class Uart {
public:
    static const uint64_t base = 0x10000000, bytes = 0x100;
    static const int source = 10;
    bool interrupt() const { return emptied && interrupts & 2; }
    uint8_t read(uint64_t offset) {
        if (offset == 0 || offset == 1) {
            if (line_control & 0x80) return divisor[offset];
            return offset == 0 ? 0 : interrupts;
        }
        switch (offset) {
        case 2: {
            uint8_t fifos = fifo_control & 1 ? 0xc0 : 0;
            if (!interrupt()) return fifos | 1;
            emptied = false;
            return fifos | 2;
        }
        case 3: return line_control;
        case 4: return modem_control;
        case 5: return 0x60;     // transmitter empty
        case 6: return 0xb0;     // carrier, data set ready, clear to send
        case 7: return scratch;
        default: return 0;
        }
    }
    void write(uint64_t offset, uint8_t value) {
        if (offset <= 1 && line_control & 0x80) {
            divisor[offset] = value;
            return;
        }
        switch (offset) {
        case 0:
            putchar(value);
            fflush(stdout);
            emptied = true;
            break;
        case 1:
            // To turn the interrupt on is to be told that the transmitter is empty.
            if (value & ~interrupts & 2) emptied = true;
            interrupts = value & 15;
            break;
        case 2: fifo_control = value; break;
        case 3: line_control = value; break;
        case 4: modem_control = value; break;
        case 7: scratch = value; break;
        }
    }

private:
    // The transmitter has become empty, and nobody has read so.
    bool emptied = false;
    uint8_t interrupts = 0, fifo_control = 0, line_control = 0, modem_control = 0, scratch = 0, divisor[2] = {};
};
