//! Semaphores that are to be posted once the manager's lock is free: who waits for one needs the lock next.
//!
//! There is room for a few. Where that is used up a semaphore is posted at once, and who waited for it waits for the lock: a post
//! must need no memory, because what ends asks for it.

use crate::machine::neighbours::Neighbours;

/// How many can be put off.
const MOST: usize = 32;

#[derive(Clone, Copy)]
pub struct Posts {
    semaphores: [u32; MOST],
    count: usize,
}
impl Posts {
    pub const NONE: Posts = Posts { semaphores: [0; MOST], count: 0 };
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
    /// Has `semaphore`, by the scheduler's number, posted.
    pub fn push(&mut self, scheduler: impl Neighbours, semaphore: usize) {
        match self.semaphores.get_mut(self.count) {
            Some(place) => {
                *place = semaphore as u32;
                self.count += 1;
            }
            None => {
                scheduler.semaphore_v(semaphore);
            }
        }
    }
    /// Posts all of them.
    pub fn make(self, scheduler: impl Neighbours) {
        for &semaphore in &self.semaphores[..self.count] {
            scheduler.semaphore_v(semaphore as usize);
        }
    }
}
impl Default for Posts {
    fn default() -> Posts {
        Posts::NONE
    }
}
