//! An HTTP/1.1 server (RFC 9110, RFC 9112), free of portals: what is asked, what is answered, and how long a client may take. So the
//! host tests it.
#![cfg_attr(not(test), no_std)]

extern crate alloc;

pub mod connection;
pub mod date;
#[cfg(target_os = "none")]
pub mod folder;
pub mod limits;
pub mod places;
pub mod range;
pub mod request;
pub mod response;
#[cfg(target_os = "none")]
pub mod server;

pub use connection::{Connection, Step};
