//! The name server: names, and who may open them.
#![no_std]
#![feature(optimize_attribute)]
#![no_main]

use abi::Error;
use abi::name::Name;
use names_logic::{Names, Right};
use pebble::sync::Mutex;

pebble::boot_server!(start);

pebble::provide! {
    "names.bind", "smiri", bind;
    "names.lookup", "smir", lookup;
    "names.unbind", "smir", unbind;
    "names.allow", "smiri", allow;
    "names.inherit", "smii", inherit;
    "names.forget", "smi", forget;
}

/// Room for names beside those of the first components: what a small system has.
const MORE_NAMES: usize = 4;

static NAMES: Mutex<Names> = Mutex::new(Names::new());

#[optimize(size)]
fn start(_: &pebble::Env) {
    let info = pebble::boot::info();
    let mut names = NAMES.lock();
    if names.reserve(info.portal_count as usize + MORE_NAMES).is_err() {
        pebble::stop();
    }
    for (registration, portal) in info.portals[..info.portal_count as usize].iter().enumerate() {
        let _ = names.bind_boot(portal.asid as usize, portal.name_words(), registration);
    }
}

/// Runs `body` with the name at `address`, a window argument of the call that is being served.
fn with_name(address: usize, body: impl FnOnce(&mut Names, &Name) -> Result<usize, Error>) -> isize {
    // SAFETY: the page is open for this call.
    let result = unsafe { Name::with(address, |name| body(&mut NAMES.lock(), name)) };
    result.map_or_else(Error::code, |value| value as isize)
}

extern "C" fn bind(asid: usize, name: usize, registration: usize) -> isize {
    with_name(name, |names, name| names.bind(asid, name, registration).map(|()| 0))
}
extern "C" fn lookup(asid: usize, name: usize) -> isize {
    with_name(name, |names, name| names.lookup(asid, name))
}
#[optimize(size)]
extern "C" fn unbind(asid: usize, name: usize) -> isize {
    with_name(name, |names, name| names.unbind(asid, name).map(|()| 0))
}
#[optimize(size)]
extern "C" fn allow(asid: usize, pattern: usize, right: usize) -> isize {
    with_name(pattern, |names, pattern| names.allow(asid, pattern, Right::from_number(right)?).map(|()| 0))
}
#[optimize(size)]
extern "C" fn inherit(child: usize, parent: usize) -> isize {
    NAMES.lock().inherit(child, parent).map_or_else(Error::code, |()| 0)
}
#[optimize(size)]
extern "C" fn forget(asid: usize) -> isize {
    NAMES.lock().forget(asid);
    0
}
