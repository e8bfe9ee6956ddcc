//! The portal manager's logic: who has which portals, and what becomes of them.
#![cfg_attr(not(test), no_std)]
#![cfg_attr(test, feature(alloc_error_hook))]
#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_macros))]
#![feature(allocator_api, optimize_attribute)]
// What is made without arguments is made once, in a constant.
#![allow(clippy::new_without_default)]

extern crate alloc;

pub mod accounts;
pub mod cancellation;
pub mod code;
pub mod connections;
pub mod counts;
pub mod domains;
pub mod granting;
pub mod grants;
pub mod inspect;
pub mod interposition;
pub mod invariants;
pub mod manager;
pub mod neighbours;
pub mod nucleus_data;
pub mod nucleus_memory;
pub mod open_windows;
pub mod pagers;
pub mod posts;
pub mod registrations;
pub mod sandbox;
pub mod semaphores;
pub mod slots;
pub mod snapshot;
pub mod system_portals;
pub mod templates;
pub mod threads;
pub mod unwaited;
pub mod upcalls;

#[cfg(test)]
mod failing;
#[cfg(test)]
mod fake;
#[cfg(test)]
mod tests;

/// What an operation gives, or why not.
pub type Result<T> = core::result::Result<T, abi::Error>;
