//! What is told of memory, and whether all that must hold of it does.

use crate::{SPACES, locked};
use abi::Error;
use abi::rights::Rights;
use arch::component::{UNCOUNTED, mark};
use arch::paging::Entry;
use pebble::interfaces::types::{Address, DomainNumber};

pub extern "C" fn info(what: usize, asid: usize) -> isize {
    locked(|s| match what {
        0 => Ok(s.frames.total()),
        1 => Ok(s.frames.free()),
        2 if s.views.get(asid).is_some() => Ok(s.views.taken(asid)),
        2 => s.space(asid).map(|space| space.pages as usize),
        3 => Ok(s.frames.promised()),
        4 => s.accounts.of(asid).map(|memory| memory.used as usize),
        5 => s.accounts.of(asid).map(|memory| memory.limit as usize),
        _ => Err(Error::EINVAL),
    })
}
/// What does not hold of all page tables together (`memory_logic::invariants`): 0, or its code. `EAGAIN`: a page table is
/// being changed. `ENOTSUP`: the system is not one for tests.
pub extern "C" fn check() -> isize {
    for_tests(look_through)
}
/// Runs `body` in a system for tests. In others its code is not there (`lib/pebble/link.ld`).
#[inline(always)]
fn for_tests(body: impl FnOnce() -> isize) -> isize {
    if pebble::boot::info().checks == 0 { Error::ENOTSUP.code() } else { body() }
}
#[inline(never)]
#[unsafe(link_section = ".checks")]
#[optimize(size)]
fn look_through() -> isize {
    let Some(mut spaces) = SPACES.try_lock() else { return Error::EAGAIN.code() };
    let managed = pebble::boot::info().image_end as usize;
    let result = match spaces.check(managed) {
        Ok(Ok(_)) => 0,
        Ok(Err(violation)) => violation.code(),
        Err(error) => error.code(),
    };
    // The caller has interrupts off; they go on here if somebody waits for the lock.
    mark::<UNCOUNTED>();
    result
}
/// Whether the window slot at `slot` of `asid` has entry `mapped`, `EFAULT`: it has not; and whether `lender` can see the page of
/// `shown` itself with its rights, `EACCESS`: it can not. `ENOTSUP`: the system is not one for tests.
pub extern "C" fn check_window(
    asid: DomainNumber,
    slot: Address,
    mapped: usize,
    shown: usize,
    lender: DomainNumber,
) -> isize {
    for_tests(|| look_at_window(asid, slot, [mapped, shown], lender))
}
#[inline(never)]
#[unsafe(link_section = ".checks")]
#[optimize(size)]
fn look_at_window(
    DomainNumber(asid): DomainNumber,
    Address(slot): Address,
    [mapped, shown]: [usize; 2],
    DomainNumber(lender): DomainNumber,
) -> isize {
    locked(|s| {
        let root = s.root(asid).ok_or(Error::ESRCH)?;
        if memory_logic::tables::leaf(&s.ram, root, slot) != Entry::of(mapped as u64) {
            return Err(Error::EFAULT);
        }
        let shown = Entry::of(shown as u64);
        let rights = shown.rights().intersection(Rights::READ_WRITE);
        if s.shows(lender, shown.address(), rights) { Ok(0) } else { Err(Error::EACCESS) }
    })
}
/// How many window slots of `asid` are open.
pub extern "C" fn count_windows(DomainNumber(asid): DomainNumber) -> isize {
    locked(|s| Ok(s.windows(asid)))
}
/// Domain `asid` has ended, and nobody will be in its space any more: closes its windows.
pub extern "C" fn close_windows(DomainNumber(asid): DomainNumber) -> isize {
    locked(|s| s.close_windows(asid).map(|()| 0))
}
