//! Says the checksum of its argument.
#![no_std]
#![no_main]

fn main(env: &pebble::Env) -> i32 {
    pebble::println!("{:x}", sums::sum(env.argument(1).unwrap_or("")));
    0
}
pebble::program!(main);
