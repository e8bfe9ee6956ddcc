// expect stdout without a source there is no password
#![no_std]
#![no_main]

use pebble::Error;
use pebble::protected::Module;

static STATE: Module<u64> = Module::new(0);

fn main(_: &pebble::Env) -> i32 {
    let refused = matches!(STATE.admit(), Err(Error::EIO));
    pebble::println!("without a source there is {} password", if refused { "no" } else { "a" });
    !refused as i32
}
pebble::program!(main);
