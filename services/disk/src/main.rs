//! Files on the disk: as the files component's, under names of its own: `disk.open` gives its caller four portals.
//!
//! It trusts nobody and nobody trusts it: what is on the disk may be anybody's work. A file ends with its portals, as there. What was
//! written lasts when `disk.sync` has returned, and otherwise a few seconds later. Each open file is charged to the account of who opened
//! it, by the limit `files`, as those of the files component are.
#![no_std]
#![no_main]

extern crate alloc;

mod blocks;
mod owners;

use abi::Error;
use abi::account::Resource;
use abi::file::{Entry, Status, flags, operation};
use abi::name::Name;
use abi::nucleus::NAMELEN;
use abi::system;
use abi::window::{Plain, Window};
use alloc::collections::BTreeMap;
use blocks::{Blocks, Random, Wall};
use core::sync::atomic::{AtomicUsize, Ordering};
use owners::Owners;
use pebble::account::{Charge, Ledger, Remote};
use pebble::interfaces::types::Alleged;
use pebble::portal::call;
use pebble::sync::{Mutex, Semaphore};
use pebble::{Result, check};
use volume::{Open, Owner, Volume};

pebble::server!(start);
pebble::serve! { disk { open, unlink, rename, mkdir: make_directory, rmdir: remove_directory, status, sync, space } }

/// Priority of the threads here.
const PRIORITY: u8 = 30;
/// Most open files of all clients: as many as all accounts together may have.
const FILES: usize = Resource::Files.most() as usize;
/// Bytes that one request may allocate: the file system can not do without what it asks for. Less than what the cache of pages leaves free, so that
/// a page that would be kept there takes nothing of it.
const MEMORY: usize = 256 << 10;
/// Ticks of `hrtime` after which a file that could not be closed is closed.
const LATER: u64 = 50_000_000;
/// Ticks of `hrtime` after which what was written is made to last.
const PERIOD: u64 = 1_000_000_000;

struct State {
    volume: Volume<Blocks, Random>,
    open: BTreeMap<usize, (Open, Charge)>,
    /// Files opened so far, modulo what a portal's constant holds.
    made: usize,
    /// Something was written since the last time.
    changed: bool,
    owners: Owners,
}
/// `None`: there is no disk, or nothing on it that can be used.
static STATE: Mutex<Option<State>> = Mutex::new(None);
/// The semaphore that says that a file's portals have gone.
static GONE: AtomicUsize = AtomicUsize::new(0);

fn start(_: &pebble::Env) {
    let Ok(gone) = Semaphore::new(0) else { return };
    GONE.store(gone.number(), Ordering::Relaxed);
    // In a thread, so that clients find the portals at once, and wait for the lock until the disk is ready.
    let _ = pebble::thread::spawn(None, move || {
        let mut state = STATE.lock();
        // Without a driver there is no disk, and that is no error.
        let Ok(disk) = Blocks::open() else { pebble::thread::exit_domain(0) };
        match mount(disk) {
            Ok((volume, owners)) => {
                *state = Some(State { volume, open: BTreeMap::new(), made: 0, changed: false, owners })
            }
            Err(error) => {
                pebble::println!("pebble: disk: there is no file system on it, or it is damaged: {}", error.text());
                pebble::thread::exit_domain(0);
            }
        }
    });
    let _ = pebble::thread::spawn(Some(PRIORITY), move || {
        while gone.wait().is_ok() {
            if let Ok(number) = check(call(system::PORTAL_GONE, [])) {
                end_now(number);
            }
        }
    });
    let _ = pebble::thread::spawn(Some(PRIORITY), || {
        loop {
            pebble::time::sleep(PERIOD);
            // One that fails, fails again where somebody is told.
            let _ = with(|state| if state.changed { state.sync() } else { Ok(()) });
        }
    });
}
fn mount(disk: Blocks) -> Result<(Volume<Blocks, Random>, Owners)> {
    let mut volume = Volume::mount(disk, Wall, Random::new())?;
    let owners = Owners::of(&mut volume)?;
    Ok((volume, owners))
}
impl State {
    fn sync(&mut self) -> Result<()> {
        self.volume.sync()?;
        self.changed = false;
        Ok(())
    }
}
/// `EIO`: there is no disk; `ENOMEM`: there is no memory for what `body` may need.
fn with<T>(body: impl FnOnce(&mut State) -> Result<T>) -> Result<T> {
    let mut state = STATE.lock();
    let state = state.as_mut().ok_or(Error::EIO)?;
    let _begun = pebble::heap::keep(MEMORY)?;
    let done = body(state);
    state.owners.tell(&mut state.volume);
    done
}
/// The same for one open file.
fn with_file<T>(number: usize, body: impl FnOnce(&mut Volume<Blocks, Random>, &mut Open) -> Result<T>) -> Result<T> {
    with(|State { volume, open, .. }| body(volume, &mut open.get_mut(&number).ok_or(Error::EBADF)?.0))
}
/// File `number` is open no more. `ENOMEM`: it still is.
fn end(number: usize) -> Result<()> {
    with(|state| {
        if let Some((open, charge)) = state.open.remove(&number) {
            Remote.refund(charge);
            // What is wrong with the disk nobody is there to hear.
            let _ = state.volume.close(open);
        }
        Ok(())
    })
}
/// Nobody has portals to file `number` any more: it is closed, as soon as there is the memory for that.
fn end_now(number: usize) {
    while end(number) == Err(Error::ENOMEM) {
        pebble::time::sleep(LATER);
    }
}
fn word(result: Result<usize>) -> isize {
    result.map_or_else(Error::code, |value| value as isize)
}
/// Gives the caller four portals to file `number`; the first one's number.
fn grant(number: usize) -> Result<usize> {
    let portals = [
        ("npcwi", read as *const ()),
        ("npcri", write as *const ()),
        ("npcii", seek as *const ()),
        ("npciw", control as *const ()),
    ];
    pebble::portal::grant(portals, number, GONE.load(Ordering::Relaxed))
}
extern "C" fn open(path: Alleged<Name>, how: usize) -> isize {
    // SAFETY: a window argument.
    let path = match unsafe { Name::read(path.address()) } {
        Ok(path) => path,
        Err(error) => return error.code(),
    };
    let opened = pebble::account::of_caller()
        .and_then(|payer| Remote.charge(payer, Resource::Files, 1))
        .and_then(|charge| insert(charge, |state, payer| state.opened(path.text(), how, payer)));
    word(opened.and_then(grant_new))
}
/// The same for one that is newly open, which ends if its portals can not be made.
fn grant_new(number: usize) -> Result<usize> {
    grant(number).inspect_err(|_| end_now(number))
}
impl State {
    fn opened(&mut self, path: &str, how: usize, payer: Owner) -> Result<Open> {
        let open = self.volume.open(path, how, payer)?;
        self.changed |= how & (flags::CREATE | flags::TRUNCATE) != 0;
        Ok(open)
    }
    fn reopened(&mut self, number: usize, payer: Owner) -> Result<Open> {
        let (open, _) = self.open.get(&number).ok_or(Error::EBADF)?;
        self.volume.reopen(open, payer)
    }
}
/// The number of what `open` opens, which keeps `charge`.
fn insert(mut charge: Charge, open: impl FnOnce(&mut State, Owner) -> Result<Open>) -> Result<usize> {
    let opened = with(|state| {
        if state.open.len() >= FILES {
            return Err(Error::ENFILE);
        }
        let payer = state.owners.owner(charge.account());
        let open = open(state, payer)?;
        state.made = (state.made + 1) % (1 << 31);
        state.open.insert(state.made, (open, charge.take()));
        Ok(state.made)
    });
    // What was not opened costs nothing.
    Remote.refund(charge);
    opened
}
/// What `body` comes to for a path.
///
/// # Safety
/// `path` is a window argument of the call that is being served.
unsafe fn with_path<T>(path: Alleged<Name>, body: impl FnOnce(&mut State, &str) -> Result<T>) -> Result<T> {
    // SAFETY: as for this function.
    let path = unsafe { Name::read(path.address()) }?;
    with(|state| body(state, path.text()))
}
/// The same for what changes the disk.
///
/// # Safety
/// As for [`with_path`].
unsafe fn changing(path: Alleged<Name>, body: impl FnOnce(&mut Volume<Blocks, Random>, &str) -> Result<()>) -> isize {
    // SAFETY: as for this function.
    let result = unsafe {
        with_path(path, |state, path| {
            state.changed = true;
            body(&mut state.volume, path)
        })
    };
    word(result.map(|()| 0))
}
extern "C" fn unlink(path: Alleged<Name>) -> isize {
    // SAFETY: a window argument.
    unsafe { changing(path, |volume, path| volume.unlink(path)) }
}
extern "C" fn make_directory(path: Alleged<Name>) -> isize {
    // SAFETY: a window argument.
    let made = pebble::account::of_caller().and_then(|payer| unsafe {
        with_path(path, |state, path| {
            state.changed = true;
            state.volume.make_directory(path, state.owners.owner(payer))
        })
    });
    word(made.map(|()| 0))
}
extern "C" fn remove_directory(path: Alleged<Name>) -> isize {
    // SAFETY: a window argument.
    unsafe { changing(path, |volume, path| volume.remove_directory(path)) }
}
extern "C" fn rename(from: Alleged<Name>, to: Alleged<Name>) -> isize {
    // SAFETY: a window argument.
    let to = match unsafe { Name::read(to.address()) } {
        Ok(to) => to,
        Err(error) => return error.code(),
    };
    // SAFETY: a window argument.
    unsafe { changing(from, |volume, from| volume.rename(from, to.text())) }
}
extern "C" fn status(path: Alleged<Name>, to: Alleged<Status>) -> isize {
    // SAFETY: window arguments, and the second may be written.
    word(unsafe {
        with_path(path, |state, path| state.volume.status_at(path)).and_then(|status| put(to.address(), &status))
    })
}
/// Writes `value` at `address`; 0.
///
/// # Safety
/// `address` is a window argument of the call that is being served, which may be written.
unsafe fn put<T: Plain>(address: usize, value: &T) -> Result<usize> {
    // SAFETY: as for this function.
    unsafe { abi::window::write(address, value) }.map(|()| 0)
}
extern "C" fn sync() -> isize {
    word(with(State::sync).map(|()| 0))
}
/// KiB that there are, or, of 1, that are free.
extern "C" fn space(which: usize) -> isize {
    word(with(|state| {
        let space = state.volume.space();
        Ok((if which == 0 { space.all } else { space.free } / 1024) as usize)
    }))
}
extern "C" fn read(number: usize, to: usize, count: usize) -> isize {
    // SAFETY: a window argument, which may be written; it is only written, and by this call alone.
    let to: &mut [u8] = match unsafe { Window::new(to, count).map(|to| to.values_mut()) } {
        Ok(to) => to,
        Err(error) => return error.code(),
    };
    word(with_file(number, |volume, open| volume.read(open, to)))
}
extern "C" fn write(number: usize, from: usize, count: usize) -> isize {
    // SAFETY: a window argument; what its owner changes meanwhile is written or not.
    let from: &[u8] = match unsafe { Window::new(from, count).map(|from| from.values()) } {
        Ok(from) => from,
        Err(error) => return error.code(),
    };
    word(with(|state| {
        state.changed = true;
        let (open, _) = state.open.get_mut(&number).ok_or(Error::EBADF)?;
        state.volume.write(open, from)
    }))
}
extern "C" fn seek(number: usize, offset: isize, whence: usize) -> isize {
    word(with_file(number, |volume, open| volume.seek(open, offset, whence)))
}
extern "C" fn control(number: usize, what: usize, to: usize) -> isize {
    word(match what {
        operation::DUPLICATE => grant(number),
        operation::REOPEN => pebble::account::of_caller()
            .and_then(|payer| Remote.charge(payer, Resource::Files, 1))
            .and_then(|charge| insert(charge, |state, payer| state.reopened(number, payer)))
            .and_then(grant_new),
        operation::STATUS => with_file(number, |volume, open| volume.status_of(open))
            // SAFETY: a window argument, which may be written.
            .and_then(|status| unsafe { put(to, &status) }),
        operation::NEXT => with_file(number, |volume, open| volume.next(open)).and_then(|next| match next {
            Some((text, status)) => {
                let mut name = [0; NAMELEN];
                name[..text.len()].copy_from_slice(text.as_bytes());
                // SAFETY: as above.
                unsafe { put(to, &Entry { status, name }) }.map(|_| 1)
            }
            None => Ok(0),
        }),
        // SAFETY: as above.
        operation::TRUNCATE => unsafe { abi::window::read::<u64>(to) }.and_then(|bytes| {
            with(|state| {
                state.changed = true;
                let (open, _) = state.open.get(&number).ok_or(Error::EBADF)?;
                state.volume.truncate(open, bytes).map(|()| 0)
            })
        }),
        operation::SYNC => with(State::sync).map(|()| 0),
        _ => Err(Error::EINVAL),
    })
}
