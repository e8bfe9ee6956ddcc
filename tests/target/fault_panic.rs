// expect status 126
// expect stdout an index out of bounds comes next
// expect stderr fault_panic.rs:12:
// expect stderr index out of bounds: the len is 3
// expect stderr illegal instruction
#![no_std]
#![no_main]

fn main(env: &pebble::Env) -> i32 {
    pebble::println!("an index out of bounds comes next");
    let values = [1, 2, 3];
    values[env.len() + 5]
}
pebble::program!(main);
