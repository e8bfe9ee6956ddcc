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
use abi::section::cut;
use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use blocks::{Blocks, Random, Wall};
use core::sync::atomic::{AtomicUsize, Ordering};
use owners::Owners;
use pebble::Result;
use pebble::account::{Charge, Ledger, Remote};
use pebble::interfaces::descriptor::Server;
use pebble::interfaces::portals::own;
use pebble::interfaces::types::{Alleged, Identity};
use pebble::locks::{self, Block, Locked, Locks, Waits};
use pebble::sync::{Mutex, Semaphore};
use volume::{Last, Open, Owner, Unfit, Volume};

pebble::server!(start);
pebble::serve! { disk { open, unlink, rename, mkdir: make_directory, rmdir: remove_directory, status, link_status, read_link, make_link, sync, space } }

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
    open: BTreeMap<usize, File>,
    locks: Locks<Remote>,
    /// The first file that is to be closed; 0: there is none.
    ended: usize,
    /// The number that was given last, modulo what a portal's constant holds.
    made: usize,
    /// Something was written since the last time.
    changed: bool,
    owners: Owners,
}
/// One that is open.
struct File {
    open: Open,
    charge: Charge,
    /// Nobody has portals to it any more, and its locks are gone: it is to be closed, and then this one (0: no other).
    ended: Option<usize>,
}
/// `None`: there is no disk, or nothing on it that can be used.
struct Mounted(Option<State>);
static STATE: Mutex<Mounted> = Mutex::new(Mounted(None));
/// Threads that wait for locks: half of the stacks here.
static WAITS: Mutex<Waits> = Mutex::new(Waits::new(2));
/// The semaphore that says that a file's portals have gone.
static GONE: AtomicUsize = AtomicUsize::new(0);
/// How many files nobody had portals to any more.
static ENDED: AtomicUsize = AtomicUsize::new(0);

fn start(_: &pebble::Env) {
    let Ok(gone) = Semaphore::new(0) else { return };
    GONE.store(gone.number(), Ordering::Relaxed);
    let Ok(locked) = Semaphore::new(0).map(Arc::new) else { return };
    let is_locked = locked.clone();
    // In a thread, so that clients find the portals at once, and wait for the lock until the disk is ready: it has that before the first of them comes.
    let mounts = pebble::thread::spawn(None, move || {
        let mut state = STATE.lock();
        let _ = is_locked.post();
        drop(is_locked);
        // Without a driver there is no disk, and that is no error.
        let Ok(disk) = Blocks::open() else { pebble::thread::exit_domain(0) };
        match mount(disk) {
            Ok((volume, owners)) => {
                let (open, locks) = (BTreeMap::new(), Locks::new(Remote));
                state.0 = Some(State { volume, open, locks, ended: 0, made: 0, changed: false, owners })
            }
            Err(error) => {
                pebble::println!("pebble: disk: {error}");
                pebble::thread::exit_domain(0);
            }
        }
    });
    if mounts.is_ok() {
        let _ = locked.wait();
    }
    let _ = pebble::thread::spawn(Some(PRIORITY), move || {
        while gone.wait().is_ok() {
            collect();
            close_ended();
        }
    });
    let _ = pebble::thread::spawn(Some(PRIORITY), || {
        loop {
            pebble::time::sleep(PERIOD);
            // One that fails, fails again where somebody is told.
            let _ = with(|state| if state.changed { state.sync() } else { Ok(()) });
            let _ = with(|state| state.volume.reap_left());
        }
    });
}
fn mount(disk: Blocks) -> core::result::Result<(Volume<Blocks, Random>, Owners), Unfit> {
    let mut volume = Volume::mount(disk, Wall, Random::new())?;
    let owners = Owners::of(&mut volume).map_err(Unfit::Failed)?;
    volume.ask_for_memory(pebble::heap::keep_more);
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
    let state = state.0.as_mut().ok_or(Error::EIO)?;
    let _begun = pebble::heap::keep(MEMORY)?;
    let done = body(state);
    state.owners.tell(&mut state.volume);
    // Of a file in many pieces it was more.
    pebble::heap::keep_less(MEMORY);
    done
}
/// The same for one open file.
fn with_file<T>(number: usize, body: impl FnOnce(&mut Volume<Blocks, Random>, &mut Open) -> Result<T>) -> Result<T> {
    with(|State { volume, open, .. }| body(volume, &mut open.get_mut(&number).ok_or(Error::EBADF)?.open))
}
/// Frees the locks of a file that nobody has portals to any more, if there is one. This takes no memory and waits for no disk: who finds nothing here, once it
/// has the lock, finds no lock of the dead in its way either.
fn collect() {
    let mut state = STATE.lock();
    let Some(state) = state.0.as_mut() else { return };
    if let Ok(number) = own::gone() {
        state.end(number);
    }
}
/// Closes what has ended, as soon as there is the memory for that.
fn close_ended() {
    loop {
        let closed = with(|state| {
            let Some(file) = state.open.remove(&state.ended) else { return Ok(false) };
            state.ended = file.ended.unwrap_or(0);
            Remote.refund(file.charge);
            // What is wrong with the disk nobody is there to hear.
            let _ = state.volume.close(file.open);
            Ok(true)
        });
        match closed {
            Ok(true) => {}
            Err(Error::ENOMEM) => pebble::time::sleep(LATER),
            _ => return,
        }
    }
}
/// Nobody has got portals to file `number`.
fn end_now(number: usize) {
    if let Some(state) = STATE.lock().0.as_mut() {
        state.end(number);
    }
    close_ended();
}
fn word(result: Result<usize>) -> isize {
    result.map_or_else(Error::code, |value| value as isize)
}
/// Gives the caller four portals to file `number`; the first one's number.
fn grant(number: usize) -> Result<usize> {
    pebble::portal::grant(Server { read, write, seek, control }, *b"np", number, GONE.load(Ordering::Relaxed))
}
extern "C" fn open(path: Alleged<Name>, how: usize) -> isize {
    let path = match path.name() {
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
    /// File `number` has none of its locks any more, and is to be closed.
    fn end(&mut self, number: usize) {
        let Some(file) = self.open.get_mut(&number).filter(|file| file.ended.is_none()) else { return };
        file.ended = Some(core::mem::replace(&mut self.ended, number));
        self.locks.end(file.open.access().0, number, locks::tell);
        ENDED.fetch_add(1, Ordering::Relaxed);
    }
    fn opened(&mut self, path: &str, how: usize, payer: Owner) -> Result<Open> {
        let open = self.volume.open(path, how, payer)?;
        self.changed |= how & (flags::CREATE | flags::TRUNCATE) != 0;
        Ok(open)
    }
}
/// The first of four portals to a control block of the caller's own for what `number` is open on.
fn reopen(number: usize, open: fn(&mut Volume<Blocks, Random>, &Open, Owner) -> Result<Open>) -> Result<usize> {
    let payer = pebble::account::of_caller()?;
    let charge = Remote.charge(payer, Resource::Files, 1)?;
    let opened = insert(charge, |state, payer| {
        let of = state.open.get(&number).ok_or(Error::EBADF)?;
        open(&mut state.volume, &of.open, payer)
    })?;
    grant_new(opened)
}
impl Locked for Mounted {
    fn locks(&mut self) -> Option<&mut Locks<Remote>> {
        self.0.as_mut().map(|state| &mut state.locks)
    }
    fn block(&mut self, number: usize) -> Result<Block> {
        let file = self.0.as_ref().and_then(|state| state.open.get(&number)).filter(|file| file.ended.is_none());
        let (node, read, write) = file.ok_or(Error::EBADF)?.open.access();
        Ok(Block { number, node, read, write })
    }
    const BLOCKS: usize = FILES;
    fn ended() -> usize {
        ENDED.load(Ordering::Relaxed)
    }
    fn collect() {
        collect();
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
        // Nobody else's, however many were opened since that one was; there are fewer open than numbers.
        while state.made == 0 || state.open.contains_key(&state.made) {
            state.made = (state.made + 1) % (1 << 31);
        }
        state.open.insert(state.made, File { open, charge: charge.take(), ended: None });
        Ok(state.made)
    });
    // What was not opened costs nothing.
    Remote.refund(charge);
    opened
}
/// What `body` comes to for a path.
fn with_path<T>(path: Alleged<Name>, body: impl FnOnce(&mut State, &str) -> Result<T>) -> Result<T> {
    let path = path.name()?;
    with(|state| body(state, path.text()))
}
/// The same for what changes the disk.
fn changing(path: Alleged<Name>, body: impl FnOnce(&mut Volume<Blocks, Random>, &str) -> Result<()>) -> isize {
    let result = with_path(path, |state, path| {
        state.changed = true;
        body(&mut state.volume, path)
    });
    word(result.map(|()| 0))
}
extern "C" fn unlink(path: Alleged<Name>) -> isize {
    changing(path, |volume, path| volume.unlink(path))
}
extern "C" fn make_directory(path: Alleged<Name>) -> isize {
    let made = pebble::account::of_caller().and_then(|payer| {
        with_path(path, |state, path| {
            state.changed = true;
            state.volume.make_directory(path, state.owners.owner(payer))
        })
    });
    word(made.map(|()| 0))
}
extern "C" fn remove_directory(path: Alleged<Name>) -> isize {
    changing(path, |volume, path| volume.remove_directory(path))
}
extern "C" fn rename(from: Alleged<Name>, to: Alleged<Name>) -> isize {
    let to = match to.name() {
        Ok(to) => to,
        Err(error) => return error.code(),
    };
    let renamed = pebble::account::of_caller().and_then(|payer| {
        with_path(from, |state, from| {
            state.changed = true;
            state.volume.rename(from, to.text(), state.owners.owner(payer))
        })
    });
    word(renamed.map(|()| 0))
}
extern "C" fn status(path: Alleged<Name>, to: Alleged<Status>) -> isize {
    status_at(path, Last::Followed, to)
}
extern "C" fn link_status(path: Alleged<Name>, to: Alleged<Status>) -> isize {
    status_at(path, Last::Itself, to)
}
fn status_at(path: Alleged<Name>, last: Last, to: Alleged<Status>) -> isize {
    let found = with_path(path, |state, path| state.volume.status_at(path, last));
    // SAFETY: it may be written.
    word(found.and_then(|status| unsafe { to.write(&status) }).map(|()| 0))
}
extern "C" fn read_link(path: Alleged<Name>, to: Alleged<u8>, room: usize) -> isize {
    // SAFETY: it may be written; it is only written, and by this call alone.
    let to: &mut [u8] = match unsafe { to.window(room).map(|to| to.values_mut()) } {
        Ok(to) => to,
        Err(error) => return error.code(),
    };
    word(with_path(path, |state, path| state.volume.read_link(path)).map(|target| {
        let there = target.len().min(to.len());
        to[..there].copy_from_slice(&target.as_bytes()[..there]);
        target.len()
    }))
}
extern "C" fn make_link(target: Alleged<Name>, path: Alleged<Name>) -> isize {
    let target = match target.name() {
        Ok(target) => target,
        Err(error) => return error.code(),
    };
    let made = pebble::account::of_caller().and_then(|payer| {
        with_path(path, |state, path| {
            state.changed = true;
            state.volume.make_link(path, target.text(), state.owners.owner(payer))
        })
    });
    word(made.map(|()| 0))
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
extern "C" fn read(number: usize, to: Alleged<u8>, count: usize) -> isize {
    // SAFETY: it may be written; it is only written, and by this call alone.
    let to: &mut [u8] = match unsafe { to.window(count).map(|to| to.values_mut()) } {
        Ok(to) => to,
        Err(error) => return error.code(),
    };
    word(with_file(number, |volume, open| volume.read(open, to)))
}
extern "C" fn write(number: usize, from: Alleged<u8>, count: usize) -> isize {
    // SAFETY: what its owner changes meanwhile is written or not.
    let from: &[u8] = match unsafe { from.window(count).map(|from| from.values()) } {
        Ok(from) => from,
        Err(error) => return error.code(),
    };
    word(with(|state| {
        state.changed = true;
        let file = state.open.get_mut(&number).ok_or(Error::EBADF)?;
        state.volume.write(&mut file.open, from)
    }))
}
extern "C" fn seek(number: usize, offset: isize, whence: usize) -> isize {
    word(with_file(number, |volume, open| volume.seek(open, offset, whence)))
}
extern "C" fn control(number: usize, caller: Identity, what: usize, to: Alleged<()>) -> isize {
    word(match what {
        operation::DUPLICATE => grant(number),
        operation::REOPEN => reopen(number, Volume::reopen),
        operation::LOCKER => reopen(number, Volume::keep),
        // SAFETY: a window argument.
        operation::LOCK => {
            caller.meant().and_then(|caller| unsafe { locks::operate(&STATE, &WAITS, number, caller, to.address()) })
        }
        operation::STATUS => with_file(number, |volume, open| volume.status_of(open))
            // SAFETY: the letter of a control portal's window lets it be written.
            .and_then(|status| unsafe { to.of().write(&status) })
            .map(|()| 0),
        operation::NEXT => {
            with_file(number, |volume, open| volume.next(open, |name| Name::of(name).is_ok())).and_then(|next| {
                match next {
                    Some((text, status)) => {
                        let name = cut(&text);
                        // SAFETY: as above.
                        unsafe { to.of().write(&Entry { status, name }) }.map(|()| 1)
                    }
                    None => Ok(0),
                }
            })
        }
        operation::TRUNCATE => to.of::<u64>().read().and_then(|bytes| {
            with(|state| {
                state.changed = true;
                let file = state.open.get(&number).ok_or(Error::EBADF)?;
                state.volume.truncate(&file.open, bytes).map(|()| 0)
            })
        }),
        operation::LEFT_OUT => with_file(number, |volume, open| volume.left_out(open)),
        operation::SYNC => with(State::sync).map(|()| 0),
        _ => Err(Error::EINVAL),
    })
}
