//! The numbers and layouts that more than one part of Pebble must agree on.
//!
//! Pure data: no hardware, no allocation, no policy. The nucleus, the servers, both SDKs and the image builder
//! on the host all take their constants from here, so that each is written once.
#![cfg_attr(not(test), no_std)]

#[macro_use]
pub mod shared;

pub mod account;
pub mod activity;
pub mod address;
pub mod archive;
pub mod block;
pub mod boot;
pub mod capability;
pub mod console;
pub mod count;
pub mod domain_set;
pub mod enclosure;
pub mod error;
pub mod file;
pub mod identity;
pub mod inspect;
pub mod internet;
pub mod isolation;
pub mod lengths;
pub mod linking;
pub mod lock;
pub mod log;
pub mod memory;
pub mod name;
pub mod network;
pub mod nucleus;
pub mod of_c;
pub mod patch;
pub mod protection;
pub mod rights;
pub mod section;
pub mod spawn;
pub mod specification;
pub mod start;
pub mod step;
pub mod supervision;
pub mod system;
pub mod template;
pub mod trace;
pub mod updating;
pub mod window;
pub mod wiring;

pub use error::Error;
