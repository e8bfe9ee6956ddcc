//! The capability manager: abstract tokens that stand for rights to something of their issuer's.
//!
//! A domain holds capabilities under names of its own, numbers that mean nothing elsewhere. It passes one through a
//! portal as an argument with letter `k`: the portal's code puts the receiver's name in its place, from a page of translations
//! that this server keeps; what is not there, the portal asks for, and the receiver gets a capability derived from the sender's.
#![no_std]
#![no_main]

extern crate alloc;

use abi::Error;
use abi::capability::Info;
use abi::identity::DomainId;
use alloc::vec::Vec;
use capabilities_logic::cache::{Cache, Translation};
use capabilities_logic::{Capabilities, Domain, Swept};
use pebble::Result;
use pebble::account::{self, Account, Remote};
use pebble::fallible::TryPush;
use pebble::interfaces::types::{Address, Alleged, DomainNumber, Identity};
use pebble::interfaces::{inspect, portals};
use pebble::sync::Mutex;

pebble::server!(start);
pebble::serve! { capability { create, reduce, revoke, drop_name, info, list } }

/// The page that portal code reads.
static mut CACHE: Cache = Cache::EMPTY;
struct State {
    all: Capabilities<Remote>,
    /// Translations for one use that had to leave the page before that use.
    waiting: Vec<Translation>,
}
static STATE: Mutex<State> = Mutex::new(State { all: Capabilities::new(Remote), waiting: Vec::new() });
/// Capabilities from which on those of dead domains are looked for.
const MANY: usize = 64;

/// Forgets something of what the dead have left.
fn sweep(state: &mut State) -> Swept {
    let swept = state.all.sweep(lives);
    if swept.forgot {
        state.waiting.retain(|t| state.all.held(t.callee as usize, t.result as usize).is_ok());
    }
    swept
}

/// The page of translations. `_state`: whoever has the state locked.
fn cache(_state: &mut State) -> &'static mut Cache {
    let cache = &raw mut CACHE;
    // SAFETY: only with the state locked, so there is one reference at a time.
    unsafe { &mut *cache }
}

/// A page of its own, which a window shows.
#[repr(align(4096))]
struct Page(abi::template::Template);
static mut PAGE: Page = Page(capabilities_logic::template::letter());

fn start(_: &pebble::Env) {
    STATE.lock().all.begin(pebble::time::time());
    // SAFETY: there is one thread yet, and nobody else uses the page.
    let template = unsafe { (&raw mut PAGE.0).as_mut_unchecked() };
    template.record = &raw const CACHE as u64;
    let registered = portals::template(Alleged::lend(template), Address(translate as *const () as usize));
    if registered.is_err() {
        pebble::thread::exit_domain(1);
    }
}
/// Whether a domain is the one that had this number, and lives.
fn lives(domain: Domain) -> bool {
    inspected(domain.asid).is_ok_and(|d| d.identity == domain.serial as u64)
}
fn inspected(asid: usize) -> Result<abi::inspect::Domain> {
    let mut out = abi::inspect::Domain::NONE;
    inspect::domain(DomainNumber(asid), Alleged::lend_to_write(&mut out))?;
    Ok(out)
}
fn locked(body: impl FnOnce(&mut State) -> Result<usize>) -> isize {
    body(&mut STATE.lock()).map_or_else(Error::code, |value| value as isize)
}
/// The account of the domain with this identity, which has called. `ESRCH`: it is no more.
fn account_of(serial: usize) -> Result<Account> {
    DomainId::of(serial as u64).ok_or(Error::ESRCH).and_then(account::of)
}
/// Runs `body`, which adds something that the account of domain `serial` pays for. What the dead have left counts until it is
/// forgotten: bit by bit wherever there are many; and where the account is at its limit, as much as it takes, at most once all round.
fn adding(serial: usize, mut body: impl FnMut(&mut State, Account) -> Result<usize>) -> isize {
    let add = |payer| {
        let mut rounds = 0;
        loop {
            // Free in between: others need not wait for that.
            let mut state = STATE.lock();
            let result = body(&mut state, payer);
            let full = matches!(result, Err(Error::ENFILE)) && rounds < 2;
            if full || state.all.count() >= MANY {
                rounds += sweep(&mut state).anew as usize;
            }
            if !full {
                return result;
            }
        }
    };
    account_of(serial).and_then(add).map_or_else(Error::code, |value| value as isize)
}

/// A portal has no translation of a name from domain `from` to domain `to` (serial numbers): makes it, or says why not. `question`: the
/// name, and above it the argument's number.
extern "C" fn translate(question: usize, from: usize, to: usize, asids: usize) -> isize {
    let argument = question >> capabilities_logic::template::ARGUMENT_BIT;
    let name = question & ((1 << capabilities_logic::template::ARGUMENT_BIT) - 1);
    let like = Translation { name: name as u64, caller: from as u64, callee: to as u64, ..Default::default() };
    adding(from, |state, payer| {
        // Room for what has to leave the page.
        state.waiting.room_for(1)?;
        let waiting = |t: &Translation| (t.name, t.caller, t.callee) == (like.name, like.caller, like.callee);
        let translation = match state.waiting.iter().position(waiting) {
            Some(place) => state.waiting.swap_remove(place),
            None => {
                // One use is one: not in another argument of the same call.
                if cache(state).has_unused(&like) {
                    return Err(Error::EBADF);
                }
                let passed = state.all.pass(from, payer, name, Domain { asid: asids >> 16, serial: to })?;
                Translation { result: passed.name as u64, once: passed.moved as u64, ..like }
            }
        };
        if let Some(old) = cache(state).put(translation, argument) {
            state.waiting.push_kept(old);
        }
        Ok(0)
    })
}
extern "C" fn create(holder: Identity, object: usize, rights: usize, flags: usize) -> isize {
    adding(holder.0, |state, payer| {
        state.all.create(
            Domain { asid: holder.number().0, serial: holder.0 },
            payer,
            object as u64,
            rights as u64,
            flags as u64,
        )
    })
}
extern "C" fn reduce(holder: Identity, name: usize, rights: usize, flags: usize) -> isize {
    adding(holder.0, |state, payer| state.all.reduce(holder.0, payer, name, rights as u64, flags as u64))
}
extern "C" fn revoke(holder: Identity, name: usize) -> isize {
    locked(|state| {
        let count = state.all.revoke(holder.0, name)?;
        cache(state).clear();
        Ok(count)
    })
}
extern "C" fn drop_name(holder: Identity, name: usize) -> isize {
    locked(|state| {
        state.all.drop_name(holder.0, name)?;
        cache(state).clear();
        Ok(0)
    })
}
fn write(out: Alleged<Info>, info: Info) -> Result<()> {
    // SAFETY: a window argument, which may be written.
    unsafe { out.write(&info) }
}
fn described(name: usize, c: capabilities_logic::Capability, to: usize) -> Info {
    let issuer = if lives(c.issuer) { c.issuer.asid as u64 } else { 0 };
    let object = if c.issuer.serial == to { c.object } else { 0 };
    Info { name: name as u64, rights: c.rights, flags: c.flags, issuer, object }
}
extern "C" fn info(holder: Identity, name: usize, out: Alleged<Info>) -> isize {
    let held = STATE.lock().all.held(holder.0, name);
    held.and_then(|c| write(out, described(name, c, holder.0))).map_or_else(Error::code, |()| 0)
}
/// The `n`th capability of the living domain `asid`, for people who look.
extern "C" fn list(domain: DomainNumber, n: usize, out: Alleged<Info>) -> isize {
    let look = || {
        let serial = inspected(domain.0)?.identity as usize;
        let (name, c) = STATE.lock().all.nth(serial, n).ok_or(Error::ENOENT)?;
        write(out, described(name, c, 0))
    };
    look().map_or_else(Error::code, |()| 0)
}
