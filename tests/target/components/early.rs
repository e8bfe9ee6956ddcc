//! Says something to a console that is not there yet.
#![no_std]
#![no_main]

pebble::program!(main);

fn main(_: &pebble::Env) -> i32 {
    pebble::println!("output is heard");
    pebble::eprintln!("so are errors");
    0
}
