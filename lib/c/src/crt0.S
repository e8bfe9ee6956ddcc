# Start of a C component. a0 = the start block, at the top of the main stack (lib/abi/src/start.rs). The main thread's
# thread-local variables go below it.

    .section .text.start, "ax"
    .globl _start
_start:
    mv      s0, a0
    lla     t0, tls_bytes
    ld      t0, 0(t0)
    sub     sp, sp, t0
    andi    sp, sp, -64
    mv      a0, sp
    call    __pebble_tls
    mv      tp, a0
    mv      a0, s0
    call    __pebble_start
    unimp
    .balign 8
tls_bytes:
    .dword  __tls_size
