//! The portals: what each decodes of its arguments, what it asks the library for, and what it returns.

pub mod faults;
pub mod inspection;
pub mod pagers;
pub mod pages;
pub mod spaces;
