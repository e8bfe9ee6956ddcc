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
use abi::identity::DomainId;
use entries::accounts::{account_charge, account_of, account_refund};
use entries::domains::{create, event, exit, fault, fork, kill, limits, wait};
use entries::inspection::{
    inspect_account, inspect_calls, inspect_check, inspect_code, inspect_counts, inspect_domain, inspect_portal,
    inspect_trace, inspect_traced,
};
use entries::memory::{freeze, page, pager, shown, thaw};
use entries::portals::{
    admit, argument, close, create_child, gone, grant, granted, info, notify, open, register, short_circuit, template,
    unregister,
};
use entries::protection::{protection_create, protection_open, protection_operate};
use entries::semaphores::{attach, done, semaphore_create, semaphore_destroy};
use entries::threads::{
    bury, callers, grow, leave, no_stack, reserve_free, set_tp, stack, start_thread, thread_cancel, thread_create,
    thread_exit,
};
use hart::Hart;
use pebble::Result;
use pebble::sync::Mutex;
use portals_logic::machine::nucleus_memory::NucleusMemory;
use portals_logic::manager::{Caller, Manager as Logic};

pebble::boot_server!(start);

type Manager = Logic<Hart>;
type Guard = pebble::sync::MutexGuard<'static, Manager>;

static MANAGER: Mutex<Manager> = Mutex::new(Logic::new(Hart));

pebble::provide! {
    "domain.exit", "smti", exit;
    "thread.create", "smtiiii", thread_create;
    "thread.exit", "smt", thread_exit;
    "thread.bury", "smt", bury;
    "thread.leave", "smt", leave;
    "thread.cancel", "smti", thread_cancel;
    "portal.callers", "smtiw", callers;
    "semaphore.create", "smti", semaphore_create;
    "semaphore.destroy", "smti", semaphore_destroy;
    "portal.register", "smtr", register;
    "portal.unregister", "smtr", unregister;
    "portal.admit", "smtriii", admit;
    "portal.open", "smtr", open;
    "portal.close", "smti", close;
    "portal.create_child", "smtr", create_child;
    "portal.notify", "smti", notify;
    "portal.grant", "smtr", grant;
    "portal.granted", "smti", granted;
    "portal.gone", "smt", gone;
    "portal.template", "smtri", template;
    "portal.short_circuit", "smtr", short_circuit;
    "portal.argument", "sx", argument;
    "portal.freeze", "smii", freeze;
    "portal.shown", "smri", shown;
    "portal.thaw", "smii", thaw;
    "portal.info", "smtiw", info;
    "domain.fork", "smtiii", fork;
    "domain.wait", "smtiw", wait;
    "domain.kill", "smti", kill;
    "memory.grow", "smti", grow;
    "memory.stack", "smti", stack;
    "domain.set_tp", "smti", set_tp;
    "memory.pager", "smtiiii", pager;
    "memory.page", "smtiiii", page;
    "interrupt.attach", "smtii", attach;
    "interrupt.done", "smti", done;
    "domain.create", "smtr", create;
    "domain.limits", "smir", limits;
    "account.of", "smti", account_of;
    "account.charge", "smtiii", account_charge;
    "account.refund", "smtiii", account_refund;
    "domain.start", "smtiiiii", start_thread;
    "domain.event", "smtw", event;
    "domain.destroy", "smti", kill;
    "domain.fault", "smtiiiii", fault;
    "domain.no_stack", "sx", no_stack;
    "domain.reserve_free", "sx", reserve_free;
    "protection.create", "smtr", protection_create;
    "protection.open", "smtr", protection_open;
    "protection.operate", "smtiiiii", protection_operate;
    "inspect.domain", "smtiw", inspect_domain;
    "inspect.portal", "smtiiw", inspect_portal;
    "inspect.code", "smtiiw", inspect_code;
    "inspect.counts", "smtw", inspect_counts;
    "inspect.calls", "smtiw", inspect_calls;
    "inspect.trace", "smtri", inspect_trace;
    "inspect.traced", "smtiw", inspect_traced;
    "inspect.account", "smtiw", inspect_account;
    "inspect.check", "smtw", inspect_check;
}

#[optimize(size)]
fn start(_: &pebble::Env) {
    if MANAGER.lock().start(Hart.info()).is_err() {
        pebble::stop();
    }
}

/// Runs `body` for the calling thread under the lock; its result as a portal's.
fn with_caller(thread: usize, body: impl FnOnce(&mut Manager, Caller) -> Result<isize>) -> isize {
    let mut manager = MANAGER.lock();
    let caller = manager.caller(thread);
    let result = caller.and_then(|caller| body(&mut manager, caller)).unwrap_or_else(Error::code);
    unlock(manager);
    result
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
/// Calls code of a client through `upcall`, which is pending, with the lock free: so it takes the guard.
fn unlocked_call<const N: usize>(manager: Guard, upcall: usize, arguments: [usize; N]) -> isize {
    drop(manager);
    let result = pebble::portal::call(upcall, arguments);
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
        unlocked_call(manager, upcall, [asid, portal]);
    }
    next
}
/// Runs `body`, which makes `count` portals in the direct caller's table, and tells the caller of them.
#[inline(always)]
fn with_new_portals(thread: usize, count: usize, body: impl FnOnce(&mut Manager, Caller) -> Result<usize>) -> isize {
    let mut told = None;
    let number = with_caller(thread, |manager, caller| {
        let number = body(manager, caller)?;
        told = manager.new_portals(caller, thread, number..number + count)?;
        Ok(number as isize)
    });
    if let Some(told) = told {
        tell(told, number as usize, count);
    }
    number
}
