//! IFACE: its types look like those of the interface
#![no_std]
pub mod packets {
    pub struct Header {
        pub port: u64,
    }
}
pub fn port(header: &packets::Header) -> u64 {
    header.port
}
