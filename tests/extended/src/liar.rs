//! A host of extensions that lies to the linker, or does not answer.

use crate::sample;
use core::sync::atomic::{AtomicUsize, Ordering};
use pebble::abi::linking::{Interface, SPECIFICATION, operation};
use pebble::abi::section::{Provided, padded};
use pebble::interfaces::linker::optional as calls;
use pebble::interfaces::types::Alleged;
use pebble::{Error, linker, println};

/// What it does.
static WAY: AtomicUsize = AtomicUsize::new(0);
const WITHOUT_END: usize = 0;
const TOO_MANY: usize = 1;
const SILENT: usize = 2;
const NO_PLACE: usize = 3;
const LATE: usize = 4;
const NOTHING: usize = 5;
/// Which operations it was asked for after the draft was begun, a digit each.
static ASKED: AtomicUsize = AtomicUsize::new(0);

extern "C" fn answer(what: usize, n: usize, _: usize, page: usize) -> isize {
    let way = WAY.load(Ordering::Relaxed);
    if way == SILENT || (way == LATE && what == operation::LINK) {
        while WAY.load(Ordering::Relaxed) == way {
            pebble::time::sleep(5_000_000);
        }
    }
    let name = match (what, n, way) {
        (operation::INTERFACE, _, WITHOUT_END | TOO_MANY) => "other",
        (operation::INTERFACE, 0, NO_PLACE | LATE) => sample::INTERFACE.name,
        (operation::INTERFACE, 1, NO_PLACE | LATE) => dispatch::runtime::INTERFACE.name,
        (operation::INTERFACE, ..) => return Error::ENOENT.code(),
        (operation::DRAFT, ..) => return 7,
        _ => {
            let asked = |all: usize| Some(if all % 10 == what { all } else { all * 10 + what });
            let _ = ASKED.fetch_update(Ordering::Relaxed, Ordering::Relaxed, asked);
            let fails = what == operation::PLACE && way == NO_PLACE;
            return if fails { Error::ENOMEM.code() } else { 9 };
        }
    };
    let mut interface = Interface { quantum: u64::MAX, ..Interface::default() };
    interface.name[..name.len()].copy_from_slice(name.as_bytes());
    let own = [&sample::INTERFACE, &dispatch::runtime::INTERFACE].into_iter().find(|own| own.name == name);
    interface.identity = own.map_or([0; 32], |own| own.identity);
    (interface.events, interface.procedures) = (256, if way == TOO_MANY { u64::MAX } else { 256 });
    // SAFETY: the letter of its argument shows it for writing.
    unsafe { pebble::abi::window::write(page, &interface) }.map_or_else(|error| error.code(), |()| 0)
}
/// What becomes of the file: why it is refused, or with which error.
fn say(what: &str, file: &[u8]) {
    match linker::link("liar", file) {
        Ok(_) => println!("{what}: linked in"),
        Err(refused) if refused.why.is_empty() => println!("{what}: {}", refused.error.name()),
        Err(refused) => println!("{what}: {}", refused.why),
    }
}
/// Goes through all that it does.
pub fn lie(file: &[u8]) -> pebble::Result<()> {
    let entry = answer as *const ();
    let portal = Provided { name: padded("link.liar"), spec: padded(SPECIFICATION), entry, constant: 0 };
    pebble::portal::register(&[portal], 4)?;
    for (way, what) in [
        (WITHOUT_END, "interfaces without end"),
        (TOO_MANY, "procedures beyond its last"),
        (NO_PLACE, "a page that it does not take"),
        (LATE, "one that answers late"),
        (SILENT, "one that does not answer"),
    ] {
        WAY.store(way, Ordering::Relaxed);
        ASKED.store(0, Ordering::Relaxed);
        say(what, file);
        if way == LATE {
            WAY.store(NOTHING, Ordering::Relaxed);
            pebble::time::sleep(100_000_000);
        }
        println!("asked then: {}", ASKED.load(Ordering::Relaxed));
    }
    println!("others are served: {:?}", linker::link("app", file).is_ok());
    say("while it does not", file);
    WAY.store(NOTHING, Ordering::Relaxed);
    pebble::time::sleep(100_000_000);
    say("when it has", file);
    let word = [0u8; 8];
    let begin = |bytes| calls::begin(bytes).map_err(Error::name);
    let add = || calls::add(Alleged::lend_all(&word), word.len()).map_err(Error::name);
    println!("too long: {:?}", begin(extension::MOST_BYTES + 1));
    println!("more than it said: {:?} {:?}", begin(7), add());
    println!("whole: {:?} {:?}", begin(8), add());
    println!("begun anew: {:?}", linker::link("app", &word).map_err(|refused| refused.error.name()));
    println!("without a beginning: {:?}", add());
    Ok(())
}
