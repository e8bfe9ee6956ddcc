//! What `init` works out without touching the system: the archive, start blocks, restart limits, the system log.
#![cfg_attr(not(test), no_std)]

extern crate alloc;

pub mod archive;
pub mod log;
pub mod restarts;
pub mod start;
