//! What the tools do to bytes and lines, without touching the system.
#![cfg_attr(not(test), no_std)]

extern crate alloc;

pub mod edit;
pub mod lines;
pub mod options;
pub mod pattern;
