//! What portal code and the memory manager tell each other in a thread's page: windows that are mapped at the first access, and
//! pages that calls share or move.

use crate::{INTERRUPTS_MASK, Physical, SPACES, above};
use abi::Error;
use abi::address::{PAGE, WINDOW_STRIDE, WINDOW_VA, physical, window_base};
use abi::identity::DomainId;
use abi::nucleus::{MAX_THREADS, TRANSFERS, Thread};
use core::mem::offset_of;
use memory_logic::open_windows::{OpenWindows, Shown};
use memory_logic::ram::Ram;
use memory_logic::space::Spaces;
use memory_logic::transfer_letters::{Kind, Request};
use pebble::interfaces::portals;
use pebble::interfaces::types::{Alleged, Identity};

/// Addresses of all window slots.
pub fn slots() -> core::ops::Range<usize> {
    WINDOW_VA..window_base(MAX_THREADS)
}
/// The domain whose identity `executing` is touches a window slot. Whether it shows something now: what the call has left in the thread.
#[inline(never)]
pub fn touch(executing: u64, va: usize) -> bool {
    let (thread, slot) = ((va - WINDOW_VA) / WINDOW_STRIDE, va % WINDOW_STRIDE / PAGE);
    let page = thread_page(thread);
    if page == 0 {
        return false;
    }
    let word = page + offset_of!(Thread, slots) + 8 * slot;
    let mut spaces = SPACES.lock();
    spaces.tables_of(executing).is_ok_and(|(asid, _)| spaces.touch(asid, va, word))
}
/// Runs `body` with interrupts off.
pub fn undisturbed<T>(body: impl FnOnce() -> T) -> T {
    INTERRUPTS_MASK.call([1]);
    let result = body();
    INTERRUPTS_MASK.call([0]);
    result
}
/// Physical address of a thread's page; 0: there is no such thread.
fn thread_page(thread: usize) -> usize {
    // Four bytes each: the lower half of the page's supervisor address.
    let at = physical(pebble::boot::info().thread_table as usize) + 4 * thread;
    (Physical.read(at / 8 * 8) >> (at % 8 * 8)) as u32 as usize
}

/// A transfer that was done for a call that is not made yet.
struct Pending {
    request: Request,
    caller: DomainId,
    callee: DomainId,
    /// Where the callee has the pages.
    there: usize,
}
/// The words of `thread` for argument `n`: [`Thread::transfers`] and [`Thread::transfer_ends`], in RAM.
fn transfer_words(thread: usize, n: usize) -> [usize; 4] {
    let (done, ends) = (offset_of!(Thread, transfers) + 16 * n, offset_of!(Thread, transfer_ends) + 16 * n);
    [done, done + 8, ends, ends + 8].map(|offset| thread_page(thread) + offset)
}
fn pending(thread: usize, n: usize) -> Option<Pending> {
    let [request, there, caller, callee] = transfer_words(thread, n).map(|at| Physical.read(at));
    let request = Request::of(request)?;
    Some(Pending { request, caller: DomainId::of(caller)?, callee: DomainId::of(callee)?, there: there as usize })
}
fn write(thread: usize, n: usize, values: [u64; 4]) {
    transfer_words(thread, n).into_iter().zip(values).for_each(|(at, value)| Physical.write(at, value));
}
/// Whether something may be pending for `thread`.
fn transferring(thread: usize) -> usize {
    thread_page(thread) + offset_of!(Thread, transferring)
}

/// A call of `thread` in domain `executing` is to share or move pages with domain `other`, or its return is to move pages to that
/// one; request 0: the call can not be made, or not yet. 0: it is made again.
/// Not part of the entry for faults, which would have room for what this needs on the stack then.
#[inline(never)]
#[optimize(size)]
pub fn transfer(executing: DomainId, thread: usize, request: u64, other: u64) -> isize {
    let Some(asked) = Request::of(request) else {
        undo_transfers(thread);
        return 0;
    };
    let Some(other) = DomainId::of(other) else { return Error::EINVAL.code() };
    let done = match asked.kind {
        Kind::Got => come_back(executing, other, asked),
        _ => ask(executing, other, thread, asked, request),
    };
    match done {
        Ok(()) => 0,
        Err(error) if asked.kind == Kind::Got => error.code(),
        Err(error) => not_made(thread, error.code()),
    }
}
#[optimize(size)]
fn ask(caller: DomainId, callee: DomainId, thread: usize, request: Request, word: u64) -> Result<(), Error> {
    let Request { address, pages, argument, kind, .. } = request;
    // Of a call further out, which asks again, or of one that has ended otherwise.
    take_back(thread, argument);
    // Under the lock still, so that what was done is either there for the call or was not done.
    let leave = |there: usize| {
        write(thread, argument, [word, there as u64, caller.word(), callee.word()]);
        Physical.write(transferring(thread), 1);
    };
    match kind {
        Kind::Give => between([Some(caller), Some(callee)], |s, windows| {
            let (from, to) = (s.named(caller)?, s.named(callee)?);
            s.give(from, to, address, pages, windows).map(leave)
        }),
        Kind::Share => {
            let mut s = SPACES.lock();
            let (from, to) = (s.named(caller)?, s.named(callee)?);
            s.share(from, to, address, pages).map(leave)
        }
        _ => {
            let mut s = SPACES.lock();
            let to = s.named(callee)?;
            // One without a space of its own gets nothing when the call returns.
            let from = s.named(caller).unwrap_or(to);
            s.get(from, to, address, pages).map(leave)
        }
    }
}
/// A call returns with `<`, from `callee`: what it has put in its pages is `caller`'s now.
#[optimize(size)]
fn come_back(callee: DomainId, caller: DomainId, request: Request) -> Result<(), Error> {
    let Request { there, address, pages, .. } = request;
    let done = between([Some(callee), Some(caller)], |s, windows| {
        let (from, to) = (s.named(callee)?, s.named(caller)?);
        s.got(from, there, (to, address), pages, windows)
    });
    if done.is_err() {
        drop_pages(callee, there, pages);
    }
    done
}
/// What a call has brought to `asid` is of no use to anybody.
#[optimize(size)]
fn drop_pages(asid: DomainId, there: usize, pages: usize) {
    let dropped = between([Some(asid), None], |s, windows| {
        let asid = s.named(asid)?;
        s.drop_pages(asid, there, pages, windows)
    });
    // Of a domain that is no more, all goes.
    let _ = dropped;
}
/// A call of `thread` can not be made, for that error: what it answers. Where the callee is no more it is made again, to whoever has taken its place, or to who answers
/// for the dead; unless that callee has pages of it, which end with it.
#[optimize(size)]
pub fn not_made(thread: usize, error: isize) -> isize {
    let nothing_there = Physical.read(transferring(thread)) == 0;
    undo_transfers(thread);
    if error == Error::EDEAD.code() && nothing_there { 0 } else { error }
}
/// A call of `thread` is not made: what was shared or moved for it comes back, each to its caller; and with it what was for a call
/// further out (whose fault this one answers), which asks again.
#[inline(never)]
pub fn undo_transfers(thread: usize) {
    if Physical.read(transferring(thread)) == 0 {
        return;
    }
    (0..TRANSFERS).for_each(|n| take_back(thread, n));
    Physical.write(transferring(thread), 0);
}
/// Undoes what is pending for argument `n` of a call of `thread`.
#[optimize(size)]
fn take_back(thread: usize, n: usize) {
    let Some(Pending { request, caller, callee, there }) = pending(thread, n) else { return };
    write(thread, n, [0; 4]);
    let undone = between([Some(caller), Some(callee)], |s, windows| {
        let (caller, callee) = (s.named(caller)?, s.named(callee)?);
        s.undo(caller, callee, request, there, windows)
    });
    if undone.is_err() {
        // Its caller is no more, perhaps.
        drop_pages(callee, there, request.pages);
    }
}

/// How often it is asked again about frames that have changed meanwhile.
const TRIES: usize = 8;
/// Runs `body` with what windows show, while none of the domains can open others, and none is remembered from before. `EDEAD`: one
/// of them is no more.
fn between<T>(
    domains: [Option<DomainId>; 2],
    mut body: impl FnMut(&mut Spaces<Physical>, OpenWindows) -> Result<T, Error>,
) -> Result<T, Error> {
    let mut made = Err(Error::EBUSY);
    between_once(domains, &mut |spaces, windows| {
        made = body(spaces, windows);
        made.as_ref().err().copied()
    })?;
    made
}
/// The same for all: what it keeps is on the stack once, in no function that makes further calls. `body` says what went wrong.
#[inline(never)]
fn between_once(
    domains: [Option<DomainId>; 2],
    body: &mut dyn FnMut(&mut Spaces<Physical>, OpenWindows) -> Option<Error>,
) -> Result<(), Error> {
    let [one, other] = domains.map(|domain| domain.map_or(Identity(0), Identity::from));
    above(|| portals::freeze(one, other))?;
    let shown = Shown::new();
    let mut result = Err(Error::EBUSY);
    for _ in 0..TRIES {
        if body(&mut SPACES.lock(), OpenWindows::asked(&shown)) != Some(Error::EAGAIN) {
            result = Ok(());
            break;
        }
        let ask = |frames: &[usize]| above(|| portals::shown(Alleged::lend_all(frames), frames.len()));
        if let Err(error) = shown.ask(|frames| ask(frames).map(|mask| mask as u64)) {
            result = Err(error);
            break;
        }
    }
    let _ = above(|| portals::thaw(one, other));
    result
}
