//! ATTR: a limit of the compiler is raised.
#![no_std]
#![recursion_limit = "4096"]
pub fn nothing() {}
