// expect status 126
// expect stderr panic_of_a_server_is_in_the_log: panic at
// expect stderr panic_of_a_server_is_in_the_log.rs:12: no more than 3
//! A server that panics says what happened and where in the system log.
#![no_std]
#![no_main]

pebble::provide! { "app.add", "npii", add; }
pebble::import! { ADD = "app.add"; }

extern "C" fn add(a: usize, b: usize) -> isize {
    assert!(a + b < 3, "no more than {}", 3);
    (a + b) as isize
}
fn main(_: &pebble::Env) {
    let _ = pebble::thread::spawn(None, || {
        let _ = ADD.reopen();
        ADD.call([1, 2]);
    });
}
pebble::server!(main);
