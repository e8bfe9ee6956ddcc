#![no_std]
#![no_main]
fn main(_: &pebble::Env) {}
pebble::boot_server!(main);
