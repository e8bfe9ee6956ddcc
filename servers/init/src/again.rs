//! Components that were to be started again, and for which there was no memory: a thread of its own tries it again until there is, so that who
//! watches for ends goes on.

use crate::{Running, begin_again, later, not_started, restart_parts, starting};
use alloc::vec::Vec;
use core::sync::atomic::{AtomicUsize, Ordering};
use fallible::TryPush;
use pebble::interfaces::types::{Address, SemaphoreId, Ticks};
use pebble::interfaces::{portals, scheduler};
use pebble::sync::Mutex;

/// Ticks of `hrtime` between two attempts: about a tenth of a second.
const PAUSE: usize = 50_000_000;
/// `thread.create`'s word for the caller's own priority.
const SAME_PRIORITY: usize = usize::MAX;

/// There is room for each component.
static LATER: Mutex<Vec<Running>> = Mutex::new(Vec::new());
/// Id of the semaphore that says that there is one more.
static MORE: AtomicUsize = AtomicUsize::new(0);

/// Starts the thread, for so many components. `ENOMEM`, `ENFILE`.
pub fn start(components: usize) -> pebble::Result<()> {
    LATER.lock().room_for(components)?;
    let more = scheduler::semaphore_create(0)?.0;
    // A trusted component's thread starts on its service stack, so no stack is given.
    portals::thread_create(Address(serve as *const () as usize), Address(0), more, SAME_PRIORITY)?;
    MORE.store(more, Ordering::Relaxed);
    Ok(())
}
/// Has `running` started again as soon as there is memory for it.
pub fn put(running: Running) {
    LATER.lock().push_kept(running);
    let _ = scheduler::v_id(SemaphoreId(MORE.load(Ordering::Relaxed)));
}
/// The one that has waited longest.
fn take() -> Option<Running> {
    let mut later = LATER.lock();
    if later.is_empty() { None } else { Some(later.remove(0)) }
}
extern "C" fn serve(more: usize) -> ! {
    loop {
        let waits = !LATER.lock().is_empty();
        let _ = scheduler::p_id(SemaphoreId(more), if waits { Ticks(PAUSE) } else { Ticks::FOR_EVER });
        // Each once: those that are put back wait for the next time.
        let count = LATER.lock().len();
        for _ in 0..count {
            if let Some(running) = take() {
                attempt(running);
            }
        }
    }
}
fn attempt(running: Running) {
    match starting(|| begin_again(&running)) {
        Ok(_) => restart_parts(running.component),
        Err(error) => {
            if let Some(running) = later(running, error) {
                not_started(running.component, error);
            }
        }
    }
}
