//! Threads that wait for a stack of a callee: a queue for each domain, by its number.

use crate::queue::Queue;
use abi::nucleus::MAX_DOMAINS;

pub struct Stacks([Queue; MAX_DOMAINS]);

impl Stacks {
    pub const fn new() -> Stacks {
        Stacks([Queue::EMPTY; MAX_DOMAINS])
    }
    /// Who waits for a stack of domain `asid`.
    pub fn of(&mut self, asid: usize) -> &mut Queue {
        &mut self.0[asid % MAX_DOMAINS]
    }
}
