//! The host's keeper: a thread of its own, which takes out what has ended, and ends what takes too long. And who answers faults in extensions.

use crate::activation::is_faulted;
use crate::registry;
use crate::state::Why;
use crate::wake::WAKE;
use abi::Error;
use core::sync::atomic::Ordering::SeqCst;
use pebble::sync::Semaphore;
use pebble::{faults, thread};

/// Ticks of `hrtime` from one look at activations to the next, at most.
const LOOK: u64 = 2_500_000;

/// Has faults in extensions answered, and begins to keep: once, before anything is linked in. `name` is for the system, which knows what answers by it for a moment.
/// The keeper runs by `priority`: it comes in time where that is above those of the threads that raise events.
///
/// # Errors
/// `ENOMEM`, `ENFILE`: there is no thread, stack or semaphore for it. `ENOTSUP`: the thread register has not the thread's number, as in trusted components, in
/// fault domains and in copies of a domain.
pub fn start(name: &str, priority: Option<u8>) -> Result<(), Error> {
    if arch::component::thread_register() != thread::index() {
        return Err(Error::ENOTSUP);
    }
    faults::answer_by(name, faulted)?;
    let woken = Semaphore::new(0)?;
    let portal = woken.number() + 1;
    thread::spawn(priority, move || keep(&woken))?;
    WAKE.store(portal, SeqCst);
    Ok(())
}
/// A fault of this domain's: one in the text of the extension that the thread is in ends its activation; any other is the host's own.
extern "C" fn faulted(_asid: usize, _cause: usize, address: usize, pc: usize) -> isize {
    if is_faulted(address, pc) {
        arch::activation::faulted_landing::<{ Why::Fault as usize }>() as isize
    } else {
        Error::EFAULT.code()
    }
}
fn keep(woken: &Semaphore) {
    while woken.wait().is_ok() {
        while is_at_work() {
            let _ = woken.wait_for(LOOK);
        }
    }
}
/// One look at everything; whether another is needed. While it is so, extensions are entered the quick way.
fn is_at_work() -> bool {
    registry::watch(true);
    let look = || registry::look(pebble::time::time);
    if registry::collect() | look() {
        return true;
    }
    registry::watch(false);
    // One that has begun in between has not woken anybody.
    look()
}
