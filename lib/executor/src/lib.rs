//! Embassy's executor on a thread of a component. Its tasks share the thread and await what wakes them: a portal call that
//! [`pebble::future`] has another thread make, a time, each other. While none is ready the thread waits for a semaphore.
#![no_std]

pub use embassy_executor::{SpawnError, SpawnToken, Spawner, task};

use embassy_executor::raw;
use pebble::sync::Semaphore;

/// What the executor calls when a task is woken, from any thread: `context` is the number of its semaphore.
#[unsafe(export_name = "__pender")]
fn pender(context: *mut ()) {
    // The semaphore is never destroyed. More posts than wakes do no harm.
    pebble::portal::call(context as usize + 1, []);
}
/// Runs the tasks that `first` spawns, and those that they spawn, on this thread for good. An error says that there is no memory, or no
/// semaphore, and nothing has run then; or that the thread was canceled.
pub fn run(first: impl FnOnce(Spawner)) -> pebble::Error {
    let start = || {
        let woken = Semaphore::new(0)?;
        let executor = fallible::boxed(raw::Executor::new(woken.number() as *mut ()))?;
        Ok((woken, executor))
    };
    let (woken, executor) = match start() {
        Ok(both) => both,
        Err(error) => return error,
    };
    // Tasks keep references to the executor, and who wakes them its semaphore's number, when this thread was canceled, too.
    let woken = core::mem::ManuallyDrop::new(woken);
    let executor = alloc::boxed::Box::leak(executor);
    first(executor.spawner());
    loop {
        // SAFETY: this thread alone polls it, and not from within a task.
        unsafe { executor.poll() };
        if let Err(error) = woken.wait() {
            return error;
        }
    }
}
extern crate alloc;
