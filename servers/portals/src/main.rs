//! The portal manager: the only writer of portal tables and portal code.
//!
//! Every entry point here checks and copies what its client passed (or has the name server do it), does its work under the
//! manager's lock, and calls notification routines after it has released it.
#![no_std]
#![feature(allocator_api, optimize_attribute)]
#![no_main]

extern crate alloc;

mod client_memory;
mod hart;

use abi::Error;
use abi::identity::DomainId;
use abi::nucleus::domain;
use abi::system::{self, Description, Ended, ended};
use alloc::vec::Vec;
use fallible::TryPush;
use hart::Hart;
use pebble::boot::{GROW_FOR, P_ID};
use pebble::sync::Mutex;
use pebble::{Result, check};
use portals_logic::manager::{Caller, Manager as Logic};
use portals_logic::nucleus_data::{Table, ThreadPage};
use portals_logic::nucleus_memory::NucleusMemory;
use portals_logic::threads::Exit;

pebble::boot_server!(start);

pebble::import! {
    THREAD_EXIT = "scheduler.exit";
    UNDO_TRANSFERS = "memory.undo_transfers";
    ATTACH_FOR = "interrupt.attach_for";
    DONE_FOR = "interrupt.done_for";
}

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
    "domain.create", "smtri", create;
    "domain.limits", "smir", limits;
    "domain.start", "smtiiiii", start_thread;
    "domain.event", "smtw", event;
    "domain.destroy", "smti", kill;
    "domain.fault", "smtiiiii", fault;
    "domain.grow_stack", "sx", grow_stack;
    "inspect.domain", "smtiw", inspect_domain;
    "inspect.portal", "smtiiw", inspect_portal;
    "inspect.code", "smtiiw", inspect_code;
    "inspect.counts", "smtw", inspect_counts;
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
/// Tells a domain of its new portals `number`…`number + count - 1`, re-entrantly: the routine may make portal calls.
#[cold]
#[inline(never)]
fn tell(told: DomainId, number: usize, count: usize) {
    for portal in number..number + count {
        let mut manager = MANAGER.lock();
        let Ok(asid) = manager.live(told) else { return };
        let notify = manager.domain(asid).map_or(0, |d| d.notify);
        let Ok(upcall) = manager.upcall_pending(notify) else { return };
        drop(manager);
        pebble::portal::call(upcall, [asid, portal]);
        MANAGER.lock().upcall_returned(upcall);
    }
}
/// Runs `body`, which makes `count` portals in the direct caller's table, and tells the caller of them.
#[inline(always)]
fn with_new_portals(thread: usize, count: usize, body: impl FnOnce(&mut Manager, Caller) -> Result<usize>) -> isize {
    let mut told = None;
    let number = with_caller(thread, |manager, caller| {
        let number = body(manager, caller)?;
        if caller.direct != caller.subject {
            manager.hold(thread, 0, number..number + count);
        }
        told = manager.listener(caller.direct);
        Ok(number as isize)
    });
    if let Some(told) = told {
        tell(told, number as usize, count);
    }
    number
}

extern "C" fn exit(thread: usize, status: usize) -> isize {
    with_caller(thread, |manager, caller| {
        let how =
            Ended { asid: caller.subject as u64, kind: ended::EXIT, status: status as i32 as i64, ..Ended::default() };
        manager.end_domain(caller.subject, how);
        Ok(0)
    })
}
extern "C" fn thread_create(thread: usize, entry: usize, sp: usize, argument: usize, priority: usize) -> isize {
    // C passes the priority as an int.
    let priority = priority as i32 as isize as usize;
    with_caller(thread, |manager, caller| {
        manager.create_thread(caller.subject, entry, sp, argument, priority).map(|id| id as isize)
    })
}
/// The calling thread ends: those who wait for that wake, a few at a time.
fn end_thread() -> isize {
    loop {
        let left = THREAD_EXIT.call([]);
        if left <= 0 {
            return left;
        }
    }
}
/// Ends the calling thread, and with the last thread of a domain that nobody else can enter, the domain. A thread that is
/// in its domain's controlling domain ends when it returns from there: it holds a stack of that domain.
extern "C" fn thread_exit(thread: usize) -> isize {
    give_back(thread);
    let mut manager = MANAGER.lock();
    let exit = manager.exit_thread(thread);
    unlock(manager);
    match exit {
        Exit::Returns => 0,
        Exit::Ends => end_thread(),
        Exit::Refused(error) => error.code(),
    }
}
/// The thread is about to end: what was shared or moved for calls that it did not make comes back.
fn give_back(thread: usize) {
    if ThreadPage::of(Hart, thread).is_some_and(|page| page.is_transferring()) {
        UNDO_TRANSFERS.call([thread]);
    }
}
/// Where a thread ends whose domain died: what waited for it to leave can be freed now.
extern "C" fn bury(thread: usize) -> isize {
    give_back(thread);
    let mut manager = MANAGER.lock();
    manager.sweep();
    manager.wake_stuck();
    drop(manager);
    end_thread()
}
/// A thread has come past a domain that is dead: it waits as it did before, unless another one is on its way back.
extern "C" fn leave(thread: usize) -> isize {
    let manager = MANAGER.lock();
    manager.left_the_dead(thread);
    0
}
#[optimize(size)]
extern "C" fn thread_cancel(thread: usize, id: usize) -> isize {
    with_caller(thread, |manager, caller| manager.cancel_thread(caller, id))
}
#[optimize(size)]
extern "C" fn callers(thread: usize, after: usize, out: usize) -> isize {
    with_caller(thread, |manager, caller| {
        let Some((index, call)) = manager.next_caller(caller.direct, after) else { return Ok(0) };
        client_memory::write(out, &call).map(|()| index as isize)
    })
}
extern "C" fn semaphore_create(thread: usize, value: usize) -> isize {
    with_new_portals(thread, 2, |manager, caller| manager.semaphore_create(caller, value))
}
#[optimize(size)]
extern "C" fn semaphore_destroy(thread: usize, semaphore: usize) -> isize {
    with_caller(thread, |manager, caller| manager.semaphore_destroy(caller, semaphore))
}
extern "C" fn register(thread: usize, request: usize) -> isize {
    with_caller(thread, |manager, caller| manager.register(caller, &client_memory::read(request)?))
}
#[optimize(size)]
extern "C" fn unregister(thread: usize, name: usize) -> isize {
    with_caller(thread, |manager, caller| manager.unregister(caller, &client_memory::name(name)?))
}
extern "C" fn open(thread: usize, name: usize) -> isize {
    with_new_portals(thread, 1, |manager, caller| manager.open(caller, name))
}
extern "C" fn close(thread: usize, number: usize) -> isize {
    with_caller(thread, |manager, caller| manager.close(caller, number))
}
#[optimize(size)]
extern "C" fn create_child(thread: usize, request: usize) -> isize {
    let mut made: (Vec<DomainId>, usize) = (Vec::new(), 0);
    let result = with_caller(thread, |manager, caller| {
        let request = client_memory::read::<system::Child>(request)?;
        made.0.room_for(manager.domain(caller.subject)?.sandbox.inside.len() + 1)?;
        match manager.create_child(caller, &request)? {
            Ok(domains) => {
                made.1 = request.portal as usize;
                for told in domains.iter().filter_map(|&asid| manager.listener(asid)) {
                    made.0.push_kept(told);
                }
                Ok(0)
            }
            Err(rejected) => Ok(rejected),
        }
    });
    for told in made.0 {
        tell(told, made.1, 1);
    }
    result
}
#[optimize(size)]
extern "C" fn grant(thread: usize, request: usize) -> isize {
    let (mut count, mut told) = (0, None);
    let number = with_caller(thread, |manager, caller| {
        let request = client_memory::read::<system::Grant>(request)?;
        let (to, number) = manager.grant(caller, thread, &request)?;
        if !manager.domain(to)?.sandbox.inside.is_empty() {
            // Above the client's own frame is that of the server's call.
            manager.hold(thread, 1, number..number + request.count as usize);
        }
        (count, told) = (request.count as usize, manager.listener(to));
        Ok(number as isize)
    });
    if let Some(told) = told {
        tell(told, number as usize, count);
    }
    number
}
extern "C" fn gone(thread: usize) -> isize {
    with_caller(thread, |manager, caller| manager.next_gone(caller))
}
extern "C" fn granted(thread: usize, constant: usize) -> isize {
    with_caller(thread, |manager, caller| manager.count_granted(caller, constant))
}
#[optimize(size)]
extern "C" fn template(thread: usize, template: usize, entry: usize) -> isize {
    with_caller(thread, |manager, caller| manager.register_template(caller, client_memory::boxed(template)?, entry))
}
#[optimize(size)]
extern "C" fn short_circuit(thread: usize, request: usize) -> isize {
    with_caller(thread, |manager, caller| manager.register_short_circuit(caller, &client_memory::read(request)?))
}
/// Code of a registered template, in a call of domain `caller`, asks its server. `pc`: the callee's identity, and from bit
/// [`fault::TEMPLATE`] the template's number. An error ends the call, and what was shared or moved for it comes back.
///
/// [`fault::TEMPLATE`]: abi::nucleus::fault::TEMPLATE
extern "C" fn argument(_cause: usize, value: usize, pc: usize, caller: usize, thread: usize) -> isize {
    let (callee, template) = (pc & ((1 << abi::nucleus::fault::TEMPLATE) - 1), pc >> abi::nucleus::fault::TEMPLATE);
    let question = MANAGER.lock().template_question(template, caller, callee);
    let result = match question {
        Ok((upcall, asids)) => {
            let result = pebble::portal::call(upcall, [value, caller, callee, asids]).min(0);
            MANAGER.lock().upcall_returned(upcall);
            result
        }
        Err(error) => error.code(),
    };
    if result < 0 {
        UNDO_TRANSFERS.call([thread]);
    }
    result
}
/// Keeps two domains, or one (the other identity is 0), from lending pages until `thaw`. `EDEAD`: one of them is no more, and none is
/// kept from anything.
extern "C" fn freeze(one: u64, other: u64) -> isize {
    let mut manager = MANAGER.lock();
    let both = [one, other].map(DomainId::of);
    for id in both.into_iter().flatten() {
        if let Err(error) = manager.living(id) {
            return error.code();
        }
    }
    both.into_iter().flatten().for_each(|id| manager.keep_from_lending(id.number()));
    0
}
/// Which of the frames at `count` physical addresses in the window `frames` windows show: bit n stands for frame n.
extern "C" fn shown(frames: usize, count: usize) -> isize {
    // SAFETY: the window argument, in which the memory manager, the only caller, leaves the addresses as they are.
    match unsafe { client_memory::shown(frames, count) } {
        Ok(frames) => MANAGER.lock().shown(frames) as isize,
        Err(error) => error.code(),
    }
}
extern "C" fn thaw(one: u64, other: u64) -> isize {
    let mut manager = MANAGER.lock();
    for id in [one, other].into_iter().filter_map(DomainId::of) {
        if manager.living(id).is_ok() {
            manager.thaw(id.number());
        }
    }
    0
}
#[optimize(size)]
extern "C" fn notify(thread: usize, entry: usize) -> isize {
    with_caller(thread, |manager, caller| manager.set_notify(caller, entry))
}
#[optimize(size)]
extern "C" fn info(thread: usize, number: usize, out: usize) -> isize {
    with_caller(thread, |manager, caller| {
        let portal = manager.inspect_portal(caller.direct, number)?;
        let mut description = Description { spec: [0; 64], name: [0; 64] };
        description.spec[..portal.spec.len()].copy_from_slice(&portal.spec);
        description.name[..portal.name.len()].copy_from_slice(&portal.name);
        client_memory::write(out, &description).map(|()| 0)
    })
}
#[optimize(size)]
extern "C" fn fork(thread: usize, intercept: usize, pc: usize, sp: usize) -> isize {
    with_caller(thread, |manager, caller| manager.fork_domain(caller, intercept, pc, sp).map(|asid| asid as isize))
}
#[optimize(size)]
extern "C" fn wait(thread: usize, asid: usize, out: usize) -> isize {
    wait_for(thread, asid, out).unwrap_or_else(Error::code)
}
#[optimize(size)]
fn wait_for(thread: usize, asid: usize, out: usize) -> Result<isize> {
    let mut manager = MANAGER.lock();
    let caller = manager.caller(thread)?;
    let waiting = manager.wait_begin(caller, asid)?;
    if let Some(semaphore) = waiting.semaphore {
        drop(manager);
        let waited = P_ID.call([semaphore, usize::MAX]);
        pebble::boot::semaphore_destroy(semaphore);
        manager = MANAGER.lock();
        manager.wait_over(&waiting);
        check(waited)?;
    }
    let how = manager.wait_end(&waiting)?;
    client_memory::write(out, &how)?;
    Ok(0)
}
extern "C" fn kill(thread: usize, asid: usize) -> isize {
    with_caller(thread, |manager, caller| manager.kill(caller.subject, asid))
}
extern "C" fn grow(thread: usize, pages: usize) -> isize {
    with_caller(thread, |_, caller| Ok(GROW_FOR.call([caller.subject, pages])))
}
extern "C" fn stack(thread: usize, bytes: usize) -> isize {
    with_caller(thread, |manager, caller| {
        manager.reap();
        manager.new_stack(caller.subject, bytes).map(|top| top as isize)
    })
}
#[optimize(size)]
extern "C" fn pager(thread: usize, asid: usize, start: usize, bytes: usize, entry: usize) -> isize {
    with_caller(thread, |manager, caller| manager.set_pager(caller, asid, (start, bytes), entry))
}
#[optimize(size)]
extern "C" fn page(thread: usize, asid: usize, va: usize, source: usize, rights: usize) -> isize {
    with_caller(thread, |manager, caller| {
        if rights >> 8 != 0 {
            return Err(Error::EINVAL);
        }
        manager.replace_page(caller.subject, asid, va, source, rights)
    })
}
extern "C" fn set_tp(thread: usize, tp: usize) -> isize {
    with_caller(thread, |manager, caller| {
        manager.domain(caller.subject)?.table.set_field(domain::TP, tp as u64);
        Ok(0)
    })
}
#[optimize(size)]
extern "C" fn attach(thread: usize, device: usize, semaphore: usize) -> isize {
    with_caller(thread, |manager, caller| {
        let id = manager.semaphore_of(caller.direct, semaphore)?;
        Ok(ATTACH_FOR.call([caller.subject, device, id]))
    })
}
extern "C" fn done(thread: usize, device: usize) -> isize {
    with_caller(thread, |_, caller| Ok(DONE_FOR.call([caller.subject, device])))
}
extern "C" fn create(thread: usize, name: usize, flags: usize) -> isize {
    with_caller(thread, |manager, _| {
        let name = client_memory::name(name)?;
        let (flags, account) = (flags as u64 & 0xff, account::Account::new(flags >> 8)?);
        if flags & !abi::nucleus::flags::TRUSTED != 0 {
            return Err(Error::EINVAL);
        }
        manager.create_domain(name.text(), flags, 0, account).map(|asid| asid as isize)
    })
}
#[optimize(size)]
extern "C" fn limits(account: usize, limits: usize) -> isize {
    let result = client_memory::read(limits).and_then(|limits| MANAGER.lock().set_limits(account, &limits));
    result.unwrap_or_else(Error::code)
}
extern "C" fn start_thread(_: usize, asid: usize, entry: usize, sp: usize, argument: usize, priority: usize) -> isize {
    let mut manager = MANAGER.lock();
    // The manifest's priority is the ceiling of all its threads.
    let ceiling = manager.domain_mut(asid).map(|d| d.ceiling = d.ceiling.max(priority.min(63) as u8));
    let made = ceiling.and_then(|()| manager.create_thread(asid, entry, sp, argument, priority));
    drop(manager);
    made.map_or_else(Error::code, |id| id as isize)
}
/// Waits for a domain to end. Who waits looks after pagers meanwhile.
#[optimize(size)]
extern "C" fn event(_: usize, out: usize) -> isize {
    loop {
        let mut manager = MANAGER.lock();
        let (semaphore, ticks) = (manager.event_semaphore, manager.watch_pagers());
        unlock(manager);
        let waited = P_ID.call([semaphore, ticks]);
        let event = MANAGER.lock().events.pop_front();
        match event {
            Some(how) => return client_memory::write(out, &how).map_or_else(Error::code, |()| 0),
            None if waited < 0 && waited != Error::ETIMEDOUT.code() => return waited,
            None => {}
        }
    }
}
/// A domain did what it may not: it ends. From the memory manager. `who`: its identity; `pager`: who answers for the address, or 0.
#[optimize(size)]
extern "C" fn fault(thread: usize, who: usize, cause: usize, address: usize, pc: usize, pager: usize) -> isize {
    let mut manager = MANAGER.lock();
    // One that has ended since is left alone, whoever has its number: the thread has been turned to the graveyard.
    let Some(Ok(asid)) = DomainId::of(who as u64).map(|id| manager.live(id)) else { return 0 };
    if manager.is_graveyard(asid) {
        // A handler has said where a thread is to go on whose domain has died since: it goes on dying.
        return manager.divert_thread(thread, asid).map_or_else(Error::code, |()| 0);
    }
    let how = Ended {
        asid: asid as u64,
        kind: ended::FAULT,
        status: -(cause as i64),
        cause: cause as u64,
        address: address as u64,
        pc: pc as u64,
        pager: pager as u64,
        waited: 0,
    };
    manager.end_domain(asid, how);
    unlock(manager);
    0
}
/// A portal into a controlling domain found no stack in its queue: adds one, and the call is made again.
extern "C" fn grow_stack(_cause: usize, table: usize, _pc: usize, _asid: usize, _thread: usize) -> isize {
    let mut manager = MANAGER.lock();
    let grown = manager.asid_of(Table::at(Hart, table as u64)).and_then(|asid| manager.add_stack(asid));
    grown.map_or_else(|error| if error == Error::EDEAD { error.code() } else { Error::ENOSTACK.code() }, |()| 0)
}
#[optimize(size)]
extern "C" fn inspect_domain(_: usize, asid: usize, out: usize) -> isize {
    let domain = MANAGER.lock().inspect_domain(asid);
    domain.and_then(|d| client_memory::write(out, &d)).map_or_else(Error::code, |()| 0)
}
#[optimize(size)]
extern "C" fn inspect_portal(_: usize, asid: usize, number: usize, out: usize) -> isize {
    let portal = MANAGER.lock().inspect_portal(asid, number);
    portal.and_then(|p| client_memory::write(out, &p)).map_or_else(Error::code, |()| 0)
}
#[optimize(size)]
extern "C" fn inspect_counts(_: usize, out: usize) -> isize {
    let counts = MANAGER.lock().counts();
    client_memory::write(out, &counts).map_or_else(Error::code, |()| 0)
}
#[optimize(size)]
extern "C" fn inspect_account(_: usize, account: usize, out: usize) -> isize {
    let report = MANAGER.lock().report(account);
    report.and_then(|report| client_memory::write(out, &report)).map_or_else(Error::code, |()| 0)
}
#[optimize(size)]
extern "C" fn inspect_check(_: usize, out: usize) -> isize {
    let checked = MANAGER.lock().check();
    checked.and_then(|violation| client_memory::write(out, &violation)).map_or_else(Error::code, |()| 0)
}
#[optimize(size)]
extern "C" fn inspect_code(_: usize, asid: usize, number: usize, out: usize) -> isize {
    /// Words that one call gives.
    const WORDS: usize = 256;
    let manager = MANAGER.lock();
    let copy = || -> Result<isize> {
        let portal = manager.inspect_portal(asid, number)?;
        if portal.words == 0 {
            return Ok(0);
        }
        let (count, code) = manager.code.words(portal.code);
        let mut words = [0u32; WORDS];
        words.iter_mut().zip(code).for_each(|(place, word)| *place = word);
        client_memory::write(out, &words)?;
        Ok(count as isize)
    };
    copy().unwrap_or_else(Error::code)
}
