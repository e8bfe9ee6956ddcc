//! `smoltcp`, changed where rough networks need it: see `smoltcp.patch` beside this crate's manifest, which `build.rs` applies.
//!
//! The original is 0BSD; so is what is made of it.
#![no_std]
// It is others' code, and is read as they read it.
#![allow(warnings, clippy::all, clippy::too_many_lines)]

include!(concat!(env!("OUT_DIR"), "/smoltcp/lib.rs"));
