//! What the portal manager keeps, a type each. Nothing here knows of the whole.

pub mod code;
pub mod dead;
pub mod domain;
pub mod enclosure;
pub mod entry_points;
pub mod events;
pub mod grants;
pub mod nucleus_data;
pub mod numbers;
pub mod open_windows;
pub mod pagers;
pub mod posts;
pub mod registrations;
pub mod remains;
pub mod roles;
pub mod sandbox;
pub mod semaphores;
pub mod slots;
pub mod snapshot;
pub mod stack_descriptors;
pub mod system_portals;
pub mod templates;
pub mod threads;
pub mod unwaited_ends;
pub mod upcalls;
