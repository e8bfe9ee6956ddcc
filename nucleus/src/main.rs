//! The Pebble nucleus: the only privileged code that is not generated.
//!
//! 1. It enters, looks up a portal, and leaves. What a portal does is the business of the code generated for it.
//! 2. It decides nothing: no scheduling, no allocation, no page-table policy, no names.
//! 3. Interrupts are off while it runs, and nothing in it loops.
//! 4. It trusts only what the image builder, the portal manager and the memory manager wrote: no word of a component's
//!    is used as an address.
//!
//! All of it is the entry paths of one architecture, so all of it is in [`arch`]. The data structures are in the `abi`
//! crate (`abi::nucleus`), because the portal manager makes them.
#![no_std]
#![no_main]

mod arch;
mod fatal;
