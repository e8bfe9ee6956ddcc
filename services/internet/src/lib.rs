//! TCP/IP, free of portals and hardware, so that the host tests it: sockets and their limits, what is ready, who is to be woken. Each of its
//! allocations may fail (`clippy.toml`).
#![cfg_attr(not(test), no_std)]
#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_macros))]

extern crate alloc;

pub mod address;
mod buffers;
pub mod checksum;
mod ends;
mod generator;
pub mod limits;
pub mod link;
pub mod names;
mod numbers;
pub mod pace;
mod refusal;
mod seats;
pub mod socket;
pub mod stack;
mod table;

pub use link::{Card, Link};
pub use numbers::Secret;
pub use socket::{Kind, Slot};
pub use stack::{Given, Interests, Owner, Stack, Waiter};
