//! An argument that can not go through a portal: the compiler says which.
#![no_std]
#![no_main]
extern crate alloc;

pebble::interface! {
    mod parts {
        "app.take": fn take(values: alloc::vec::Vec<u8>) -> pebble::Result<()>;
    }
}
struct Parts;
impl parts::Server for Parts {
    fn take(_: alloc::vec::Vec<u8>) -> pebble::Result<()> {
        Ok(())
    }
}
pebble::serve! { Parts: parts; }
fn main(_: &pebble::Env) {}
pebble::server!(main);
