//! Calls to the SBI firmware, for the nucleus's last words.

use core::arch::asm;

/// Calls `extension` with `a0`; legacy extensions need no function number.
fn call(extension: usize, a0: usize) {
    // SAFETY: the firmware keeps all registers but a0 and a1 (SBI specification, chapter 3).
    unsafe { asm!("ecall", in("a7") extension, inlateout("a0") a0 => _, lateout("a1") _, in("a6") 0) }
}
/// Writes a byte to the firmware's console.
pub fn put_byte(byte: u8) {
    call(1, byte as usize);
}
/// Stops the machine.
pub fn stop() -> ! {
    loop {
        call(8, 0);
    }
}
