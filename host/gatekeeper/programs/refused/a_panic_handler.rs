//! ATTR, NAME, TIME: the component's own.
#![no_std]
#[panic_handler]
fn ends(_: &core::panic::PanicInfo) -> ! {
    loop {}
}
