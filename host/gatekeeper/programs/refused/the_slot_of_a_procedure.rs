//! COMPILER: where a procedure of the host begins
#![no_std]
pub fn address() -> usize {
    packets::__slot_packets_0
}
