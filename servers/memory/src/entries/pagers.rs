//! Who answers faults, and what such a one puts in place of pages.

use crate::{SPACES, locked, thread, window};
use abi::Error;
use abi::identity::DomainId;
use abi::memory::{Parties, Replacement};
use memory_logic::open_windows::OpenWindows;
use memory_logic::pagers::ALL;
use memory_logic::space::Spaces;
use pebble::interfaces::types::{Address, Alleged, DomainNumber, Identity, ThreadIndex};

/// A call of `thread` is not made, for which pages may have been shared or moved before.
pub extern "C" fn undo_transfers(ThreadIndex(thread): ThreadIndex) -> isize {
    thread::undo_transfers(thread);
    0
}
/// Runs `body` with the domains that two words name.
fn with_domains(words: [usize; 2], body: impl FnOnce([DomainId; 2]) -> isize) -> isize {
    match words.map(|word| DomainId::of(word as u64)) {
        [Some(one), Some(other)] => body([one, other]),
        _ => Error::ESRCH.code(),
    }
}
#[optimize(size)]
pub extern "C" fn pager_for(
    Identity(client): Identity,
    Address(start): Address,
    bytes: usize,
    portal: usize,
    Identity(pager): Identity,
) -> isize {
    let range =
        if bytes == 0 { Ok(ALL) } else { memory_logic::space::private(start, bytes).map(|()| (start, start + bytes)) };
    with_domains([client, pager], |[client, pager]| {
        locked(|s| {
            let Spaces { ram, frames, pagers, .. } = s;
            pagers.add((ram, frames), client, range?, portal, pager).map(|()| 0)
        })
    })
}
#[optimize(size)]
pub extern "C" fn pager_remove(Identity(client): Identity, Address(start): Address) -> isize {
    with_domains([client; 2], |[client, _]| locked(|s| s.pagers.remove(client, start)))
}
#[optimize(size)]
pub extern "C" fn pager_forget(Identity(ended): Identity) -> isize {
    with_domains([ended; 2], |[ended, _]| {
        SPACES.lock().pagers.forget(ended);
        0
    })
}
/// Whether the portal with this number is about to be called, or was and has not returned.
#[optimize(size)]
pub extern "C" fn pager_pending(portal: usize) -> isize {
    SPACES.lock().pagers.is_pending(portal) as isize
}
/// `seconds` have gone by: the identity of a domain that is to end, whose pager has taken too long, and how; 2: there is none, but
/// somebody waits for an answer; 0: nobody does.
#[optimize(size)]
pub extern "C" fn pager_overdue(seconds: usize, out: Alleged<abi::system::Ended>) -> isize {
    let mut spaces = SPACES.lock();
    let Some((client, how)) = spaces.pagers.overdue(seconds as u32) else {
        return 2 * spaces.pagers.is_watched() as isize;
    };
    // SAFETY: the window argument.
    unsafe { out.write(&how) }.map_or_else(Error::code, |()| client.word() as isize)
}
/// Maps a page of domain `client`, for domain `by`, both named by identities: a copy of `by`'s page at `source` (0: a page of zeros),
/// as `with` says ([`Replacement`]). `EAGAIN`: it must be known what windows show, see `page_among`.
pub extern "C" fn page_for(
    Identity(by): Identity,
    Identity(client): Identity,
    Address(va): Address,
    Address(source): Address,
    with: usize,
) -> isize {
    let Some(with) = Replacement::of(with) else { return Error::EINVAL.code() };
    with_domains([by, client], |[by, client]| {
        if !with.related && !SPACES.lock().pagers.answers_for(by, client, va) {
            return Error::EACCESS.code();
        }
        replace_page(Parties { by: by.number(), to: client.number() }, va, source, with, OpenWindows::UNKNOWN)
    })
}
/// The same while windows show the frames at `count` physical addresses, in the window `lent`, between [`Parties`]. `page_for` has just said `EAGAIN`, and the portal manager still has its lock: so `by` may,
/// and both live.
pub extern "C" fn page_among(
    parties: usize,
    Address(va): Address,
    Address(source): Address,
    with: usize,
    windows: Alleged<usize>,
    count: usize,
) -> isize {
    let Some(with) = Replacement::of(with) else { return Error::EINVAL.code() };
    // SAFETY: `lent` is this portal's window argument.
    match unsafe { window(windows, count) } {
        Ok(windows) => replace_page(Parties::of(parties), va, source, with, OpenWindows::all(windows)),
        Err(error) => error.code(),
    }
}
/// Physical address of the frame that domain `asid` has to itself at `va`.
pub extern "C" fn frame_of(DomainNumber(asid): DomainNumber, Address(va): Address) -> isize {
    locked(|s| s.frame_of(asid, va))
}
fn replace_page(
    Parties { by, to }: Parties,
    va: usize,
    source: usize,
    with: Replacement,
    windows: OpenWindows,
) -> isize {
    locked(|s| s.page(by, (to, va, with.part), source, with.rights, windows).map(|()| 0))
}
