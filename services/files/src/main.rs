//! Files in memory, in directories, and pipes: `open` gives its caller four portals (read, write, seek, control), the control block's number
//! embedded in each.
//!
//! A control block lives as long as somebody has one of its portals: when the last entry that led to one has gone, whether it was
//! closed or its domain has ended, the portal manager posts a semaphore, and names the control block to a thread here that asks. That
//! thread frees one after the other, at an ordinary priority: whoever has more important things to do than what others have left
//! behind is not kept from them.
//!
//! What is kept for a client is charged to its account: each control block, by the limit `files`, and the pages of what it makes, by
//! `storage`. Who opens a file pays for what is written through that control block, whoever has it later.
#![no_std]
#![no_main]
#![feature(allocator_api)]

extern crate alloc;

mod pipes;

use abi::Error;
use abi::account::Resource;
use abi::address::PAGE;
use abi::file::{Entry, Hand, Status, flags, kind, operation};
use abi::identity::DomainId;
use abi::name::Name;
use abi::section::cut;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicUsize, Ordering};
use files_logic::{LOCK_WAITS, Open, Store};
use pebble::Result;
use pebble::account::{Account, Charge, Ledger, Remote};
use pebble::fallible::{self, TryPush};
use pebble::interfaces::descriptor::Server;
use pebble::interfaces::init;
use pebble::interfaces::portals::own;
use pebble::interfaces::types::{Alleged, Identity};
use pebble::locks::{self, Block, Locked, Locks, Waits};
use pebble::sync::{Mutex, Semaphore};
use pipes::End;

pebble::server!(start);
pebble::serve! { files { open, inherit, pipe: pipes::pipe, unlink, mkdir: make_directory, rmdir: remove_directory, rename, status } }

/// What a client's portals lead to.
enum Control {
    /// Nothing: its place is free.
    Free,
    File(Open),
    Pipe(End),
}
/// A control block's place.
struct Slot {
    control: Control,
    /// The number that its portals have: its place, and above that a count. A thread that was waiting when its domain ended
    /// must not take its place's next control block for its own. 0: the place is free.
    number: usize,
    /// Who may have portals to it by `files.inherit`, each once: programs of a pipeline have the same standard error. At most [`HEIRS`], the latest last.
    heirs: Vec<Heir>,
    /// What it has cost its client.
    charge: Charge,
}
impl Slot {
    const FREE: Slot = Slot { control: Control::Free, number: 0, heirs: Vec::new(), charge: Charge::NONE };
}
/// A domain to which another has handed over what is to be one of its standard streams. The one that hands over is named too, so that
/// nobody is given a stream by others than its starter. Both are the very ones that were meant, not who has their numbers later.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Heir {
    domain: DomainId,
    starter: DomainId,
    /// Bit n: as standard stream n.
    streams: usize,
}
/// Standard input, output and error.
const STREAMS: usize = 3;
/// Most programs that have been handed one control block and have not taken it yet: more than any pipeline has, few enough that nobody's memory is taken by it.
const HEIRS: usize = 32;
/// Most control blocks at one time.
const SLOTS: usize = 1 << 12;
struct State {
    store: Store<Remote>,
    locks: Locks<Remote>,
    slots: Vec<Slot>,
    /// Control blocks made so far, and pipes.
    made: usize,
    pipes: usize,
    /// Number of the semaphore that says that a control block's portals have gone.
    gone: usize,
}
/// Priority of the thread that frees control blocks: that of a component whose manifest entry says nothing.
const COLLECTOR_PRIORITY: u8 = 20;
static STATE: Mutex<State> = Mutex::new(State {
    store: Store::new(Remote),
    locks: Locks::new(Remote),
    slots: Vec::new(),
    made: 0,
    pipes: 0,
    gone: 0,
});
/// Threads that wait for locks: as many as there are semaphores for beside those of pipes.
static WAITS: Mutex<Waits> = Mutex::new(Waits::new(LOCK_WAITS));

/// How many control blocks have ended.
static ENDED: AtomicUsize = AtomicUsize::new(0);

fn start(_: &pebble::Env) {
    let Ok(gone) = Semaphore::new(0) else { return };
    STATE.lock().gone = gone.number();
    import_files();
    let _ = pebble::thread::spawn(Some(COLLECTOR_PRIORITY), move || {
        while gone.wait().is_ok() {
            collect();
        }
    });
}
/// A page of its own, which a window can show.
#[repr(align(4096))]
struct Buffer([u8; PAGE]);

/// Takes over the files that came with the image: the system's.
fn import_files() {
    // Made in place: the stack has no room for it.
    // SAFETY: bytes.
    let Ok(mut buffer) = (unsafe { fallible::zeroed::<Buffer>() }) else { return };
    for number in 0.. {
        if init::file(number, usize::MAX, Alleged::lend_all_to_write(&mut buffer.0)).is_err() {
            return;
        }
        let Ok(name) = Name::new(&buffer.0) else { continue };
        let mut state = STATE.lock();
        if state.store.make_parents(name.text(), Account::SYSTEM).is_err() {
            continue;
        }
        let how = flags::WRITE_ONLY | flags::CREATE;
        let Ok(mut file) = state.store.open(name.text(), how, Account::SYSTEM) else { continue };
        let mut offset = 0;
        while let Ok(count @ 1..) = init::file(number, offset, Alleged::lend_all_to_write(&mut buffer.0)) {
            if state.store.write(&mut file, &buffer.0[..count]).is_err() {
                break;
            }
            offset += count;
        }
        state.store.close(file);
    }
}
/// Frees a control block that nobody has a portal to, if there is one; whether there was.
fn collect() -> bool {
    // The lock goes first: what somebody has been told of here is free for who finds nothing after that.
    let mut state = STATE.lock();
    let Ok(number) = own::gone() else { return false };
    state.end(number);
    true
}
/// The control block with this number.
#[inline(always)]
fn slot(slots: &mut [Slot], number: usize) -> Option<&mut Slot> {
    slots.get_mut(number % SLOTS).filter(|slot| slot.number == number)
}
impl State {
    /// Nobody uses control block `number` any more, if it was there: its place is free.
    fn end(&mut self, number: usize) {
        let Some(slot) = slot(&mut self.slots, number) else { return };
        let Slot { control, charge, .. } = core::mem::replace(slot, Slot::FREE);
        match control {
            Control::Free => {}
            Control::File(open) => {
                self.locks.end(open.access().0, number, locks::tell);
                self.store.close(open);
            }
            Control::Pipe(end) => end.leave(),
        }
        Remote.refund(charge);
        ENDED.fetch_add(1, Ordering::Relaxed);
    }
    /// A free place for a control block of `payer`'s, and what it costs. `ENFILE`: there is none, or none for that one; `ENOMEM`.
    fn free_place(&mut self, payer: Account) -> Result<(usize, Charge)> {
        let place = self.slots.iter().position(|slot| slot.number == 0).unwrap_or(self.slots.len());
        if place == SLOTS {
            return Err(Error::ENFILE);
        }
        if place == self.slots.len() {
            self.slots.try_push(Slot::FREE)?;
        }
        Ok((place, Remote.charge(payer, Resource::Files, 1)?))
    }
    /// A new control block at a free place; its number.
    fn put(&mut self, (place, charge): (usize, Charge), control: Control) -> usize {
        self.made = (self.made + 1) % (1 << 19);
        let number = self.made * SLOTS + place;
        self.slots[place] = Slot { control, number, heirs: Vec::new(), charge };
        number
    }
    /// A new control block for `payer` with what `make` gives; its number. `ENFILE`, `ENOMEM`, or what `make` ends with.
    fn put_new(&mut self, payer: Account, make: impl FnOnce(&mut Store<Remote>) -> Result<Control>) -> Result<usize> {
        let (place, charge) = self.free_place(payer)?;
        match make(&mut self.store) {
            Ok(control) => Ok(self.put((place, charge), control)),
            Err(error) => {
                Remote.refund(charge);
                Err(error)
            }
        }
    }
}
/// Gives the caller four portals to control block `number`; the first one's number.
fn grant(number: usize) -> isize {
    let (gone, is_pipe) = {
        let mut state = STATE.lock();
        let control = slot(&mut state.slots, number).map(|slot| &slot.control);
        let is_pipe = matches!(control, Some(Control::Pipe(..)));
        (state.gone, is_pipe)
    };
    let server = Server { read, write, seek, control };
    let server = if is_pipe { Server { read: pipes::read, write: pipes::write, ..server } } else { server };
    pebble::portal::grant(server, *b"sm", number, gone).map_or_else(Error::code, |first| first as isize)
}
/// The same for a new control block, which ends if its portals can not be made.
fn grant_new(number: usize) -> isize {
    let result = grant(number);
    if result < 0 {
        STATE.lock().end(number);
    }
    result
}
/// What `make` comes to, once what nobody uses any more has made room where there is none. `make` has let go of its locks when it
/// returns: collecting takes them.
fn collecting<T>(mut make: impl FnMut() -> Result<T>) -> Result<T> {
    loop {
        let before = ENDED.load(Ordering::Relaxed);
        match make() {
            // The collector may have come first, and left nothing to collect, but room.
            Err(Error::ENFILE) if collect() || ENDED.load(Ordering::Relaxed) != before => {}
            result => return result,
        }
    }
}
/// Adds a control block, once those that nobody uses any more have made room where there is none.
fn add(mut make: impl FnMut(&mut State) -> Result<usize>) -> Result<usize> {
    collecting(|| make(&mut STATE.lock()))
}
fn code(result: Result<usize>) -> isize {
    result.map_or_else(Error::code, |value| value as isize)
}
extern "C" fn open(path: Alleged<Name>, how: usize) -> isize {
    let Ok(name) = path.name() else { return Error::EINVAL.code() };
    let opened = pebble::account::of_caller().and_then(|payer| {
        add(|state| state.put_new(payer, |store| store.open(name.text(), how, payer).map(Control::File)))
    });
    opened.map_or_else(Error::code, grant_new)
}
/// What `body` comes to for a path.
fn with_path<T>(path: Alleged<Name>, body: impl FnOnce(&mut Store<Remote>, &str) -> Result<T>) -> Result<T> {
    let name = path.name()?;
    body(&mut STATE.lock().store, name.text())
}
extern "C" fn unlink(path: Alleged<Name>) -> isize {
    code(with_path(path, Store::unlink).map(|()| 0))
}
extern "C" fn make_directory(path: Alleged<Name>) -> isize {
    let made =
        pebble::account::of_caller().and_then(|payer| with_path(path, |store, path| store.make_directory(path, payer)));
    code(made.map(|()| 0))
}
extern "C" fn remove_directory(path: Alleged<Name>) -> isize {
    code(with_path(path, Store::remove_directory).map(|()| 0))
}
extern "C" fn rename(from: Alleged<Name>, to: Alleged<Name>) -> isize {
    let to = match to.name() {
        Ok(to) => to,
        Err(error) => return error.code(),
    };
    code(with_path(from, |store, from| store.rename(from, to.text())).map(|()| 0))
}
extern "C" fn status(path: Alleged<Name>, to: Alleged<Status>) -> isize {
    // SAFETY: it may be written.
    code(
        with_path(path, |store, path| store.status_at(path))
            .and_then(|status| unsafe { to.write(&status) })
            .map(|()| 0),
    )
}
extern "C" fn read(number: usize, to: Alleged<u8>, count: usize) -> isize {
    // SAFETY: it may be written.
    let to = match unsafe { to.window(count) } {
        Ok(to) => to,
        Err(error) => return error.code(),
    };
    let mut state = STATE.lock();
    let State { store, slots, .. } = &mut *state;
    let Some(Slot { control: Control::File(open), .. }) = slot(slots, number) else { return Error::EBADF.code() };
    let mut at = 0;
    code(store.read(open, to.count(), |piece| at += to.copy_from_at(at, piece)))
}
extern "C" fn write(number: usize, from: Alleged<u8>, count: usize) -> isize {
    // SAFETY: it is only read, once.
    let from: &[u8] = match unsafe { from.window(count).map(|from| from.values()) } {
        Ok(from) => from,
        Err(error) => return error.code(),
    };
    let mut state = STATE.lock();
    let State { store, slots, .. } = &mut *state;
    let Some(Slot { control: Control::File(open), .. }) = slot(slots, number) else { return Error::EBADF.code() };
    code(store.write(open, from))
}
extern "C" fn seek(number: usize, offset: isize, whence: usize) -> isize {
    let mut state = STATE.lock();
    let State { store, slots, .. } = &mut *state;
    match slot(slots, number) {
        Some(Slot { control: Control::File(open), .. }) => code(store.seek(open, offset, whence)),
        Some(_) => Error::ESPIPE.code(),
        _ => Error::EBADF.code(),
    }
}
/// Standard stream `stream` of the calling domain, as its `starter` has handed it over: the first of four portals. `ENOENT`: it has not,
/// or the caller had it already.
extern "C" fn inherit(heir: Identity, starter: Identity, stream: usize) -> isize {
    let (heir, starter) = match (heir.meant(), starter.meant()) {
        (Ok(heir), Ok(starter)) => (heir, starter),
        _ => return Error::EINVAL.code(),
    };
    let number = take_inherited(&mut STATE.lock().slots, heir, starter, stream);
    number.map_or(Error::ENOENT.code(), grant)
}
/// The number of the control block that was handed over so, and is not any more.
fn take_inherited(slots: &mut [Slot], domain: DomainId, starter: DomainId, stream: usize) -> Option<usize> {
    let bit = 1usize.checked_shl(stream as u32)?;
    for slot in slots {
        let is_meant = |heir: &Heir| (heir.domain, heir.starter) == (domain, starter) && heir.streams & bit != 0;
        if let Some(place) = slot.heirs.iter().position(is_meant) {
            slot.heirs[place].streams &= !bit;
            if slot.heirs[place].streams == 0 {
                slot.heirs.remove(place);
            }
            return Some(slot.number);
        }
    }
    None
}
/// Hands control block `number` over; what the same domain has handed over as that stream before is not. `EINVAL`: there is no such stream, or the
/// domain is said by its number alone; `ENOMEM`.
fn hand(number: usize, starter: DomainId, Hand { domain, stream }: Hand) -> Result<usize> {
    let (domain, stream) = (DomainId::of(domain).ok_or(Error::EINVAL)?, stream as usize);
    if stream >= STREAMS {
        return Err(Error::EINVAL);
    }
    let State { slots, .. } = &mut *STATE.lock();
    while take_inherited(slots, domain, starter, stream).is_some() {}
    let heirs = &mut slot(slots, number).ok_or(Error::EBADF)?.heirs;
    if let Some(heir) = heirs.iter_mut().find(|heir| (heir.domain, heir.starter) == (domain, starter)) {
        heir.streams |= 1 << stream;
        return Ok(0);
    }
    // Who has not come for it for so long has ended, most likely. Of the same starter, if there is one: nobody puts out what others hand over.
    if heirs.len() == HEIRS {
        let own = heirs.iter().position(|heir| heir.starter == starter);
        heirs.remove(own.unwrap_or(0));
    }
    heirs.try_push(Heir { domain, starter, streams: 1 << stream })?;
    Ok(0)
}
extern "C" fn control(number: usize, caller: Identity, what: usize, to: Alleged<()>) -> isize {
    match what {
        operation::DUPLICATE => grant(number),
        operation::REOPEN => reopen(number, Store::reopen).map_or_else(Error::code, grant_new),
        operation::LOCKER => reopen(number, Store::keep).map_or_else(Error::code, grant_new),
        // SAFETY: a window argument, whose letter lets it be written.
        operation::LOCK => code(
            caller.meant().and_then(|caller| unsafe { locks::operate(&STATE, &WAITS, number, caller, to.address()) }),
        ),
        operation::HAND => code(to.of().read().and_then(|to| hand(number, caller.meant()?, to))),
        // SAFETY: the letter of a control portal's window lets it be written.
        operation::STATUS => code(status_of(number).and_then(|status| unsafe { to.of().write(&status) }).map(|()| 0)),
        operation::NEXT => code(next(number).and_then(|entry| match entry {
            // SAFETY: as above.
            Some(entry) => unsafe { to.of().write(&entry) }.map(|()| 1),
            None => Ok(0),
        })),
        operation::TRUNCATE => code(to.of::<u64>().read().and_then(|bytes| truncate(number, bytes))),
        // It lasts as long as anything here.
        operation::SYNC => code(status_of(number).and_then(|status| match status.kind {
            kind::PIPE => Err(Error::EINVAL),
            _ => Ok(0),
        })),
        _ => Error::EINVAL.code(),
    }
}
impl Locked for State {
    fn locks(&mut self) -> Option<&mut Locks<Remote>> {
        Some(&mut self.locks)
    }
    fn block(&mut self, number: usize) -> Result<Block> {
        match slot(&mut self.slots, number).map(|slot| &slot.control) {
            Some(Control::File(open)) => {
                let (node, read, write) = open.access();
                Ok(Block { number, node, read, write })
            }
            Some(_) => Err(Error::EINVAL),
            None => Err(Error::EBADF),
        }
    }
    const BLOCKS: usize = SLOTS;
    fn ended() -> usize {
        ENDED.load(Ordering::Relaxed)
    }
    fn collect() {
        collect();
    }
}
/// A control block of its own, for the caller, for the file that `number` is open on.
fn reopen(number: usize, open: fn(&mut Store<Remote>, &Open, Account) -> Result<Open>) -> Result<usize> {
    let payer = pebble::account::of_caller()?;
    add(|state| {
        let (place, charge) = state.free_place(payer)?;
        let State { store, slots, .. } = &mut *state;
        let reopened = match slot(slots, number).map(|slot| &slot.control) {
            Some(Control::File(of)) => open(store, of, payer),
            Some(_) => Err(Error::EINVAL),
            None => Err(Error::EBADF),
        };
        match reopened {
            Ok(open) => Ok(state.put((place, charge), Control::File(open))),
            Err(error) => {
                Remote.refund(charge);
                Err(error)
            }
        }
    })
}
fn truncate(number: usize, bytes: u64) -> Result<usize> {
    let State { store, slots, .. } = &mut *STATE.lock();
    match slot(slots, number) {
        Some(Slot { control: Control::File(open), .. }) => store.truncate(open, bytes as usize).map(|()| 0),
        Some(_) => Err(Error::EINVAL),
        None => Err(Error::EBADF),
    }
}
fn status_of(number: usize) -> Result<Status> {
    let State { store, slots, .. } = &mut *STATE.lock();
    match slot(slots, number).map(|slot| &mut slot.control) {
        Some(Control::File(open)) => Ok(store.status_of(open)),
        Some(Control::Pipe(end)) => {
            Ok(Status { kind: kind::PIPE, bytes: end.bytes() as u64, node: end.node() as u64, version: end.left() })
        }
        _ => Err(Error::EBADF),
    }
}
fn next(number: usize) -> Result<Option<Entry>> {
    let State { store, slots, .. } = &mut *STATE.lock();
    match slot(slots, number) {
        Some(Slot { control: Control::File(open), .. }) => Ok(store.next(open)?.map(|(text, status)| {
            let name = cut(text);
            Entry { status, name }
        })),
        Some(_) => Err(Error::ENOTDIR),
        None => Err(Error::EBADF),
    }
}
