//! COMPILER: a handle is the host's number
#![no_std]
pub fn reset() -> bool {
    packets::reset(packets::Connection(1))
}
