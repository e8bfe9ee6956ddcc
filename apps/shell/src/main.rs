#![no_std]
#![no_main]
fn main(_: &pebble::Env) -> i32 {
    pebble::println!("hi");
    0
}
pebble::program!(main);
