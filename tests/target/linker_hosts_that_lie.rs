// system extended
// timeout 60
// expect stdout interfaces without end: the component says of itself what can not be
// expect stdout procedures beyond its last: the component says of itself what can not be
// expect stdout one that does not answer: ETIMEDOUT
// expect stdout while it does not: EBUSY
// expect stdout others are served: Err(ENOENT)
// expect stdout when it has: it is no extension: it does not begin with PBLEXT01
// expect stdout too long: Err("EINVAL")
// expect stdout more than it said: Ok(()) Err("EINVAL")
// expect stdout whole: Ok(()) Ok(())
// expect stdout without a beginning: Err("ENOENT")
//! A host of extensions may be anything: whatever it says or does, the linker says so, and serves others.
#![no_std]
#![no_main]

extern crate alloc;

use core::sync::atomic::{AtomicUsize, Ordering};
use pebble::abi::linking::{Interface, SPECIFICATION, operation};
use pebble::abi::section::{Provided, padded};
use pebble::interfaces::linker::optional as calls;
use pebble::interfaces::types::Alleged;
use pebble::{Error, linker, println};

pebble::program!(main);
pebble::provide! {
    "app.none", "npiiiw", answer;
    "link.app", "npiiiw", answer;
}

/// What the host does.
static WAY: AtomicUsize = AtomicUsize::new(0);
const WITHOUT_END: usize = 0;
const TOO_MANY: usize = 1;
const SILENT: usize = 2;
const NONE: usize = 3;

extern "C" fn answer(what: usize, n: usize, _: usize, page: usize) -> isize {
    let way = WAY.load(Ordering::Relaxed);
    if way == SILENT {
        while WAY.load(Ordering::Relaxed) == SILENT {
            pebble::time::sleep(5_000_000);
        }
    }
    if what != operation::INTERFACE || way == NONE || (way == SILENT && n > 0) {
        return Error::ENOENT.code();
    }
    let mut interface = Interface::default();
    interface.name[..5].copy_from_slice(b"other");
    interface.procedures = if way == TOO_MANY { u64::MAX } else { 0 };
    // SAFETY: the letter of its argument shows it for writing.
    unsafe { pebble::abi::window::write(page, &interface) }.map_or_else(|error| error.code(), |()| 0)
}
/// What becomes of a file: why it is refused, or with which error.
fn said() -> alloc::string::String {
    match linker::link("app", b"no extension") {
        Ok(number) => alloc::format!("linked in as {number}"),
        Err(refused) if refused.why.is_empty() => refused.error.name().into(),
        Err(refused) => refused.why.into(),
    }
}
fn main(_: &pebble::Env) -> i32 {
    let entry = answer as *const ();
    let portal = Provided { name: padded("link.app"), spec: padded(SPECIFICATION), entry, constant: 0 };
    if let Err(error) = pebble::portal::register(&[portal], 4) {
        println!("no portal: {}", error.name());
    }
    for (way, what) in [(WITHOUT_END, "interfaces without end"), (TOO_MANY, "procedures beyond its last")] {
        WAY.store(way, Ordering::Relaxed);
        println!("{what}: {}", said());
    }
    WAY.store(SILENT, Ordering::Relaxed);
    println!("one that does not answer: {}", said());
    println!("while it does not: {}", said());
    println!("others are served: {:?}", linker::link("nowhere", b"no extension").map_err(|refused| refused.error));
    WAY.store(NONE, Ordering::Relaxed);
    pebble::time::sleep(500_000_000);
    println!("when it has: {}", said());
    let word = [0u8; 8];
    let begin = |bytes| calls::begin(bytes).map_err(Error::name);
    let add = || calls::add(Alleged::lend_all(&word), word.len()).map_err(Error::name);
    println!("too long: {:?}", begin((4 << 20) + 1));
    println!("more than it said: {:?} {:?}", begin(7), add());
    println!("whole: {:?} {:?}", begin(8), add());
    let link = || linker::link("app", &word).map_err(|refused| refused.error.name());
    println!("linked: {:?}", link());
    println!("without a beginning: {:?}", {
        let _ = link();
        add()
    });
    0
}
