//! A page of memory.

use abi::address::PAGE;

/// The bytes of a page, at a page's address.
#[repr(C, align(4096))]
pub struct Page(pub [u8; PAGE]);
