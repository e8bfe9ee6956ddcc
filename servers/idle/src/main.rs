//! The idle thread: it starts the scheduler, and from then on runs when no other thread is ready.
//!
//! `idle::WAIT` halts the hart until an interrupt is pending, which is then taken as soon as the portal returns
//! here: whoever it wakes has a higher priority. The thread needs no stack, so the component is five instructions, which the
//! image builder puts in the return page: they may lie at any address.
#![no_std]
#![no_main]

arch::idle_program!(abi::system::idle::START, abi::system::idle::WAIT);

#[panic_handler]
fn panic(_info: &core::panic::PanicInfo) -> ! {
    // Nothing here panics.
    arch::component::stop()
}
