//! A masked server for the oracle's calls. It can not wait, nor have a fault answered, so it only writes down what comes to it, marks
//! the windows that it may write to, and spoils what registers it may; `app.masked.look` shows what it has written down.
#![no_std]
#![no_main]

use core::arch::global_asm;

pebble::masked_server!();
pebble::provide! {
    "app.masked.0", "smtcwi", masked_entry_0, 0x1234_5678_9abc_def0;
    "app.masked.1", "npi=ari", masked_entry_1;
    "app.masked.2", "sfWihw", masked_entry_2;
    "app.masked.3", "nmRiti", masked_entry_3;
    "app.masked.look", "smw", look;
}
/// Of each portal: a letter for each argument that is a window, and whether the server keeps the callee-saved registers.
const PORTALS: [(&[u8; 6], bool); 4] =
    [(b"..w...", true), (b"...r..", false), (b"W..w..", false), (b"R.....", true)];

const PAGE: usize = 4096;
/// What turns the caller's marks in a page's first and last byte into the server's.
const SERVERS: u8 = 0x55;

/// What the last call brought: x0 … x31, then the first and last byte of the first page of each window.
#[repr(C)]
struct Seen {
    x: [usize; 32],
    bytes: [[u8; 2]; 6],
}
#[unsafe(no_mangle)]
static mut MASKED_SEEN: Seen = Seen { x: [0; 32], bytes: [[0; 2]; 6] };

global_asm!(
    ".macro masked_entry n",
    ".globl masked_entry_\\n",
    "masked_entry_\\n:",
    "    sd   t0, -16(sp)",
    "    sd   t1, -24(sp)",
    "    li   t1, \\n",
    "    j    masked_seen",
    ".endm",
    "masked_entry 0",
    "masked_entry 1",
    "masked_entry 2",
    "masked_entry 3",
    "masked_seen:",
    "    lla  t0, MASKED_SEEN",
    "    .irp n, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
    "    sd   x\\n, 8*\\n(t0)",
    "    .endr",
    "    ld   t2, -16(sp)",
    "    sd   t2, 40(t0)",
    "    ld   t2, -24(sp)",
    "    sd   t2, 48(t0)",
    "    addi sp, sp, -48",
    "    sd   ra, 0(sp)",
    "    mv   a0, t1",
    "    lla  a1, MASKED_SEEN",
    "    call masked_served",
    "    ld   ra, 0(sp)",
    "    addi sp, sp, 48",
    // The lowest bit of the result: the caller trusts this server with callee-saved registers.
    "    li   t6, 0x5e00000000000000",
    "    .irp n, 5,6,7,11,12,13,14,15,16,17,28,29,30",
    "    addi x\\n, t6, \\n",
    "    .endr",
    "    andi t0, a0, 1",
    "    beqz t0, 1f",
    "    addi t0, t6, 5",
    "    ret",
    "1:  .irp n, 1,2,4,5,8,9,18,19,20,21,22,23,24,25,26,27",
    "    addi x\\n, t6, \\n",
    "    .endr",
    "    li   a7, 0",
    "    ecall",
);
unsafe extern "C" {
    safe fn masked_entry_0(_: usize, _: usize, _: usize, _: usize) -> isize;
    safe fn masked_entry_1(_: usize, _: usize, _: usize, _: usize, _: usize) -> isize;
    safe fn masked_entry_2(_: usize, _: usize, _: usize, _: usize) -> isize;
    safe fn masked_entry_3(_: usize, _: usize, _: usize, _: usize) -> isize;
}

#[unsafe(no_mangle)]
extern "C" fn masked_served(portal: usize, seen: &mut Seen) -> usize {
    let (letters, keeps) = PORTALS[portal];
    for (n, &letter) in letters.iter().enumerate() {
        let (at, length) = (seen.x[10 + n], if n < 5 { seen.x[11 + n] } else { 0 });
        let bytes = if letter.is_ascii_uppercase() { length } else { 1 };
        if letter == b'.' || bytes == 0 {
            continue;
        }
        let first = at / PAGE * PAGE;
        let last = (at + bytes - 1) / PAGE * PAGE;
        // SAFETY: the specification has a window there, of so many bytes, for writing where its letter is a w.
        unsafe {
            seen.bytes[n] = [*(first as *const u8), *((first + PAGE - 1) as *const u8)];
            for page in (first..=last).step_by(PAGE).filter(|_| letter.eq_ignore_ascii_case(&b'w')) {
                *(page as *mut u8) ^= SERVERS;
                *((page + PAGE - 1) as *mut u8) ^= SERVERS;
            }
        }
    }
    0xa0_0000 + 2 * portal + keeps as usize
}

extern "C" fn look(out: usize) -> isize {
    // SAFETY: the domain is masked: no other entry runs. The caller's buffer lies in one page.
    unsafe { (out as *mut Seen).copy_from_nonoverlapping(&raw const MASKED_SEEN, 1) };
    0
}
