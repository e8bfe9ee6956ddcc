//! The scheduler's logic: threads, priorities, semaphores, sleep.
//!
//! The scheduler is a masked domain: interrupts are off while it runs, on one stack, and every entry runs from the top
//! of that stack to its end. An entry ends in a [`Decision`]: either the running thread goes on with a result, or
//! another thread does, with the result that its own pending call was promised. So nothing here locks, and nothing
//! lives on the stack across a switch. The binary (`main.rs`) adds the portals and the hardware behind [`Machine`];
//! nothing in this library touches either, and the host tests all of it.
//!
//! All tables are fixed and start as zeros. Of those with a record for each thread, the pages are there up to the highest
//! index that a thread has had: who makes a thread of a higher one sees to that first.
#![cfg_attr(not(test), no_std)]

mod locks;
mod machine;
#[cfg(test)]
mod model;
mod processor;
mod queue;
mod ready;
mod ring;
mod scheduler;
mod semaphores;
mod sleepers;
mod stacks;
#[cfg(test)]
mod tests;
mod threads;
mod time;

pub use locks::MOST as LOCKS;
pub use machine::Machine;
pub use scheduler::{Decision, Scheduler};
pub use semaphores::{SEMAPHORES, Semaphore, VALUE_MAX};
pub use threads::{IDLE, PRIORITIES, State, Thread};
pub use time::{NEVER, SLICE};
