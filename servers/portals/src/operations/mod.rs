//! What is done with all of it: each file is one thing that clients or neighbours ask for.

pub mod accounts;
pub mod admission;
pub mod cancellation;
pub mod connections;
pub mod counts;
pub mod creation;
pub mod ending;
pub mod granting;
pub mod inspect;
pub mod interposition;
pub mod invariants;
pub mod leaving;
pub mod open_windows;
pub mod pagers;
pub mod registrations;
pub mod remains;
pub mod sandbox;
pub mod semaphores;
pub mod stacks;
pub mod start;
pub mod stuck;
pub mod system_portals;
pub mod templates;
pub mod threads;
pub mod unwaited_ends;
pub mod upcalls;
