//! The web console, free of portals: who may see what, what a request asks for, and what is said of the system. So the host tests it.
#![cfg_attr(not(test), no_std)]

extern crate alloc;

pub mod access;
pub mod page;
pub mod report;
pub mod route;

pub use access::Token;
pub use route::{Asked, Change};
