//! The name server: names, and who may open them.
#![no_std]
#![feature(optimize_attribute)]
#![no_main]

use abi::Error;
use abi::name::Name;
use interfaces::types::{Alleged, DomainNumber};
use names_logic::{Names, Right};
use pebble::interfaces;
use pebble::sync::Mutex;

pebble::boot_server!(start);

pebble::serve! { names { bind, lookup, unbind, rebind, allow, inherit, forget } }

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

/// Runs `body` with the name that the call which is being served shows.
#[inline(always)]
fn with_name(name: Alleged<Name>, body: impl FnOnce(&mut Names, &Name) -> Result<usize, Error>) -> isize {
    let result = name.with(|name| body(&mut NAMES.lock(), name));
    result.map_or_else(Error::code, |value| value as isize)
}

extern "C" fn bind(domain: DomainNumber, name: Alleged<Name>, registration: usize) -> isize {
    with_name(name, |names, name| names.bind(domain.0, name, registration).map(|()| 0))
}
extern "C" fn lookup(domain: DomainNumber, name: Alleged<Name>) -> isize {
    with_name(name, |names, name| names.lookup(domain.0, name))
}
#[optimize(size)]
extern "C" fn unbind(domain: DomainNumber, name: Alleged<Name>) -> isize {
    with_name(name, |names, name| names.unbind(domain.0, name).map(|()| 0))
}
#[optimize(size)]
extern "C" fn rebind(domain: DomainNumber, name: Alleged<Name>, registration: usize) -> isize {
    with_name(name, |names, name| names.rebind(domain.0, name, registration).map(|()| 0))
}
#[optimize(size)]
extern "C" fn allow(domain: DomainNumber, pattern: Alleged<Name>, right: usize) -> isize {
    with_name(pattern, |names, pattern| names.allow(domain.0, pattern, Right::from_number(right)?).map(|()| 0))
}
#[optimize(size)]
extern "C" fn inherit(child: DomainNumber, parent: DomainNumber) -> isize {
    NAMES.lock().inherit(child.0, parent.0).map_or_else(Error::code, |()| 0)
}
#[optimize(size)]
extern "C" fn forget(domain: DomainNumber) -> isize {
    NAMES.lock().forget(domain.0);
    0
}
