//! TCP/IP, free of portals and hardware, so that the host tests it: sockets and their limits, what is ready, who is to be woken.
#![cfg_attr(not(test), no_std)]

extern crate alloc;

pub mod address;
pub mod checksum;
pub mod limits;
pub mod link;
pub mod socket;
pub mod stack;
mod table;

pub use link::{Card, Link};
pub use socket::{Kind, Slot};
pub use stack::{Given, Owner, Stack, Waiter};
