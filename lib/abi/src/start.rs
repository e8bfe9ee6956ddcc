//! What a component finds when it starts: `a0` points to a [`Start`] at the top of its main stack.

use crate::shared::{Place, Strings};

shared! {
    /// At the initial stack pointer, aligned to 16. All pointers lie in the component's own memory, above it.
    #[repr(C)]
    #[derive(Clone, Copy)]
    pub struct Start as start {
        pub argc: u64,
        /// `argc` pointers to 0-terminated strings, then a null; behind it pointers to strings `NAME=value`, then a null.
        pub argv: Strings,
        pub device_count: u32,
        /// Bit n: the starter hands over standard stream n, which `files.inherit` gives.
        pub inherited: u32,
        pub devices: Place,
        /// The domain that had it started, by its identity's word; 0: init by itself.
        pub starter: u64,
    }
}
/// A device of the component's manifest entry.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct StartDevice {
    /// Address of its registers.
    pub address: u64,
    pub bytes: u64,
}
