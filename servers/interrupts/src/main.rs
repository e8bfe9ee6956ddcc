//! The interrupt dispatcher's portals, and the controller's registers.
//!
//! The manifest marks this component `trusted = true, masked = true` and gives it the interrupt controller as its
//! device 0. It has no thread of its own: the image builder registers what is provided here. An interrupt that somebody is
//! attached to is passed on by a jump to `scheduler.interrupt`, which does not come back: the scheduler returns to
//! the interrupted code, or goes on with another thread.
#![no_std]
#![no_main]

use arch::Masked;
use interrupts::{Dispatcher, Plic, Registers};
use pebble::interfaces::types::{DomainNumber, SemaphoreId};

pebble::import! {
    POST = "scheduler.interrupt";
}
pebble::masked_server!();
pebble::serve! { interrupts { dispatch, permit, attach_for, done_for, forget } }

/// The controller's registers.
struct Device;
impl Registers for Device {
    #[inline(always)]
    fn read(&self, offset: usize) -> u32 {
        // SAFETY: the image builder maps the controller at this address; `Plic` stays inside its registers.
        unsafe { ((abi::address::DEVICE_VA + offset) as *const u32).read_volatile() }
    }
    #[inline(always)]
    fn write(&mut self, offset: usize, value: u32) {
        // SAFETY: as above.
        unsafe { ((abi::address::DEVICE_VA + offset) as *mut u32).write_volatile(value) }
    }
}

/// The one dispatcher, of the one controller.
static DISPATCHER: Masked<Dispatcher<Plic<Device>>> = Masked::new(Dispatcher::new(Plic(Device)));

#[inline(always)]
fn enter<R>(entry: impl FnOnce(&mut Dispatcher<Plic<Device>>) -> R) -> R {
    // SAFETY: the domain is masked: an entry runs to its end before the next one begins, and none calls another.
    unsafe { DISPATCHER.enter(entry) }
}
fn result(result: Result<(), abi::Error>) -> isize {
    match result {
        Ok(()) => 0,
        Err(error) => error.code(),
    }
}

extern "C" fn dispatch() -> isize {
    match enter(|dispatcher| dispatcher.dispatch()) {
        0 => 0,
        // SAFETY: a jump: the callee returns to the interrupted code, not here.
        semaphore => unsafe { arch::component::leave(POST.number(), [semaphore as usize]) },
    }
}
extern "C" fn permit(domain: DomainNumber, device: usize, interrupt: usize) -> isize {
    result(enter(|dispatcher| dispatcher.permit(domain.0, device, interrupt)))
}
extern "C" fn attach_for(domain: DomainNumber, device: usize, semaphore: SemaphoreId) -> isize {
    result(enter(|dispatcher| dispatcher.attach(domain.0, device, semaphore.0)))
}
extern "C" fn done_for(domain: DomainNumber, device: usize) -> isize {
    result(enter(|dispatcher| dispatcher.done(domain.0, device)))
}
extern "C" fn forget(domain: DomainNumber) -> isize {
    enter(|dispatcher| dispatcher.forget(domain.0));
    0
}
