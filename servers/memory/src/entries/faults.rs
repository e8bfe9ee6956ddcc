//! Accesses that page tables do not allow, and windows that portals could not open.

use crate::{Guard, MOMENT, SPACES, above, locked, thread};
use abi::Error;
use abi::address::{SERVICE_ASKER, SERVICE_CALLER};
use abi::identity::DomainId;
use abi::nucleus::fault;
use memory_logic::pagers::Fault;
use memory_logic::space::Spaces;
use memory_logic::views::Seen;
use pebble::interfaces::types::{DomainNumber, Identity, ThreadIndex, Ticks};
use pebble::interfaces::{domains, scheduler};

/// Interrupted code did something that its tables do not allow, or a portal could not open a window. `executing`: the identity of
/// the domain that `thread` was in, and is no more, perhaps, when the lock is there: then it has been turned elsewhere.
pub extern "C" fn handle_fault(
    cause: usize,
    value: usize,
    pc: usize,
    Identity(executing): Identity,
    ThreadIndex(thread): ThreadIndex,
) -> isize {
    let executing = executing as u64;
    let access = arch::trap::access(cause);
    match cause {
        fault::WINDOW | fault::WINDOW_WRITE | fault::TRANSFER => {
            // `pc` is the other side's identity.
            let Some(executing) = DomainId::of(executing) else { return Error::EINVAL.code() };
            match cause {
                fault::TRANSFER => thread::transfer(executing, thread, value as u64, pc as u64),
                _ => open_window(executing, pc as u64, value, cause == fault::WINDOW_WRITE, thread),
            }
        }
        _ if access.is_some() && thread::slots().contains(&value) && thread::touch(executing, value) => 0,
        _ => {
            let mut spaces = SPACES.lock();
            let Ok((asid, root)) = spaces.space_of(executing) else {
                return handle_view_fault(spaces, executing, thread, Access { cause, address: value, pc });
            };
            if access.is_some_and(|access| spaces.resolve_in((asid, root), value, access)) {
                spaces.missed(asid, value, thread);
                return 0;
            }
            let Some(client) = DomainId::of(executing) else { return 0 };
            match ask(thread, spaces, (client, cause, value, pc)) {
                Answered::Again => 0,
                Answered::Elsewhere(address) => address,
                Answered::Not => {
                    let pager = SPACES.lock().pagers.pager(client, value).map_or(0, |(pager, _)| pager.number());
                    fault_of(client, [cause, value, pc], pager)
                }
            }
        }
    }
}
/// Domain `who` did what it may not, and nobody answers for it: it ends, with the cause, the address and the program counter.
fn fault_of(who: DomainId, [cause, address, pc]: [usize; 3], pager: usize) -> isize {
    let _ = above(|| domains::fault(Identity::from(who), cause, address, pc, DomainNumber(pager)));
    0
}
/// An access that was not possible.
struct Access {
    cause: usize,
    address: usize,
    pc: usize,
}
/// The same in a domain that has no space of its own. Where its space has nothing, who answers for the space's faults is asked; where
/// it does not see what there is, who answers for its own.
#[cold]
#[inline(never)]
fn handle_view_fault(mut spaces: Guard, executing: u64, thread: usize, access: Access) -> isize {
    let Access { cause, address, pc } = access;
    let Ok((view, _)) = spaces.tables_of(executing) else { return 0 };
    let Some(own) = DomainId::of(executing) else { return 0 };
    let seen = arch::trap::access(cause).map(|access| spaces.resolve_view(view, address, access, false));
    let client = match seen.unwrap_or(Seen::Not) {
        Seen::Now => return 0,
        Seen::Missing(space) => space,
        Seen::Not => own,
    };
    match ask(thread, spaces, (client, cause, address, pc)) {
        Answered::Again => 0,
        Answered::Elsewhere(address) => address,
        Answered::Not => {
            let pager = SPACES.lock().pagers.pager(client, address).map_or(0, |(pager, _)| pager.number());
            fault_of(own, [cause, address, pc], pager)
        }
    }
}
/// A portal of `executing` can not open a window on the page at `address` for `callee`: makes it possible, or says why not.
#[inline(never)]
fn open_window(executing: DomainId, callee: u64, address: usize, write: bool, thread: usize) -> isize {
    // A window that was not touched yet is lent on.
    if thread::slots().contains(&address) && thread::touch(executing.word(), address) {
        return 0;
    }
    let result = locked(|s| {
        let (caller, _) = s.tables_of(executing.word())?;
        let (callee, _) = s.tables_of(callee)?;
        s.window(caller, callee, address, write, thread).map(|changed| !changed as usize)
    });
    if result > 0 {
        // The portal manager does not let the domain lend for a moment.
        let _ = scheduler::sleep(Ticks(MOMENT));
        return 0;
    }
    if result == Error::EFAULT.code() {
        let client = SPACES.lock().whose_pages(executing);
        let cause = arch::trap::page_fault(write);
        if ask(thread, SPACES.lock(), (client, cause, address, 0)) == Answered::Again {
            return 0;
        }
    }
    if result < 0 { thread::not_made(thread, result) } else { result }
}
/// How a fault was answered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answered {
    /// The access is repeated.
    Again,
    /// The thread goes on at this address.
    Elsewhere(isize),
    /// Nobody answers for the address, or who does declines or has died.
    Not,
}
/// Asks who answers for the range of a fault, and gives the lock back meanwhile.
#[inline(always)]
fn ask(thread: usize, mut spaces: Guard, (client, cause, address, pc): (DomainId, usize, usize, usize)) -> Answered {
    let fault = Fault { client, cause, address, pc, account: spaces.account_of(client.number()) };
    let Spaces { ram, frames, pagers, .. } = &mut *spaces;
    let Some((portal, first)) = pagers.begin((ram, frames), thread, fault) else { return Answered::Not };
    drop(spaces);
    // A power of two is compared with in one instruction.
    let answered = match first || pebble::portal::may_call_back(SERVICE_ASKER) {
        true => pebble::portal::call_back(SERVICE_CALLER - 1, portal as usize, [client.number(), cause, address, pc]),
        false => Error::EDEPTH.code(),
    };
    let mut spaces = SPACES.lock();
    spaces.pagers.end(thread, portal);
    if answered == 0 {
        // A core may know what it has mapped as missing, and fault once more: then the page is found there, and the fence made
        // (`resolve_in`). To make it here too would cost all cores what hardly any needs.
        return Answered::Again;
    }
    // It may have been another's to answer before this one was called: whose it is now is seen when the access is repeated.
    if answered < 0 && spaces.pagers.pager(client, address).is_some_and(|(_, now)| now != portal && now != 0) {
        return Answered::Again;
    }
    if answered < 0 { Answered::Not } else { Answered::Elsewhere(answered) }
}
