#![no_std]
use packets::{Connection, Header};
pub fn closed(_: Connection, header: &'static mut Header) {
    header.port = 0;
}
