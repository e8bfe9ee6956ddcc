//! Signals from outside: a component says which it takes, and one thread of it waits for them; who may send them is told whether it does.
//! What becomes of one that is not taken is the sender's matter.

use crate::with;
use abi::Error;
use pebble::interfaces::types::Identity;
use pebble::sync::Semaphore;

/// From now on `domain` takes the signals whose bits are set. `EACCESS`: it is no component that init has started.
pub extern "C" fn take(domain: Identity, signals: usize) -> isize {
    let taken = with(|init| init.running(domain).map(|running| running.signals.take(signals as u64)));
    taken.flatten().map_or(Error::EACCESS.code(), |()| 0)
}
/// Waits for a signal for `domain`: its number. `EACCESS` as of [`take`]; `EBUSY`: another thread of it waits; `ECANCELED`.
pub extern "C" fn next(domain: Identity) -> isize {
    // This thread's own: it is there as long as somebody may post it.
    let Ok(semaphore) = Semaphore::new(0) else { return Error::ENOMEM.code() };
    let own = semaphore.number();
    loop {
        let next = with(|init| init.running(domain).map(|running| running.signals.next(own))).flatten();
        match next {
            Some(Ok(Some(signal))) => return signal as isize,
            Some(Ok(None)) => {}
            Some(Err(error)) => return error.code(),
            None => return Error::EACCESS.code(),
        }
        if let Err(error) = semaphore.wait() {
            // The place may have become another's, who has another semaphore.
            with(|init| init.running(domain).map(|running| running.signals.leave(own)));
            return error.code();
        }
    }
}
/// Sends `domain`, the main component's where it is 0, a signal. `ESRCH`: it does not take that one.
pub extern "C" fn send(domain: Identity, signal: usize) -> isize {
    let sent = with(|init| {
        let running = match domain {
            Identity(0) => init.running.iter_mut().find(|running| running.component.main),
            // A program in C knows a child by a number, which is that one's until it has waited for its end.
            Identity(number) if number == domain.number().0 => {
                init.running.iter_mut().find(|running| running.domain.number() == number)
            }
            _ => init.running(domain),
        };
        let waiter = running?.signals.send(signal)?;
        // Under the lock: it is there until who waits has said that it does no more.
        waiter.map(|semaphore| pebble::portal::call(semaphore + 1, []));
        Some(())
    });
    sent.flatten().map_or(Error::ESRCH.code(), |()| 0)
}
