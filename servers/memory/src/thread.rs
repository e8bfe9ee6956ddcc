//! What portal code and the memory manager tell each other in a thread's page: windows that are mapped at the first access, and
//! pages that calls share or move.

use crate::{Physical, SPACES, TLB_FLUSH_ASID};
use abi::Error;
use abi::address::{PAGE, WINDOW_STRIDE, WINDOW_VA, physical, supervisor, window_base};
use abi::nucleus::{MAX_THREADS, TRANSFERS, Thread};
use core::mem::offset_of;
use memory_logic::ram::Ram;
use memory_logic::space::Spaces;
use memory_logic::transfers::{Kind, Request};

pebble::import! {
    FREEZE = "portal.freeze";
    THAW = "portal.thaw";
}

/// Addresses of all window slots.
pub fn slots() -> core::ops::Range<usize> {
    WINDOW_VA..window_base(MAX_THREADS)
}
/// Domain `asid` touches a window slot. Whether it shows something now: what the call has left in the thread.
pub fn touch(asid: usize, va: usize) -> bool {
    let (thread, slot) = ((va - WINDOW_VA) / WINDOW_STRIDE, va % WINDOW_STRIDE / PAGE);
    let page = thread_page(thread);
    if page == 0 {
        return false;
    }
    let word = page + offset_of!(Thread, slots) + 8 * slot;
    let kept = Physical.read(word);
    // One that is mapped has an address here, which is no domain's.
    if kept == 0 || (kept >> memory_logic::windows::CALLEE) as usize != asid {
        return false;
    }
    match SPACES.lock().touch(asid, va, kept & ((1 << memory_logic::windows::CALLEE) - 1)) {
        Ok(at) => {
            Physical.write(word, supervisor(at) as u64);
            true
        }
        Err(_) => false,
    }
}
/// A thread's words for argument `n` ([`Thread::transfers`]), in RAM.
fn transfer_words(thread: usize, n: usize) -> usize {
    thread_page(thread) + offset_of!(Thread, transfers) + 16 * n
}
/// Physical address of a thread's page; 0: there is no such thread.
fn thread_page(thread: usize) -> usize {
    // Four bytes each: the lower half of the page's supervisor address.
    let at = physical(pebble::boot::info().thread_table as usize) + 4 * thread;
    (Physical.read(at / 8 * 8) >> (at % 8 * 8)) as u32 as usize
}
/// A call of `thread` in domain `asid` shares or moves pages, or, where `key` is 0, its return does. 0: it is made again.
/// Not part of the entry for faults, which would have room for `Lent` on the stack then.
#[inline(never)]
pub fn transfer(asid: usize, thread: usize, key: u64) -> isize {
    if key == 0 {
        let requests = (0..TRANSFERS).map(|n| (n, Request::of(Physical.read(transfer_words(thread, n)))));
        for (n, request) in requests.filter(|(_, request)| request.kind == Kind::Got) {
            let there = Physical.read(transfer_words(thread, n) + 8) as usize;
            Physical.write(transfer_words(thread, n), 0);
            let done = frozen([asid, request.asid], |s, lent| {
                let to = (request.asid, request.address);
                s.got(asid, there, to, request.pages, lent).map(|()| 0)
            });
            if let Err(error) = done {
                return error.code();
            }
        }
        return 0;
    }
    let Request { asid: callee, address, pages, argument, kind } = Request::of(key);
    let done = match kind {
        Kind::Share => {
            let mut spaces = SPACES.lock();
            let shared = spaces.share(asid, callee, address, pages);
            // Pages of the caller's may have got frames of their own.
            TLB_FLUSH_ASID.call([asid]);
            shared
        }
        Kind::Give => frozen([asid, callee], |s, lent| s.give(asid, callee, address, pages, lent)),
        _ => SPACES.lock().get(callee, address, pages),
    };
    match done {
        Ok(there) => {
            Physical.write(transfer_words(thread, argument) + 8, there as u64);
            Physical.write(transfer_words(thread, argument), key);
            Physical.write(thread_page(thread) + offset_of!(Thread, transferring), 1);
            0
        }
        Err(error) => {
            undo_transfers(asid, thread);
            // A callee that is not known is no more.
            if error == Error::ESRCH { Error::EDEAD.code() } else { error.code() }
        }
    }
}
/// A call of `thread` in domain `asid` has failed: what was shared or moved for it comes back.
pub fn undo_transfers(asid: usize, thread: usize) {
    for n in 0..TRANSFERS {
        let key = Physical.read(transfer_words(thread, n));
        if key == 0 {
            continue;
        }
        let (request, there) = (Request::of(key), Physical.read(transfer_words(thread, n) + 8) as usize);
        Physical.write(transfer_words(thread, n), 0);
        let undone = frozen([asid, request.asid], |s, lent| s.undo(asid, request, there, lent).map(|()| 0));
        // Else it stays where it is.
        let _ = undone;
    }
}
/// Frames that windows show, where a window shows all of them.
#[repr(align(512))]
struct Lent([usize; LENT]);
const LENT: usize = 64;
/// Runs `body` with the frames that windows of the calls of two domains show, while they can open no others; their translations
/// are forgotten before anybody else gets a frame.
fn frozen(
    asids: [usize; 2],
    body: impl FnOnce(&mut Spaces<Physical>, &[usize]) -> Result<usize, Error>,
) -> Result<usize, Error> {
    let mut lent = Lent([0; LENT]);
    let mut count = 0;
    let mut result = Ok(());
    for asid in asids {
        match pebble::check(FREEZE.call([asid, lent.0[count..].as_mut_ptr() as usize, LENT - count])) {
            Ok(more) => count += more,
            Err(error) => result = Err(error),
        }
    }
    let result = result.and_then(|()| {
        let mut spaces = SPACES.lock();
        let result = body(&mut spaces, &lent.0[..count]);
        for asid in asids {
            TLB_FLUSH_ASID.call([asid]);
        }
        result
    });
    for asid in asids {
        THAW.call([asid]);
    }
    result
}
