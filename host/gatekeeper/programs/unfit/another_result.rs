#![no_std]
use packets::Header;
pub fn arrived(_: &Header, _: &[u8]) -> u8 {
    7
}
