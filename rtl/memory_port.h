// The core's AXI4 port, with atomic operations (AXI5), in front of the machine: every access is answered a fixed number
// of cycles after it was asked for, one beat a cycle, in order.
#pragma once
#include "Vbench_top.h"
#include "machine.h"
#include <cstdint>
#include <deque>

class MemoryPort {
public:
    MemoryPort(Vbench_top &top, Machine &machine, uint64_t read_latency, uint64_t write_latency)
        : top(top), machine(machine), read_latency(read_latency), write_latency(write_latency) {}

    // Before the clock's rising edge: drives the answers of this cycle.
    void drive(uint64_t cycle) {
        top.ar_ready = 1;
        top.aw_ready = !writing;
        top.w_ready = writing;
        top.r_valid = !reads.empty() && reads.front().due <= cycle;
        if (top.r_valid) {
            const Read &read = reads.front();
            top.r_id = read.id;
            top.r_data = read.data;
            top.r_resp = read.response;
            top.r_last = read.last;
        }
        top.b_valid = !writes.empty() && writes.front().due <= cycle;
        if (top.b_valid) {
            top.b_id = writes.front().id;
            top.b_resp = writes.front().response;
        }
    }
    // At the edge, once the core's outputs have settled: takes what both sides have agreed on.
    void sample(uint64_t cycle) {
        if (top.r_valid && top.r_ready) reads.pop_front();
        if (top.b_valid && top.b_ready) writes.pop_front();
        if (top.ar_valid) take_read(cycle);
        bool address = top.aw_valid && !writing;
        if (top.w_valid && writing) take_data(cycle);
        if (address) {
            writing = true;
            write_address = top.aw_addr;
            write_id = top.aw_id;
            operation = top.aw_atop;
            write_size = 1u << top.aw_size;
            exclusive = top.aw_lock;
        }
    }

private:
    enum Response { OKAY = 0, EXCLUSIVE_OKAY = 1, SLAVE_ERROR = 2 };
    struct Read { uint64_t due; uint8_t id; uint64_t data; uint8_t response; bool last; };
    struct Written { uint64_t due; uint8_t id; uint8_t response; };
    static const uint64_t nothing = ~0ull;

    uint64_t next_read(uint64_t cycle) const {
        uint64_t due = cycle + read_latency;
        return !reads.empty() && reads.back().due >= due ? reads.back().due + 1 : due;
    }
    void take_read(uint64_t cycle) {
        unsigned beats = top.ar_len + 1, size = 1u << top.ar_size;
        uint64_t address = top.ar_addr, bytes = size * beats, first = address & ~(bytes - 1), due = next_read(cycle);
        uint8_t response = !machine.exists(address) ? SLAVE_ERROR : top.ar_lock ? EXCLUSIVE_OKAY : OKAY;
        if (top.ar_lock) reserved = address & ~7ull;
        for (unsigned i = 0; i < beats; i++) {
            uint64_t data = response == SLAVE_ERROR ? 0 : machine.read(address, size);
            reads.push_back({due + i, (uint8_t)top.ar_id, data, response, i == beats - 1});
            address += size;
            if (top.ar_burst == 2 && address >= first + bytes) address = first;     // wraps
        }
    }
    void take_data(uint64_t cycle) {
        uint8_t response = OKAY;
        if (!machine.exists(write_address)) response = SLAVE_ERROR;
        else if (operation) {
            uint64_t old = machine.read(write_address, write_size);
            machine.write(write_address, atomic(old), top.w_strb);
            reads.push_back({next_read(cycle), write_id, old, OKAY, true});
        } else {
            bool held = (write_address & ~7ull) == reserved;
            if (held || exclusive) reserved = nothing;
            if (held || !exclusive) machine.write(write_address, top.w_data, top.w_strb);
            if (held && exclusive) response = EXCLUSIVE_OKAY;
        }
        write_address += 8;
        if (top.w_last) {
            writing = false;
            writes.push_back({cycle + write_latency, write_id, response});
        }
    }
    // The result of an atomic operation (AXI5 specification, table E1-3) on the lanes of `old`.
    uint64_t atomic(uint64_t old) const {
        int shift = write_size == 8 ? 0 : (write_address & 4) * 8;
        uint64_t mask = write_size == 8 ? ~0ull : 0xffffffff;
        uint64_t o = old >> shift & mask, x = top.w_data >> shift & mask, result = 0;
        int64_t so = write_size == 8 ? (int64_t)o : (int32_t)o, sx = write_size == 8 ? (int64_t)x : (int32_t)x;
        if (operation == 0x30) result = x;
        else switch (operation & 7) {
            case 0: result = o + x; break;
            case 1: result = o & ~x; break;
            case 2: result = o ^ x; break;
            case 3: result = o | x; break;
            case 4: result = so > sx ? o : x; break;
            case 5: result = so < sx ? o : x; break;
            case 6: result = o > x ? o : x; break;
            case 7: result = o < x ? o : x; break;
        }
        return (result & mask) << shift;
    }
    Vbench_top &top;
    Machine &machine;
    uint64_t read_latency, write_latency;
    std::deque<Read> reads;
    std::deque<Written> writes;
    // A write whose data are to come.
    bool writing = false, exclusive = false;
    uint64_t write_address = 0, reserved = nothing;
    uint8_t write_id = 0, operation = 0;
    unsigned write_size = 8;
};
