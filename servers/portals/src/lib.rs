//! The portal manager's logic: who has which portals, and what becomes of them.
//!
//! It is the only writer of portal tables and portal code, both of which it reaches through [`machine::nucleus_memory`]; what it
//! needs of the other trusted servers is in [`machine::neighbours`]. On the host a vector and a few maps stand for both. The binary
//! decodes what clients pass, calls what is in `operations`, and encodes the answer.
//!
//! A file knows of those above it in this list only:
//! 1. `machine`: the two traits.
//! 2. `state`: a type each for domains, threads, registrations, code, semaphores, sandboxes, and so on, with its own rules.
//! 3. `manager`: all of them together, and who calls.
//! 4. `operations`: what clients and neighbours ask for, a file each.
//!
//! **Lock order.** The manager has one lock. Whoever holds it may call a neighbour, which may take its own lock: the memory
//! manager's, the name server's. None of them calls the portal manager while it holds that. Code of clients (a notification routine,
//! a template's server, a handler) is called with the lock free, so that it may make portal calls: the binary's `unlocked_call`
//! is the one way there, and takes the guard. Semaphores that clients wait for are posted when the lock is free again
//! ([`state::posts`]).
#![cfg_attr(not(test), no_std)]
#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_macros))]
#![feature(allocator_api, optimize_attribute)]
// What is made without arguments is made once, in a constant.
#![allow(clippy::new_without_default)]

extern crate alloc;

pub mod machine;
pub mod manager;
#[cfg(test)]
mod mechanism;
pub mod operations;
pub mod state;

#[cfg(test)]
mod fake;
#[cfg(test)]
mod tests;

#[cfg(test)]
use fallible::failing;

/// What an operation gives, or why not.
pub type Result<T> = core::result::Result<T, abi::Error>;
