//! The portal manager: the only writer of portal tables and portal code.
//!
//! Every entry point here checks and copies what its client passed (or has the name server do it), does its work under the
//! manager's lock, and calls notification routines after it has released it.
#![no_std]
#![feature(allocator_api, optimize_attribute)]
#![no_main]

extern crate alloc;

mod client_memory;
mod entries;
mod hart;

use abi::Error;
use abi::address::{SERVICE_ASKER, SERVICE_STACK};
use abi::identity::DomainId;
use abi::nucleus::flags::TRUSTED;
use entries::accounts::{account_charge, account_of, account_refund};
use entries::domains::{
    create, destroy, event, exit, fault, fork, gate, inherit, kill, limits, served, succeed, take_over, wait,
};
use entries::inspection::{
    inspect_account, inspect_calls, inspect_check, inspect_code, inspect_counts, inspect_domain, inspect_portal,
    inspect_thread, inspect_trace, inspect_traced,
};
use entries::memory::{freeze, page, pager, shown, thaw};
use entries::portals::{
    admit, argument, close, create_child, gone, grant, granted, info, notify, open, register, short_circuit, template,
    unregister,
};
use entries::protection::{protection_create, protection_make, protection_open, protection_operate, protection_place};
use entries::semaphores::{attach, done, semaphore_create, semaphore_destroy};
use entries::threads::{
    bury, callers, grow, leave, no_stack, reserve_free, set_tp, stack, start_thread, thread_cancel, thread_create,
    thread_exit,
};
use hart::Hart;
use pebble::Result;
use pebble::interfaces::types::ThreadIndex;
use pebble::sync::Mutex;
use portals_logic::machine::nucleus_memory::NucleusMemory;
use portals_logic::manager::{Caller, Manager as Logic};

pebble::boot_server!(start);

type Manager = Logic<Hart>;
type Guard = pebble::sync::MutexGuard<'static, Manager>;

static MANAGER: Mutex<Manager> = Mutex::new(Logic::new(Hart));

pebble::serve! {
    portals {
        register, unregister, admit, open, close, create_child, notify, info, grant, granted, gone, callers, template, short_circuit,
        argument, freeze, thaw, shown, thread_create, thread_exit, bury, leave, thread_cancel, semaphore_create, semaphore_destroy,
        attach, done, grow, stack, pager, page,
    }
}
pebble::serve! {
    domains {
        exit, fork, wait, kill, set_tp, create, succeed, inherit, take_over, gate, served, limits, start: start_thread, event, destroy, fault, no_stack, reserve_free,
        protection_create, protection_open, protection_make, protection_place, protection_operate, account_of, account_charge, account_refund,
    }
}
pebble::serve! {
    inspect {
        domain: inspect_domain, portal: inspect_portal, code: inspect_code, counts: inspect_counts, calls: inspect_calls,
        trace: inspect_trace, traced: inspect_traced, thread: inspect_thread, account: inspect_account, check: inspect_check,
    }
}

#[optimize(size)]
fn start(_: &pebble::Env) {
    if MANAGER.lock().start(Hart.info()).is_err() {
        pebble::stop();
    }
}

/// Runs `body` for the calling thread under the lock; its result as a portal's.
fn with_caller(thread: ThreadIndex, body: impl FnOnce(&mut Manager, Caller) -> Result<isize>) -> isize {
    let mut manager = MANAGER.lock();
    manager.thread = thread.0;
    let caller = manager.caller(thread.0);
    let result = caller.and_then(|caller| body(&mut manager, caller)).unwrap_or_else(Error::code);
    unlock(manager);
    result
}
/// The same for what is not called often: its code is there once, and not in each entry point.
fn seldom_with_caller(thread: ThreadIndex, body: impl FnOnce(&mut Manager, Caller) -> Result<isize>) -> isize {
    let mut body = Some(body);
    with_caller_once(thread, &mut |manager, caller| body.take().map_or(Ok(0), |body| body(manager, caller)))
}
#[inline(never)]
fn with_caller_once(thread: ThreadIndex, body: &mut dyn FnMut(&mut Manager, Caller) -> Result<isize>) -> isize {
    with_caller(thread, body)
}
/// Releases the lock, then posts what had to wait for that.
#[inline(never)]
fn unlock(manager: Guard) {
    if !manager.posts.is_empty() {
        post(manager);
    }
}
#[cold]
#[inline(never)]
fn post(mut manager: Guard) {
    let posts = core::mem::take(&mut manager.posts);
    drop(manager);
    posts.make(Hart);
}
/// Bytes of the service stack that may be in use where somebody is asked in a call of domain `asid`. A trusted component's own thread has what it does there, as deep as
/// it likes: how deep is its own to see to.
fn asker(manager: &Manager, asid: usize) -> usize {
    let trusted = manager.domain(asid).is_ok_and(|d| d.flags & TRUSTED != 0);
    if trusted { SERVICE_STACK } else { SERVICE_ASKER }
}
/// Calls code of a client through `upcall`, which is pending, with the lock free: so it takes the guard. `EDEPTH`: more than `most` bytes of the service
/// stack are in use.
fn unlocked_call<const N: usize>(manager: Guard, most: usize, upcall: usize, arguments: [usize; N]) -> isize {
    drop(manager);
    let result = pebble::portal::call_back(most, upcall, arguments);
    MANAGER.lock().upcall_returned(upcall);
    result
}
/// Tells a domain, and all that share its table, of their new portals `number`…`number + count - 1`, re-entrantly: the routine may make
/// portal calls.
#[cold]
#[inline(never)]
fn tell(told: DomainId, number: usize, count: usize) {
    for portal in number..number + count {
        let mut next = Some(told);
        while let Some(member) = next {
            next = tell_one(member, portal, told);
        }
    }
}
/// Tells one domain of its new portal; who is the next to be told of those that share its table, `first` having been the first.
#[cold]
#[inline(never)]
fn tell_one(told: DomainId, portal: usize, first: DomainId) -> Option<DomainId> {
    let mut manager = MANAGER.lock();
    let next = manager.sharing_after(told, first);
    let asid = manager.live(told).ok()?;
    let notify = manager.domain(asid).map_or(0, |d| d.notify);
    if let Ok(upcall) = manager.upcall_pending(notify) {
        unlocked_call(manager, SERVICE_ASKER, upcall, [asid, portal]);
    }
    next
}
/// Bytes that are in use at most from where portals are made to where somebody is told of them.
const TO_TELL: usize = 256;
/// Where somebody wants to be told of portals that domain `asid` gets: whether there is room for that. `EDEPTH`: no, so none is to be made.
fn may_be_told(manager: &Manager, asid: usize) -> Result<()> {
    match manager.domain(asid)?.heard && !pebble::portal::may_call_back(SERVICE_ASKER - TO_TELL) {
        true => Err(Error::EDEPTH),
        false => Ok(()),
    }
}
/// Runs `body`, which makes `count` portals in the direct caller's table, and tells the caller of them.
#[inline(always)]
fn with_new_portals(
    thread: ThreadIndex,
    count: usize,
    body: impl FnOnce(&mut Manager, Caller) -> Result<usize>,
) -> isize {
    let mut told = None;
    let number = with_caller(thread, |manager, caller| {
        may_be_told(manager, caller.direct)?;
        let number = body(manager, caller)?;
        told = manager.new_portals(caller, thread.0, number..number + count)?;
        Ok(number as isize)
    });
    if let Some(told) = told {
        tell(told, number as usize, count);
    }
    number
}
