//! What the memory manager asks for, and what is passed on to it.

use crate::{MANAGER, client_memory, seldom_with_caller, with_caller};
use abi::Error;
use abi::identity::DomainId;
use abi::memory::{NEW_SEGMENT, Replacement};
use pebble::interfaces::types::{Address, Alleged, DomainNumber, Identity, PageRights, ThreadIndex};

/// Keeps two domains, or one (the other identity is 0), from lending pages until `thaw`. `EDEAD`: one of them is no more, and none is
/// kept from anything.
pub extern "C" fn freeze(one: Identity, other: Identity) -> isize {
    let mut manager = MANAGER.lock();
    let both = [one, other].map(|id| DomainId::of(id.0 as u64));
    for id in both.into_iter().flatten() {
        if let Err(error) = manager.living(id) {
            return error.code();
        }
    }
    both.into_iter().flatten().for_each(|id| manager.keep_family_from_lending(id.number()));
    0
}
/// Which of the frames at `count` physical addresses in the window `frames` windows show: bit n stands for frame n.
pub extern "C" fn shown(frames: Alleged<usize>, count: usize) -> isize {
    // SAFETY: the window argument, in which the memory manager, the only caller, leaves the addresses as they are.
    match unsafe { client_memory::shown(frames, count) } {
        Ok(frames) => MANAGER.lock().shown(frames) as isize,
        Err(error) => error.code(),
    }
}
pub extern "C" fn thaw(one: Identity, other: Identity) -> isize {
    let mut manager = MANAGER.lock();
    for id in [one, other].into_iter().filter_map(|id| DomainId::of(id.0 as u64)) {
        if manager.living(id).is_ok() {
            manager.thaw(id.number());
        }
    }
    0
}
#[optimize(size)]
pub extern "C" fn pager(
    thread: ThreadIndex,
    asid: DomainNumber,
    start: Address,
    bytes: usize,
    entry: Address,
) -> isize {
    seldom_with_caller(thread, |manager, caller| manager.set_pager(caller, asid.0, (start.0, bytes), entry.0))
}
#[optimize(size)]
pub extern "C" fn page(
    thread: ThreadIndex,
    asid: DomainNumber,
    at: Address,
    source: Address,
    rights: PageRights,
) -> isize {
    with_caller(thread, |manager, caller| match Replacement::rights_and_part(rights.0) {
        Some(with) => manager.replace_page(caller.subject, asid.0, at.0, source.0, with),
        None if rights.0 == NEW_SEGMENT => manager.make_segment(caller.subject, asid.0, at.0),
        None => Err(Error::EINVAL),
    })
}
