//! The portals: what each decodes of its arguments, what it asks the library for, and what it returns.

pub mod accounts;
pub mod domains;
pub mod inspection;
pub mod memory;
pub mod portals;
pub mod protection;
pub mod semaphores;
pub mod threads;
