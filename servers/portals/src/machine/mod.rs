//! What the portal manager has beside its own memory.

pub mod neighbours;
pub mod nucleus_memory;
