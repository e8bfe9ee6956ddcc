//! `rsext4`, changed where it cost the most: see `rsext4.patch` beside this crate's manifest, which `build.rs` applies.
//!
//! The original is Apache-2.0; so is what is made of it.
#![no_std]
// It is others' code, and is read as they read it.
#![allow(warnings, clippy::all, clippy::too_many_lines)]

include!(concat!(env!("OUT_DIR"), "/rsext4/lib.rs"));
