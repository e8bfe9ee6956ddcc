// What the core reaches by physical addresses: RAM, which is a file, and the devices, where QEMU's `virt` has them.
#pragma once
#include "clint.h"
#include "plic.h"
#include "rtc.h"
#include "uart.h"
#include <cstdint>
#include <cstring>

class Machine {
public:
    static const uint64_t ram_base = 0x80000000;
    // SiFive's test device: stops the machine (hw/misc/sifive_test.c in QEMU).
    static const uint64_t power = 0x100000;
    Machine(uint8_t *ram, uint64_t ram_bytes, uint64_t cycles_per_time)
        : clint(cycles_per_time), ram(ram), ram_bytes(ram_bytes) {}

    // A core cycle has passed.
    void tick() { clint.tick(); }
    bool timer_interrupt() const { return clint.timer_interrupt(); }
    bool software_interrupt() const { return clint.software_interrupt(); }
    // Bit 0 for machine mode, bit 1 for supervisor mode.
    int external_interrupts() {
        rtc.set_time(clint.now());
        plic.set(Rtc::source, rtc.interrupt());
        plic.set(Uart::source, uart.interrupt());
        return plic.interrupt(0) | plic.interrupt(1) << 1;
    }
    bool stopped() const { return stop; }
    int status() const { return code; }

    bool is_ram(uint64_t address) const { return address >= ram_base && address - ram_base <= ram_bytes - 8; }
    bool exists(uint64_t address) const { return is_ram(address) || address < ram_base; }
    // Reads `size` bytes; they come in their lanes of the eight bytes at `address`.
    uint64_t read(uint64_t address, unsigned size) {
        uint64_t lanes = address & ~7ull, value = 0;
        if (is_ram(lanes)) {
            memcpy(&value, ram + (lanes - ram_base), 8);
            return value;
        }
        if (size == 1) return (uint64_t)read_byte(address) << address % 8 * 8;
        address &= ~3ull;
        if (size <= 4) return (uint64_t)read_word(address) << address % 8 * 8;
        value = read_word(lanes);
        return value | (uint64_t)read_word(lanes + 4) << 32;
    }
    // Writes the bytes of `value` whose bit is set in `lanes`, at the eight bytes around `address`.
    void write(uint64_t address, uint64_t value, uint8_t lanes) {
        address &= ~7ull;
        if (is_ram(address)) {
            for (int i = 0; i < 8; i++)
                if (lanes >> i & 1) ram[address - ram_base + i] = value >> 8 * i;
            return;
        }
        for (int half = 0; half < 8; half += 4) {
            uint8_t bytes = lanes >> half & 15;
            if (bytes == 15) write_word(address + half, value >> 8 * half);
            else
                for (int i = half; i < half + 4; i++)
                    if (lanes >> i & 1) write_byte(address + i, value >> 8 * i);
        }
    }

private:
    template <class Device> static bool in(uint64_t address) {
        return address >= Device::base && address - Device::base < Device::bytes;
    }
    uint8_t read_byte(uint64_t address) {
        return in<Uart>(address) ? uart.read(address - Uart::base) : read_word(address & ~3ull) >> address % 4 * 8;
    }
    void write_byte(uint64_t address, uint8_t value) {
        if (in<Uart>(address)) uart.write(address - Uart::base, value);
    }
    uint32_t read_word(uint64_t address) {
        if (in<Clint>(address)) return clint.read(address - Clint::base);
        if (in<Plic>(address)) return plic.read(address - Plic::base);
        if (in<Rtc>(address)) return rtc.read(address - Rtc::base);
        return in<Uart>(address) ? uart.read(address - Uart::base) : 0;
    }
    void write_word(uint64_t address, uint32_t value) {
        if (in<Clint>(address)) clint.write(address - Clint::base, value);
        else if (in<Plic>(address)) plic.write(address - Plic::base, value);
        else if (in<Rtc>(address)) rtc.write(address - Rtc::base, value);
        else if (in<Uart>(address)) uart.write(address - Uart::base, value);
        else if (address == power && (value & 0xffff) == 0x5555) stop = true;
        else if (address == power && (value & 0xffff) == 0x3333) {
            stop = true;
            code = value >> 16 & 0xff;
        }
    }
    Clint clint;
    Plic plic;
    Rtc rtc;
    Uart uart;
    uint8_t *ram;
    uint64_t ram_bytes;
    bool stop = false;
    int code = 0;
};
