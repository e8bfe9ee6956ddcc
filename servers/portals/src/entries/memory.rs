//! What the memory manager asks for, and what is passed on to it.

use crate::{MANAGER, client_memory, with_caller};
use abi::Error;
use abi::identity::DomainId;
use abi::rights::Rights;

/// Keeps two domains, or one (the other identity is 0), from lending pages until `thaw`. `EDEAD`: one of them is no more, and none is
/// kept from anything.
pub extern "C" fn freeze(one: usize, other: usize) -> isize {
    let mut manager = MANAGER.lock();
    let both = [one, other].map(|id| DomainId::of(id as u64));
    for id in both.into_iter().flatten() {
        if let Err(error) = manager.living(id) {
            return error.code();
        }
    }
    both.into_iter().flatten().for_each(|id| manager.keep_family_from_lending(id.number()));
    0
}
/// Which of the frames at `count` physical addresses in the window `frames` windows show: bit n stands for frame n.
pub extern "C" fn shown(frames: usize, count: usize) -> isize {
    // SAFETY: the window argument, in which the memory manager, the only caller, leaves the addresses as they are.
    match unsafe { client_memory::shown(frames, count) } {
        Ok(frames) => MANAGER.lock().shown(frames) as isize,
        Err(error) => error.code(),
    }
}
pub extern "C" fn thaw(one: usize, other: usize) -> isize {
    let mut manager = MANAGER.lock();
    for id in [one, other].into_iter().filter_map(|id| DomainId::of(id as u64)) {
        if manager.living(id).is_ok() {
            manager.thaw(id.number());
        }
    }
    0
}
#[optimize(size)]
pub extern "C" fn pager(thread: usize, asid: usize, start: usize, bytes: usize, entry: usize) -> isize {
    with_caller(thread, |manager, caller| manager.set_pager(caller, asid, (start, bytes), entry))
}
#[optimize(size)]
pub extern "C" fn page(thread: usize, asid: usize, va: usize, source: usize, rights: usize) -> isize {
    with_caller(thread, |manager, caller| {
        let rights = Rights::of_page_or_none(rights).ok_or(Error::EINVAL)?;
        manager.replace_page(caller.subject, asid, va, source, rights)
    })
}
