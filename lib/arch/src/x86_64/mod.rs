//! x86-64: page tables. Entry paths, portals and templates are absent still, and with them the nucleus.

pub mod paging;
pub mod trap;
