//! The signals that a component takes from outside: which, those that wait for it, and who is to be woken for one.

use abi::Error;

/// Signals are numbered from 1; a set has bit n for number n.
const MOST: usize = u64::BITS as usize - 1;

#[derive(Default)]
pub struct Signals {
    taken: u64,
    pending: u64,
    /// The semaphore of the thread that waits.
    waiter: Option<usize>,
}
impl Signals {
    /// From now on these are taken. Those that wait stay: they were taken when they were sent.
    pub fn take(&mut self, signals: u64) {
        self.taken = signals;
    }
    /// One is sent: the semaphore to be posted for it, if somebody waits. `None`: it is not taken.
    pub fn send(&mut self, signal: usize) -> Option<Option<usize>> {
        let bit = (1..=MOST).contains(&signal).then(|| 1 << signal)?;
        (self.taken & bit != 0).then(|| self.pending |= bit)?;
        Some(self.waiter)
    }
    /// The lowest one that waits, for the thread whose semaphore is `own`; `None`: it is to wait, and to ask again. `EBUSY`: another waits.
    pub fn next(&mut self, own: usize) -> Result<Option<usize>, Error> {
        if self.waiter.is_some_and(|waiter| waiter != own) {
            return Err(Error::EBUSY);
        }
        let signal = (self.pending != 0).then_some(self.pending.trailing_zeros() as usize);
        self.pending &= self.pending.wrapping_sub(1);
        self.waiter = if signal.is_some() { None } else { Some(own) };
        Ok(signal)
    }
    /// The thread whose semaphore is `own` waits no more.
    pub fn leave(&mut self, own: usize) {
        self.waiter = self.waiter.filter(|waiter| *waiter != own);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_taken_is_refused() {
        let mut signals = Signals::default();
        assert_eq!(signals.send(2), None);
        signals.take(1 << 2);
        assert_eq!((signals.send(2), signals.send(15), signals.send(0)), (Some(None), None, None));
        assert_eq!((signals.send(64), signals.send(usize::MAX)), (None, None));
    }
    #[test]
    fn who_waits_is_woken_and_gets_each_once() {
        let mut signals = Signals::default();
        signals.take(u64::MAX);
        assert_eq!(signals.next(7), Ok(None));
        assert_eq!((signals.send(15), signals.send(2), signals.send(2)), (Some(Some(7)), Some(Some(7)), Some(Some(7))));
        assert_eq!((signals.next(7), signals.next(7), signals.next(7)), (Ok(Some(2)), Ok(Some(15)), Ok(None)));
    }
    #[test]
    fn one_that_was_sent_before_it_was_given_up_still_comes() {
        let mut signals = Signals::default();
        signals.take(1 << 63);
        signals.send(63).unwrap();
        signals.take(0);
        assert_eq!(signals.next(1), Ok(Some(63)));
    }
    #[test]
    fn ebusy_where_another_thread_waits() {
        let mut signals = Signals::default();
        assert_eq!(signals.next(1), Ok(None));
        assert_eq!(signals.next(2), Err(Error::EBUSY));
        signals.leave(2);
        assert_eq!(signals.next(2), Err(Error::EBUSY));
        signals.leave(1);
        assert_eq!(signals.next(2), Ok(None));
    }
}
