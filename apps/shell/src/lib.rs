//! What the shell works out without touching the system: keys, the line that is edited, the command language, completion, what is
//! said of an end, and of traced calls.
#![cfg_attr(not(test), no_std)]

extern crate alloc;

pub mod commands;
pub mod date;
pub mod end_status;
pub mod expand;
pub mod history;
pub mod keys;
pub mod line;
pub mod syntax;
pub mod trace;
