//! Ends that `init` has not heard of.

use abi::system::Ended;
use alloc::collections::VecDeque;

pub struct Events {
    /// For the end of each living domain there is room.
    pub queue: VecDeque<Ended>,
    /// Semaphore that counts them, by the scheduler's number.
    pub semaphore: usize,
}
impl Events {
    pub const fn new() -> Events {
        Events { queue: VecDeque::new(), semaphore: 0 }
    }
}
