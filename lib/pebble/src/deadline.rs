//! Calls with a deadline. Another thread of this domain makes the call: when time runs out the caller goes on, and that thread is
//! cancelled, so that the server waits for nothing more on its behalf, and ends when the server returns. So no server is ever left in
//! the middle of what it does.

use crate::sync::Semaphore;
use crate::{Error, Result, check, portal, thread};
use abi::name::Short;
use alloc::sync::Arc;
use core::sync::atomic::{AtomicIsize, Ordering};

/// What the caller and the thread that makes the call share; the last of them to leave frees it.
struct Answer {
    result: AtomicIsize,
    /// Posted once the result is there.
    given: Semaphore,
}

/// Calls portal `number` with up to six words, and waits at most `ticks` of `hrtime` for its result.
///
/// `ETIMEDOUT`: the portal has not returned after that time. What the server waits for ends with `ECANCELED` then; what it does, it
/// does to its end, for a thread of this domain that ends when it returns. Until then what windows lend it stays lent, so memory that is passed must not be used for anything
/// else: it is best a `static`, or leaked. What the portal answers with a negative word is an error as with
/// [`check`]; without a thread or a semaphore left, `ENOMEM` and the like say so and nothing was called.
///
/// It costs a thread and a semaphore more than the call. The thread has the caller's priority.
pub fn call_timed<const N: usize>(number: usize, ticks: u64, arguments: [usize; N]) -> Result<usize> {
    timed(ticks, move || portal::call(number, arguments))
}
impl portal::Import {
    /// Calls it, and goes on with `ETIMEDOUT` when `ticks` of `hrtime` are over; see
    /// [`call_timed`].
    pub fn call_timed<const N: usize>(&self, ticks: u64, arguments: [usize; N]) -> Result<usize> {
        call_timed(self.number(), ticks, arguments)
    }
}
/// Opens the portal called `name`, whose server may have a portal asked for that, and waits at most `ticks` for it. `ETIMEDOUT`: who was
/// asked has not answered by then; nothing is opened when it does.
pub fn open_timed(name: &str, ticks: u64) -> Result<usize> {
    let name = Short::name(name)?;
    timed(ticks, move || portal::call(abi::system::PORTAL_OPEN, [name.padded().as_ptr() as usize]))
}
/// Has another thread make calls, and waits at most `ticks` for what they come to, a portal's answer; as [`call_timed`]. `ETIMEDOUT`: that thread is cancelled, and goes on to
/// the end of `call`.
pub fn timed(ticks: u64, call: impl FnOnce() -> isize + Send + 'static) -> Result<usize> {
    let answer = Answer { result: AtomicIsize::new(0), given: Semaphore::new(0)? };
    let answer = Arc::try_new(answer).map_err(|_| Error::ENOMEM)?;
    let caller = Arc::clone(&answer);
    let helper = thread::spawn(None, move || {
        caller.result.store(call(), Ordering::Release);
        // It is there as long as the answer is.
        let _ = caller.given.post();
    })?;
    match answer.given.wait_for(ticks) {
        Ok(()) => check(answer.result.load(Ordering::Acquire)),
        // A wait of no ticks answers EAGAIN.
        Err(Error::EAGAIN | Error::ETIMEDOUT) => {
            // It may have ended meanwhile.
            let _ = helper.cancel();
            Err(Error::ETIMEDOUT)
        }
        Err(error) => {
            let _ = helper.cancel();
            Err(error)
        }
    }
}
