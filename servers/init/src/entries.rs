//! The portals: what each decodes of its arguments, and what it returns.

use crate::loader;
use crate::replacement;
use crate::succession::Refused;
use crate::{
    Init, archive, component, copied, end, log, not_started, prepare, run, say_line, share_the_rest, start_component,
    supervision, with,
};
use abi::Error;
use abi::account::DiskParts;
use abi::archive::VA;
use abi::identity::DomainId;
use abi::section::{NAME, cut};
use abi::system::ended;
use abi::updating::ImageState;
use alloc::vec::Vec;
use init_logic::line::Line;
use init_logic::places::Ticket;
use init_logic::start::Request;
use init_logic::updates::File;
use manifest::Restart;
use pebble::interfaces::types::{Alleged, Identity, Ticks};
use pebble::{Result, account, fallible};

/// The disk has so many pages for components, which is shared out from now on; writes the [`DiskParts`].
pub extern "C" fn disk(pages: usize, to: Alleged<DiskParts>) -> isize {
    let Some(system) = with(|init| init.system) else { return Error::EAGAIN.code() };
    let parts = share_the_rest(system, pages.min(u32::MAX as usize));
    // SAFETY: a window argument, which may be written.
    unsafe { to.write(&parts) }.map_or_else(Error::code, |()| 0)
}

/// Of file `number` of the image: its path, 0-terminated, where `offset` is `usize::MAX`; else the bytes from there on that
/// fit in the rest of the window's page, and how many. `ENOENT`: there are not so many files.
pub extern "C" fn file(number: usize, offset: usize, to: Alleged<u8>) -> isize {
    let Some(file) = archive().and_then(|a| a.files.get(number)) else { return Error::ENOENT.code() };
    let bytes = if offset == usize::MAX {
        &file.path[..]
    } else {
        let all = pebble::boot::info().archive_bytes as usize;
        let (start, end) =
            (file.offset as usize + offset.min(file.bytes as usize), (file.offset + file.bytes) as usize);
        if end > all {
            return Error::EIO.code();
        }
        // SAFETY: in the archive, which is mapped read-only here.
        unsafe { core::slice::from_raw_parts((VA + start) as *const u8, end - start) }
    };
    // SAFETY: a window argument, which may be written.
    unsafe { to.rest() }.map_or_else(Error::code, |window| window.copy_from(bytes) as isize)
}
/// Lines that a component may say in the system log.
const LINES: u8 = 8;
/// Bytes of one.
const LINE: usize = 256;
/// Says for a component why it ends, in the system log. `EACCESS`: it is none that init has started, or it has said enough.
pub extern "C" fn say(domain: Identity, text: Alleged<u8>, length: usize) -> isize {
    let said = with(|init| {
        init.running(domain).filter(|running| running.lines < LINES).map(|running| {
            running.lines += 1;
            running.component.name.as_str()
        })
    });
    let Some(name) = said.flatten() else { return Error::EACCESS.code() };
    window(text, length.min(LINE)).map_or_else(Error::code, |bytes| {
        say_line(|init| init.source(name), &init_logic::log::said(name, &bytes));
        0
    })
}

/// The system log from byte `from` on, as much of it as fits in the rest of the window's page; how many bytes.
pub extern "C" fn lines(from: usize, to: Alleged<u8>) -> isize {
    let copied = with(|_| {
        let mut copied = Ok(0);
        log(|l| {
            let text = l.text();
            // SAFETY: a window argument, which may be written.
            let window = unsafe { to.rest() };
            copied = window.map(|window| window.copy_from(text.get(from..).unwrap_or(&[])) as isize);
        });
        copied
    });
    copied.unwrap_or(Ok(0)).unwrap_or_else(Error::code)
}
/// The domain may end without being started again. `ESRCH`: it is no component that init has started, or none any more, whoever has its number.
pub extern "C" fn let_end(domain: Identity) -> isize {
    let known = with(|init| init.running(domain).map(|running| running.restart = Restart::Never));
    known.flatten().map_or(Error::ESRCH.code(), |()| 0)
}

/// The bytes that a window shows.
fn window(shown: Alleged<u8>, bytes: usize) -> Result<Vec<u8>> {
    // SAFETY: it is only read.
    let window = unsafe { shown.window(bytes) }?;
    let mut copy = fallible::zero_bytes(bytes)?;
    window.copy_to(&mut copy);
    Ok(copy)
}
/// Starts a component as init's own; its number.
pub extern "C" fn spawn(command: Alleged<u8>, length: usize) -> isize {
    let started = window(command, length).and_then(|line| {
        let line = core::str::from_utf8(&line).map_err(|_| Error::EINVAL)?;
        let mut words = line.split_whitespace();
        let component = component(words.next().ok_or(Error::EINVAL)?)?;
        let words = copied(words)?;
        supervision::by_hand(component, || start_component(component, words))
    });
    started.map_or_else(Error::code, |domain| domain.number() as isize)
}
/// Loads a component that does not run yet, for domain `starter`; its identity. `EBUSY`: as many as its account may have wait to be started; `EDEAD`:
/// it has ended.
pub extern "C" fn load(starter: Identity, request: Alleged<u8>, length: usize) -> isize {
    load_for(starter, request, length).map_or_else(Error::code, |domain| domain.word() as isize)
}
fn load_for(starter: Identity, request: Alleged<u8>, length: usize) -> Result<DomainId> {
    let starter = starter.meant()?;
    let request = window(request, length)?;
    let (header, mut words, environment) = abi::spawn::parse(&request).ok_or(Error::EINVAL)?;
    let name = words.next().ok_or(Error::EINVAL)?;
    let (arguments, environment) = (copied(words)?, fallible::collected(environment)?);
    let component = component(name)?;
    let place = place_for(starter)?;
    let request = Request {
        arguments: &[],
        environment: &environment,
        starter: Some(starter),
        inherited: header.inherited as u32,
    };
    let mut prepared = match prepare(component, arguments, &request, None) {
        Ok(prepared) => prepared,
        Err(error) => {
            with(|init| init.prepared.give_up(place));
            return Err(not_started(component, error));
        }
    };
    prepared.running.starter = Some(starter);
    let domain = prepared.loaded.domain;
    match with(|init| init.prepared.fill(place, prepared)) {
        Some(None) => Ok(domain),
        // Its starter has ended since.
        Some(Some(prepared)) => {
            loader::discard(prepared.loaded.domain);
            Err(Error::EDEAD)
        }
        None => Err(Error::EAGAIN),
    }
}
/// A place for what `starter` has loaded. `EBUSY`; `EDEAD`: it has ended.
fn place_for(starter: DomainId) -> Result<Ticket> {
    let account = account::of(starter).map_err(|_| Error::EDEAD)?.number();
    let place = with(|init| init.prepared.take(starter, account)).ok_or(Error::EAGAIN)??;
    // Whoever ends from here on gives the place back. Who has ended before is not heard of again.
    if account::of(starter).is_err() {
        with(|init| init.prepared.give_up(place));
        return Err(Error::EDEAD);
    }
    Ok(place)
}
/// Lets a component run that the same domain has loaded. `ESRCH`: it has not.
pub extern "C" fn start_loaded(starter: Identity, domain: Identity) -> isize {
    let (Ok(starter), Ok(domain)) = (starter.meant(), domain.meant()) else { return Error::ESRCH.code() };
    let prepared = with(|init| init.prepared.start(starter, |prepared| prepared.loaded.domain == domain)).flatten();
    let Some(prepared) = prepared else { return Error::ESRCH.code() };
    let component = prepared.running.component;
    let started = supervision::by_hand(component, || run(prepared));
    started.map_or_else(|error| not_started(component, error).code(), |_| 0)
}
pub extern "C" fn components(n: usize, out: Alleged<[u8; NAME]>) -> isize {
    let name = with(|init| init.system.components.get(n).map(|c| c.name.as_str())).flatten();
    let Some(name) = name else { return Error::ENOENT.code() };
    // SAFETY: a window argument, which may be written.
    unsafe { out.write(&cut(name)) }.map_or_else(Error::code, |()| 0)
}
pub extern "C" fn halt(status: usize) -> isize {
    end(ended::EXIT, status as i64);
    Error::EIO.code()
}
/// The text that a window shows.
fn name(shown: Alleged<u8>, length: usize) -> Result<Line> {
    let bytes = window(shown, length.min(NAME))?;
    let name = core::str::from_utf8(&bytes).map_err(|_| Error::ENOENT)?;
    Ok(Line::of(format_args!("{name}")))
}
/// Waits until something happens to a component; its state.
pub extern "C" fn watch_component(
    whose: Identity,
    shown: Alleged<u8>,
    length: usize,
    seen: usize,
    ticks: Ticks,
) -> isize {
    let state = whose.meant().and_then(|whose| supervision::watch(whose, name(shown, length)?.text(), seen, ticks.0));
    state.map_or_else(Error::code, |state| state.word() as isize)
}
/// A component that waits to be started again is not. `ESRCH`: it does not wait.
pub extern "C" fn give_up(shown: Alleged<u8>, length: usize) -> isize {
    name(shown, length).and_then(|name| supervision::give_up(name.text())).map_or_else(Error::code, |()| 0)
}
/// Domain `who` hands over an update (`lib/update`) of so many bytes.
pub extern "C" fn images_begin(who: Identity, bytes: usize) -> isize {
    let begun = || {
        let who = who.meant()?;
        with(|init| init.updates.room_for(bytes)).unwrap_or(Err(Error::EAGAIN))?;
        let file = File::of(bytes)?;
        with(|init| init.updates.begin(who, file)).ok_or(Error::EAGAIN)
    };
    begun().map_or_else(Error::code, |()| 0)
}
/// The next bytes of it.
pub extern "C" fn images_add(who: Identity, from: Alleged<u8>, length: usize) -> isize {
    let added = || {
        // SAFETY: it is only read.
        let (who, window) = (who.meant()?, unsafe { from.window(length) }?);
        let copied = |init: &mut Init| init.updates.begun(who)?.next(length).map(|room| window.copy_to(room));
        with(copied).unwrap_or(Err(Error::EAGAIN))
    };
    added().map_or_else(Error::code, |_| 0)
}
/// It is whole, and what its component is to have next.
pub extern "C" fn images_put(who: Identity) -> isize {
    let put = |who| with(|init| init.updates.put(who, &init.system.components)).unwrap_or(Err(Error::EAGAIN));
    who.meant().and_then(put).map_or_else(Error::code, |()| 0)
}
/// What becomes of the component that a window names, which has that place. `ENOENT`: there is none of that name.
fn image_of<T>(shown: Alleged<u8>, length: usize, what: impl FnOnce(&mut Init, usize) -> Result<T>) -> Result<T> {
    let name = name(shown, length)?;
    let of = |init: &mut Init| {
        let place = init.place(name.text()).ok_or(Error::ENOENT)?;
        what(init, place)
    };
    with(of).unwrap_or(Err(Error::EAGAIN))
}
/// The component is to have what it had before, if that was `version`.
pub extern "C" fn images_before(shown: Alleged<u8>, length: usize, version: usize) -> isize {
    let before = |init: &mut Init, place| init.updates.before(place, version as u64);
    image_of(shown, length, before).map_or_else(Error::code, |()| 0)
}
/// The component is to have the archive's image.
pub extern "C" fn images_own(shown: Alleged<u8>, length: usize) -> isize {
    let own = |init: &mut Init, place| {
        init.updates.own(place);
        Ok(())
    };
    image_of(shown, length, own).map_or_else(Error::code, |()| 0)
}
/// The image that the component has, and what has become of it.
pub extern "C" fn images_state(shown: Alleged<u8>, length: usize, out: Alleged<ImageState>) -> isize {
    let state = image_of(shown, length, |init, place| {
        let name = &init.system.components[place].name;
        let its = init.running.iter().filter(|running| running.component.name == *name);
        init.updates.state(place, its.filter(|running| running.succeeds.is_none()).map(|running| &running.image))
    });
    // SAFETY: a window argument, which may be written.
    state.and_then(|state| unsafe { out.write(&state) }).map_or_else(Error::code, |()| 0)
}
/// A component has what it is to have next; the number of its new domain, or 0: it does not run.
pub extern "C" fn images_apply(out: Alleged<[u8; NAME]>) -> isize {
    match replacement::apply() {
        Ok(domain) => domain.map_or(0, |domain| domain.number() as isize),
        // SAFETY: a window argument, which may be written.
        Err(Refused(error, name)) => unsafe { out.write(&name) }.err().unwrap_or(error).code(),
    }
}
/// Replaces a component; the number of the new domain. What is in the way is written to the window.
pub extern "C" fn replace(command: Alleged<u8>, length: usize, out: Alleged<[u8; NAME]>) -> isize {
    let replaced = window(command, length).map_err(Refused::from).and_then(|command| {
        let (name, by) = replacement::parse(&command)?;
        replacement::replace(name, by)
    });
    match replaced {
        Ok(domain) => domain.number() as isize,
        // SAFETY: a window argument, which may be written.
        Err(Refused(error, name)) => unsafe { out.write(&name) }.err().unwrap_or(error).code(),
    }
}
