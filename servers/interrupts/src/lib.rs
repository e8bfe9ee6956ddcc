//! The interrupt dispatcher's logic: who may attach to an interrupt, who has, and what an interrupt does.
//!
//! An interrupt is *claimed* at the controller, which then holds back the next one of that source until it is
//! *completed*. The dispatcher claims and posts the device's semaphore; the driver says `interrupt_done` when its
//! device no longer asks, and only then is the interrupt completed. So a device that keeps asking costs its own driver
//! time, and nobody else.
//!
//! Like the scheduler this is a masked domain: one entry at a time, interrupts off, no loop longer than a table. All
//! tables start as zeros: there is nothing to initialize.
#![cfg_attr(not(test), no_std)]

mod controller;
mod dispatcher;
#[cfg(test)]
mod tests;

pub use controller::{Controller, Plic, Registers};
pub use dispatcher::{Dispatcher, PERMITS, SOURCES};
