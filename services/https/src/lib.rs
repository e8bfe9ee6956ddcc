//! TLS around the connections of the HTTP server (RFC 8446, RFC 5246): free of portals, so that the host tests it with a client.
#![cfg_attr(not(test), no_std)]

extern crate alloc;

pub mod identity;
pub mod secure;

pub use secure::Secure;
