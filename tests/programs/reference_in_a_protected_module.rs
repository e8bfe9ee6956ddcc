//! A procedure's argument that points to the client's memory: what comes from a client is a value whatever its bytes are, and a reference is not.
#![no_std]
#![no_main]
static STATE: pebble::protected::Module<u64> = pebble::protected::Module::new(0);
#[pebble::module(super::STATE)]
mod part {
    pub fn first(_client: usize, values: &'static [u64]) -> u64 {
        values[0]
    }
}
fn main(_: &pebble::Env) {}
pebble::server!(main);
