//! Replacement: a component that runs is succeeded by a new instance of itself, or by another component, while it is called.
//!
//! The new one is started beside the old one, and is ready when it has registered all names of the old one's, or, after ten seconds, those that are in
//! use (`domain.take_over`, which is asked again until then). From there on all calls are the new one's. The old one finishes those that it serves, and ends. Whatever goes wrong
//! before that ends the new one, and nothing else has happened.

use crate::{Init, Prepared, Running, component as component_called, prepare, run, supervision, with};
use abi::Error;
use abi::identity::DomainId;
use abi::section::NAME;
use alloc::boxed::Box;
use alloc::vec::Vec;
use fallible::TryPush;
use init_logic::start::Request;
use manifest::{Component, Restart};
use pebble::Result;
use pebble::interfaces::domains;
use pebble::interfaces::types::Alleged;
use pebble::time::{TIMEBASE, sleep, time};

/// Ticks of `hrtime` between two looks: about 2 ms.
const PAUSE: u64 = 1_000_000;
/// What the new one may take until it is ready, and the old one to finish what it serves, in units of [`TIMEBASE`].
const READY: u64 = 10 * TIMEBASE;
const FINISHED: u64 = 2 * TIMEBASE;

/// Why a component was not replaced, and the name of the portal that is in the way, or zeros.
pub struct Refused(pub Error, pub [u8; NAME]);
impl From<Error> for Refused {
    fn from(error: Error) -> Refused {
        Refused(error, [0; NAME])
    }
}

/// Has component `name` succeeded by component `by`, itself if there is none; the domain of the new one. `ESRCH`: it does not run, or somebody has it run for
/// himself; `ENOTSUP`: one of both can not be replaced so; `ENOENT`: there is no component `by`; as `domain.take_over`; `ETIMEDOUT`: the new one lacks a portal that is
/// in use after 10 s; `ECANCELED`: it has ended before it was ready.
pub fn replace(name: &str, by: Option<&str>) -> core::result::Result<DomainId, Refused> {
    let Predecessor { domain: old, component, restart, arguments } = predecessor(name)?;
    let by = by.map_or(Ok(component), component_called)?;
    may_be_replaced(component).and_then(|()| may_be_replaced(by))?;
    let mut prepared = prepare(by, arguments, &Request::default())?;
    if by.name == component.name {
        prepared.running.restart = restart;
    }
    let new = prepared.loaded.domain;
    if let Err(error) = begin(prepared, old).map_err(Refused::from).and_then(|()| succeed(new)) {
        // Nobody is told of that end.
        let lost = with(|init| {
            init.forget(new);
            init.take_succeeded(old)
        });
        let _ = domains::destroy(new.into());
        with(|init| init.is_nobodys(new));
        lost.flatten().into_iter().for_each(supervision::left);
        return Err(error);
    }
    settle(new, old, component);
    let finished = time() + FINISHED;
    while let Ok(1..) = domains::served(old.into())
        && time() < finished
    {
        sleep(PAUSE);
    }
    let _ = domains::destroy(old.into());
    with(|init| init.is_nobodys(old));
    Ok(new)
}
/// A component that runs as init's own: where, what its end means, and copies of the words that it was started with.
struct Predecessor {
    domain: DomainId,
    component: &'static Component,
    restart: Restart,
    arguments: Vec<Box<str>>,
}
fn predecessor(name: &str) -> Result<Predecessor> {
    let find = |init: &mut Init| {
        let own = |running: &&Running| running.component.name == name && running.starter.is_none();
        let running = init.running.iter().find(own).ok_or(Error::ESRCH)?;
        let arguments = running.words()?;
        let Running { domain, component, restart, .. } = *running;
        Ok(Predecessor { domain, component, restart, arguments })
    };
    with(find).unwrap_or(Err(Error::EAGAIN))
}
/// `ENOTSUP`: the system can not go on without it for a moment, its end is the system's, or a device would be driven by two.
fn may_be_replaced(component: &Component) -> Result<()> {
    if component.boot || component.main || !component.devices.is_empty() { Err(Error::ENOTSUP) } else { Ok(()) }
}
/// Lets the new one run beside `old`.
fn begin(mut prepared: Prepared, old: DomainId) -> Result<()> {
    prepared.running.succeeds = Some(old);
    // For what is left of the old one, should it end, and of all others that are being replaced.
    with(|init| init.succeeded.room_for(init.running.len())).unwrap_or(Err(Error::EAGAIN))?;
    domains::succeed(prepared.loaded.domain.into(), old.into())?;
    run(prepared).map(|_| ())
}
/// Waits until domain `new` is ready, and has taken over.
fn succeed(new: DomainId) -> core::result::Result<(), Refused> {
    let until = time() + READY;
    loop {
        let (mut name, late) = ([0; NAME], time() >= until);
        // It has not registered all yet; in the end, what nobody uses may be left out.
        match domains::take_over(new.into(), !late as usize, Alleged::lend_to_write(&mut name)) {
            Ok(()) => return Ok(()),
            Err(Error::ENOENT) if !late => sleep(PAUSE),
            Err(Error::ENOENT) => return Err(Refused(Error::ETIMEDOUT, name)),
            Err(Error::ESRCH) => return Err(Error::ECANCELED.into()),
            Err(error) => return Err(Refused(error, name)),
        }
    }
}
/// Domain `new` is the component from now on, and the end of `old`, which was `component`, is told to nobody.
fn settle(new: DomainId, old: DomainId, component: &'static Component) {
    let lost = with(|init| {
        let old = init.forget(old).or_else(|| init.take_succeeded(old));
        if let Some(running) = init.running.iter_mut().find(|running| running.domain == new) {
            running.succeeds = None;
            running.with = old.and_then(|old| old.with);
            return Err(running.with.is_some());
        }
        // It has ended since, and who watches has left it to this: what was there before comes back, if it is not coming back already.
        init.leaves_to(new, component);
        if old.is_none() {
            init.is_replaced_no_more(component);
            init.forget_lost();
        }
        Ok(old)
    });
    match lost {
        Some(Ok(old)) => old.into_iter().for_each(supervision::left),
        // What the old one can not do without has ended meanwhile: the new one is started again behind it.
        Some(Err(true)) => _ = domains::destroy(new.into()),
        _ => {}
    }
}
/// The names of the component that is to be replaced, and of another that is to succeed it, in `command`. `EINVAL`: these are not one word or two.
pub fn parse(command: &[u8]) -> Result<(&str, Option<&str>)> {
    let mut words = core::str::from_utf8(command).map_err(|_| Error::EINVAL)?.split_whitespace();
    match (words.next(), words.next(), words.next()) {
        (Some(name), by, None) => Ok((name, by)),
        _ => Err(Error::EINVAL),
    }
}
