//! What `init` works out without touching the system: the archive, start blocks, restarts, the system log, signals, places of
//! what waits to be started, what is said of an end, images that were handed over.
#![cfg_attr(not(test), no_std)]
#![feature(allocator_api)]
#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_macros))]

extern crate alloc;

pub mod archive;
pub mod disk;
pub mod end_report;
pub mod line;
pub mod log;
pub mod memory;
pub mod places;
pub mod restarts;
pub mod signals;
pub mod start;
pub mod updates;
