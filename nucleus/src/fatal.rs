//! The nucleus's last words: what happened in a component that the system can not do without, or in the nucleus itself.

use crate::arch::{put_byte, stop};

fn put(text: &str) {
    text.bytes().for_each(put_byte);
}
fn put_number(label: &str, value: usize) {
    put(label);
    for shift in (0..16).rev() {
        put_byte(b"0123456789abcdef"[value >> (4 * shift) & 15]);
    }
}

/// Says what happened and stops the machine. `asid` 0 is the nucleus.
#[unsafe(no_mangle)]
extern "C" fn nucleus_last_words(cause: usize, value: usize, pc: usize, asid: usize) -> ! {
    put("\npebble: the system stopped:");
    put_number(" cause 0x", cause);
    put_number(" address 0x", value);
    put_number(" pc 0x", pc);
    put_number(" domain 0x", asid);
    put("\n");
    stop()
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    nucleus_last_words(usize::MAX, 0, 0, 0)
}
