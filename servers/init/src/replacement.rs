//! Replacement: a component that runs is succeeded by a new instance of itself, or by another component, while it is called.
//!
//! The new one is started beside the old one, and is ready when it has registered all names of the old one's, or, after ten seconds, those that are in
//! use (`domain.take_over`, which is asked again until then). From there on all calls are the new one's. The old one finishes those that it serves, and ends. Whatever goes wrong
//! before that ends the new one, and nothing else has happened. Those that have devices are replaced [one after the other](crate::handover).

use crate::succession::{self, Predecessor, Refused};
use crate::{Init, Prepared, Running, component as component_called, handover, prepare, run, supervision, with};
use abi::Error;
use abi::identity::DomainId;
use abi::section::NAME;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use fallible::TryPush;
use init_logic::start::Request;
use init_logic::updates::Choice;
use manifest::{Component, Restart};
use pebble::Result;
use pebble::interfaces::domains;
use pebble::interfaces::types::Alleged;
use pebble::time::{TIMEBASE, sleep, time};

/// Ticks of `hrtime` between two looks: about 2 ms.
const PAUSE: u64 = 1_000_000;
/// What the new one may take until it is ready, in units of [`TIMEBASE`].
const READY: u64 = 10 * TIMEBASE;
/// What calls that the old one serves may take to end, in units of [`TIMEBASE`], where new ones are the new one's already.
const FINISHED: u64 = 2 * TIMEBASE;

/// Has component `name` succeeded by component `by`, itself if there is none; the domain of the new one. `ESRCH`: it does not run, or somebody has it run for
/// himself; `ENOTSUP`: one of both can not be replaced so; `EBUSY`: it is being replaced, or another drives a device that the new one is to; `ENOENT`: there is no component `by`; as `domain.take_over` and `domain.gate`; `ETIMEDOUT`: the new one lacks a portal that is
/// in use after 10 s, or 1.5 s where both have devices; `ECANCELED`: it has ended before it was ready.
pub fn replace(name: &str, by: Option<&str>) -> core::result::Result<DomainId, Refused> {
    replace_with(name, by, None)
}
/// What is to be next is what its component has: the domain that it is succeeded by; `None`: it does not run. `ENOENT`: nothing is to be; as [`replace`], and it has what it had, unless another than the caller goes on with it.
pub fn apply() -> core::result::Result<Option<DomainId>, Refused> {
    let next = with(|init| init.updates.next().map(|(place, image)| (&init.system.components[place], place, image)));
    let (component, place, image) = next.unwrap_or(Err(Error::EAGAIN))?;
    match replace_with(&component.name, None, Some(&image)) {
        // It has it since the new one has taken over.
        Ok(domain) => Ok(Some(domain)),
        Err(Refused(Error::ESRCH, _)) => {
            with(|init| init.updates.has(place, &image));
            Ok(None)
        }
        Err(refused) => {
            with(|init| init.updates.forget_next());
            Err(refused)
        }
    }
}
/// The same with an image in the place of the one that it has.
#[inline(never)]
fn replace_with(name: &str, by: Option<&str>, choice: Option<&Choice>) -> core::result::Result<DomainId, Refused> {
    let (prepared, predecessor) = prepared_for(name, by, choice)?;
    let has_devices = |component: &Component| !component.devices.is_empty();
    // A device is driven by one.
    if has_devices(predecessor.component) || has_devices(prepared.running.component) {
        handover::hand_over(prepared, predecessor)
    } else {
        beside(prepared, predecessor)
    }
}
/// What is to take the place, and whose. For errors see [`replace`].
#[inline(never)]
fn prepared_for(name: &str, by: Option<&str>, choice: Option<&Choice>) -> Result<(Prepared, Predecessor)> {
    let Own { predecessor, restart, arguments } = own(name)?;
    let component = predecessor.component;
    let by = by.map_or(Ok(component), component_called)?;
    may_be_replaced(component).and_then(|()| may_be_replaced(by))?;
    with(|init| init.may_be_succeeded(predecessor.domain).and_then(|()| init.has_devices_for(by, predecessor.domain)))
        .unwrap_or(Err(Error::EAGAIN))?;
    let mut prepared = prepare(by, arguments, &Request::default(), choice)?;
    if by.name == component.name {
        prepared.running.restart = restart;
    }
    prepared.running.succeeds = Some(predecessor.domain);
    Ok((prepared, predecessor))
}
impl Init {
    /// `EBUSY`: a device of `by` is driven by another than `old`.
    fn has_devices_for(&self, by: &Component, old: DomainId) -> Result<()> {
        let drives = |running: &Running, device: &String| running.component.devices.contains(device);
        let other = |device| self.running.iter().any(|running| running.domain != old && drives(running, device));
        if by.devices.iter().any(other) { Err(Error::EBUSY) } else { Ok(()) }
    }
}
/// The new one takes the place of the old one while both run.
#[inline(never)]
fn beside(prepared: Prepared, predecessor: Predecessor) -> core::result::Result<DomainId, Refused> {
    let (new, old) = (prepared.loaded.domain, predecessor.domain);
    if let Err(error) = begin(prepared, old).map_err(Refused::from).and_then(|()| succeed(new)) {
        succession::give_up(new, old);
        return Err(error);
    }
    let settled = succession::settle(new, predecessor, supervision::left);
    succession::wait_until_left(old, FINISHED, PAUSE);
    let _ = domains::destroy(old.into());
    with(|init| init.is_nobodys(old));
    if settled { Ok(new) } else { Err(Error::ECANCELED.into()) }
}
/// A component that runs as init's own: where, what its end means, and copies of the words that it was started with.
struct Own {
    predecessor: Predecessor,
    restart: Restart,
    arguments: Vec<Box<str>>,
}
fn own(name: &str) -> Result<Own> {
    let find = |init: &mut Init| {
        let own = |running: &&Running| running.component.name == name && running.starter.is_none();
        let running = init.running.iter().find(own).ok_or(Error::ESRCH)?;
        let arguments = running.words()?;
        let Running { domain, component, restart, .. } = *running;
        Ok(Own { predecessor: Predecessor { domain, component }, restart, arguments })
    };
    with(find).unwrap_or(Err(Error::EAGAIN))
}
/// `ENOTSUP`: the system can not go on without it for a moment, or its end is the system's.
fn may_be_replaced(component: &Component) -> Result<()> {
    if component.boot || component.main { Err(Error::ENOTSUP) } else { Ok(()) }
}
/// Lets the new one run beside `old`.
fn begin(prepared: Prepared, old: DomainId) -> Result<()> {
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
/// The names of the component that is to be replaced, and of another that is to succeed it, in `command`. `EINVAL`: these are not one word or two.
pub fn parse(command: &[u8]) -> Result<(&str, Option<&str>)> {
    let mut words = core::str::from_utf8(command).map_err(|_| Error::EINVAL)?.split_whitespace();
    match (words.next(), words.next(), words.next()) {
        (Some(name), by, None) => Ok((name, by)),
        _ => Err(Error::EINVAL),
    }
}
