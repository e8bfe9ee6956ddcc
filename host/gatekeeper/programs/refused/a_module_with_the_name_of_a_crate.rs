//! IFACE: its types would be taken for the interface's.
#![no_std]
pub mod host {
    pub struct Packet {
        pub length: u64,
    }
}
