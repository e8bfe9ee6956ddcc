//! Who waits for a socket.

use crate::limits::WAITERS;
use abi::internet::event;

const _: () = assert!(WAITERS <= u64::BITS as usize);

/// The seats of threads that wait for a socket: until it can be read, until it can be written, and all of them.
#[derive(Clone, Copy, Default)]
pub struct Seats {
    read: u64,
    write: u64,
    all: u64,
}
impl Seats {
    pub fn take(&mut self, seat: u64, wanted: u32) {
        self.all |= seat;
        self.read |= if wanted & event::READ != 0 { seat } else { 0 };
        self.write |= if wanted & event::WRITE != 0 { seat } else { 0 };
    }
    pub fn leave(&mut self, seat: u64) {
        (self.read, self.write, self.all) = (self.read & !seat, self.write & !seat, self.all & !seat);
    }
    /// All of them.
    pub fn all(&self) -> u64 {
        self.all
    }
    /// Whom these events wake.
    pub fn woken(&self, ready: u32) -> u64 {
        let of = |bits: u32, seats: u64| if ready & bits != 0 { seats } else { 0 };
        of(event::READ, self.read) | of(event::WRITE, self.write) | of(event::CLOSED | event::INVALID, self.all)
    }
}
