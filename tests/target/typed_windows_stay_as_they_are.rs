// expect stdout the server has seen 200 texts, none of which changed
//! What a typed server looks at does not change while another thread of the caller's writes to it all the time.
#![no_std]
#![no_main]
use core::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use pebble::{Error, Result, println, thread};

pebble::interface! {
    mod looks {
        "app.look": fn look(bytes: &[u8]) -> Result<usize>;
    }
}
struct Looks;
impl looks::Server for Looks {
    fn look(bytes: &[u8]) -> Result<usize> {
        let before = core::hint::black_box(bytes)[0];
        for _ in 0..5 {
            thread::yield_now();
            if core::hint::black_box(bytes)[0] != before {
                return Err(Error::EFAULT);
            }
        }
        Ok(1)
    }
}
pebble::serve! { Looks: looks; }

static BYTES: [AtomicU8; 64] = [const { AtomicU8::new(0) }; 64];
static DONE: AtomicBool = AtomicBool::new(false);

fn client() -> Result<()> {
    thread::spawn(None, || {
        while !DONE.load(Ordering::Relaxed) {
            BYTES[0].fetch_add(1, Ordering::Relaxed);
            thread::yield_now();
        }
    })?;
    // SAFETY: as a caller does that means no good; nothing here looks at them by this reference.
    let bytes = unsafe { core::slice::from_raw_parts(BYTES.as_ptr().cast(), BYTES.len()) };
    let mut seen = 0;
    for _ in 0..200 {
        seen += looks::anew::look(bytes)?;
    }
    DONE.store(true, Ordering::Relaxed);
    println!("the server has seen {seen} texts, none of which changed");
    Ok(())
}
fn main(_: &pebble::Env) {
    let _ = thread::spawn(None, || thread::exit_domain(client().map_or_else(|error| error.code() as i32, |()| 0)));
}
pebble::server!(main);
