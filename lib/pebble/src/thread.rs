//! Threads and domains.

use abi::system::{self, Ended};
use alloc::boxed::Box;

/// The number of this domain.
pub fn asid() -> usize {
    crate::portal::call(system::GET_ASID, []) as usize
}
/// The index of this thread.
pub fn index() -> usize {
    crate::portal::call(system::GET_THREAD, []) as usize
}
/// Lets the next ready thread of the same priority run.
pub fn yield_now() {
    crate::portal::call(system::YIELD, []);
}
/// Ends this thread.
pub fn exit() -> ! {
    loop {
        crate::portal::call(system::THREAD_EXIT, []);
    }
}
/// Ends this domain.
pub fn exit_domain(status: i32) -> ! {
    loop {
        crate::portal::call(system::EXIT, [status as usize]);
    }
}
/// A thread that was started by [`spawn`].
pub struct JoinHandle(usize);
impl JoinHandle {
    /// Waits until it has ended.
    pub fn join(self) -> crate::Result<()> {
        crate::check(crate::portal::call(system::THREAD_JOIN, [self.0])).map(|_| ())
    }
    /// Ends what it waits for, here or in a server, with `ECANCELED`, and so whatever it waits for later. `ESRCH`: it has ended.
    pub fn cancel(&self) -> crate::Result<()> {
        crate::check(crate::portal::call(system::THREAD_CANCEL, [self.0])).map(|_| ())
    }
    /// Its id.
    pub fn id(&self) -> usize {
        self.0
    }
}
extern "C" fn run(closure: *mut Box<dyn FnOnce() + Send>) -> ! {
    // SAFETY: `spawn` made it with `Box::into_raw` for this one call.
    let closure = unsafe { Box::from_raw(closure) };
    closure();
    exit()
}
/// Starts a thread in this domain at `priority` (0…63, not above the manifest's; `None`: the caller's own). `ENOMEM`, `ENFILE`: there is
/// no memory for it, or there are too many.
pub fn spawn(priority: Option<u8>, closure: impl FnOnce() + Send + 'static) -> crate::Result<JoinHandle> {
    let boxed: Box<dyn FnOnce() + Send> = fallible::boxed(closure)?;
    let argument = Box::into_raw(fallible::boxed(boxed)?);
    let priority = priority.map_or(usize::MAX, usize::from);
    let start = |stack| {
        let entry = run as *const () as usize;
        crate::check(crate::portal::call(system::THREAD_CREATE, [entry, stack, argument as usize, priority]))
    };
    let stack = crate::check(crate::portal::call(system::STACK, [abi::address::THREAD_STACK]));
    stack.and_then(start).map(JoinHandle).inspect_err(|_| {
        // SAFETY: the thread was not made, so nobody else will take the closure.
        drop(unsafe { Box::from_raw(argument) });
    })
}
/// Waits until the child domain `asid` ends.
pub fn wait_domain(asid: usize) -> crate::Result<Ended> {
    let mut ended = Ended::default();
    crate::check(crate::portal::call(system::DOMAIN_WAIT, [asid, &raw mut ended as usize]))?;
    Ok(ended)
}
