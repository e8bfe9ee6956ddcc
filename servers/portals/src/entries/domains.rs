//! Domains: made, waited for, ended.

use crate::{MANAGER, client_memory, seldom_with_caller, unlock, with_caller};
use abi::Error;
use abi::account::Limits;
use abi::identity::DomainId;
use abi::name::Name;
use abi::patch::Switch;
use abi::section::NAME;
use abi::system::{self, Ended, NewDomain, ended};
use account::Account;
use pebble::Result;
use pebble::interfaces::scheduler;
use pebble::interfaces::types::{Address, Alleged, DomainNumber, Identity, SemaphoreId, ThreadIndex, Ticks};
use portals_logic::operations::replacement::Refused;
use portals_logic::state::wanted::Wanted;

pub extern "C" fn exit(thread: ThreadIndex, status: usize) -> isize {
    with_caller(thread, |manager, caller| {
        let how = Ended { kind: ended::EXIT, status: status as i32 as i64, ..Ended::default() };
        manager.end_domain(caller.subject, how);
        Ok(0)
    })
}
#[optimize(size)]
pub extern "C" fn fork(thread: ThreadIndex, intercept: Address, pc: Address, sp: Address) -> isize {
    with_caller(thread, |manager, caller| {
        manager.fork_domain(caller, intercept.0, pc.0, sp.0).map(|asid| asid as isize)
    })
}
#[optimize(size)]
pub extern "C" fn wait(thread: ThreadIndex, asid: DomainNumber, out: Alleged<Ended>) -> isize {
    wait_for(thread, asid, out).unwrap_or_else(Error::code)
}
#[optimize(size)]
fn wait_for(thread: ThreadIndex, asid: DomainNumber, out: Alleged<Ended>) -> Result<isize> {
    let mut manager = MANAGER.lock();
    let caller = manager.caller(thread.0)?;
    let waiting = manager.wait_begin(caller, asid.0)?;
    if let Some(semaphore) = waiting.semaphore {
        drop(manager);
        let waited = scheduler::p_id(SemaphoreId(semaphore), Ticks::FOR_EVER);
        pebble::boot::semaphore_destroy(semaphore);
        manager = MANAGER.lock();
        manager.wait_over(&waiting);
        waited?;
    }
    let how = manager.wait_end(&waiting)?;
    client_memory::write(out, &how)?;
    Ok(0)
}
pub extern "C" fn kill(thread: ThreadIndex, asid: DomainNumber) -> isize {
    with_caller(thread, |manager, caller| manager.kill(caller.subject, asid.0))
}
pub extern "C" fn destroy(thread: ThreadIndex, who: Identity) -> isize {
    kill(thread, DomainNumber(who.0))
}
#[optimize(size)]
pub extern "C" fn create(thread: ThreadIndex, request: Alleged<NewDomain>) -> isize {
    with_caller(thread, |manager, caller| {
        let NewDomain { name, flags, account, isolation, within, switch, heals } = client_memory::read(request)?;
        if flags & !abi::nucleus::flags::TRUSTED != 0 {
            return Err(Error::EINVAL);
        }
        let (name, account) = (Name::new(&name)?, Account::new(account as usize)?);
        let enclosure = manager.enclosure(caller.subject, isolation, within)?;
        let flags = flags | Switch::of(switch).ok_or(Error::EINVAL)?.flags();
        let wanted = Wanted { name: name.text(), flags, enclosure, parent: 0, account };
        let asid = manager.create_component(caller.subject, &wanted)?;
        manager.start_patching(asid);
        if heals != 0 {
            manager.heals(caller.subject, asid)?;
        }
        Ok(manager.domain(asid)?.id.word() as isize)
    })
}
#[optimize(size)]
pub extern "C" fn succeed(thread: ThreadIndex, successor: Identity, predecessor: Identity) -> isize {
    seldom_with_caller(thread, |manager, caller| {
        manager.succeed(caller.subject, successor.meant()?, predecessor.meant()?)
    })
}
#[optimize(size)]
pub extern "C" fn inherit(thread: ThreadIndex, heir: Identity, of: Identity) -> isize {
    seldom_with_caller(thread, |manager, caller| {
        let heir = if heir.0 == 0 { None } else { Some(heir.meant()?) };
        manager.inherit(caller.subject, heir, of.meant()?)
    })
}
#[optimize(size)]
pub extern "C" fn take_over(thread: ThreadIndex, successor: Identity, all: usize, out: Alleged<[u8; NAME]>) -> isize {
    seldom_with_caller(thread, |manager, caller| {
        match manager.take_over(caller.subject, successor.meant()?, all != 0) {
            Ok(done) => Ok(done),
            Err(Refused(error, name)) => client_memory::write(out, &name).and(Err(error)),
        }
    })
}
#[optimize(size)]
pub extern "C" fn gate(
    thread: ThreadIndex,
    of: Identity,
    heir: Identity,
    what: usize,
    out: Alleged<[u8; NAME]>,
) -> isize {
    seldom_with_caller(thread, |manager, caller| {
        let (of, heir, mut name) = (of.meant()?, heir.meant()?, [0; NAME]);
        let done = match what {
            system::gate::CLOSE => manager.close_gate(caller.subject, of, heir),
            system::gate::OPEN => manager.open_gate(caller.subject, of).map_err(Refused::from),
            system::gate::END => manager.end_behind_gate(caller.subject, of),
            system::gate::AWAITED => manager.awaits_of(caller.subject, heir, &mut name).map_err(|e| Refused(e, name)),
            system::gate::TAKEN => manager.has_taken_place(caller.subject, heir).map_err(Refused::from),
            _ => Err(Error::EINVAL.into()),
        };
        let done = done.map_err(|Refused(error, why)| {
            name = why;
            error
        });
        client_memory::write(out, &name).and(done)
    })
}
#[optimize(size)]
pub extern "C" fn served(thread: ThreadIndex, domain: Identity) -> isize {
    seldom_with_caller(thread, |manager, _| manager.served_in(domain.meant()?).map(|served| served as isize))
}
#[optimize(size)]
pub extern "C" fn limits(account: usize, limits: Alleged<Limits>) -> isize {
    let result = client_memory::read(limits).and_then(|limits| MANAGER.lock().set_limits(account, &limits));
    result.unwrap_or_else(Error::code)
}
/// Waits for a domain to end. Who waits looks after pagers meanwhile.
#[optimize(size)]
pub extern "C" fn event(_: ThreadIndex, out: Alleged<Ended>) -> isize {
    loop {
        let mut manager = MANAGER.lock();
        let (semaphore, ticks) = (manager.events.semaphore, manager.watch_pagers());
        unlock(manager);
        let waited = scheduler::p_id(SemaphoreId(semaphore), Ticks(ticks));
        let event = MANAGER.lock().events.queue.pop_front();
        match event {
            Some(how) => return client_memory::write(out, &how).map_or_else(Error::code, |()| 0),
            None => match waited {
                Ok(()) | Err(Error::ETIMEDOUT) => {}
                Err(error) => return error.code(),
            },
        }
    }
}
/// A domain did what it may not: it ends. From the memory manager. `who`: its identity; `pager`: who answers for the address, or 0.
#[optimize(size)]
pub extern "C" fn fault(
    thread: ThreadIndex,
    who: Identity,
    cause: usize,
    address: usize,
    pc: usize,
    pager: DomainNumber,
) -> isize {
    let mut manager = MANAGER.lock();
    // One that has ended since is left alone, whoever has its number: the thread has been turned to the graveyard.
    let Some(Ok(asid)) = DomainId::of(who.0 as u64).map(|id| manager.live(id)) else { return 0 };
    if manager.is_graveyard(asid) {
        // A handler has said where a thread is to go on whose domain has died since: it goes on dying.
        return manager.divert_thread(thread.0, asid).map_or_else(Error::code, |()| 0);
    }
    let how = Ended {
        kind: ended::FAULT,
        status: -(cause as i64),
        cause: cause as u64,
        address: address as u64,
        pc: pc as u64,
        pager: pager.0 as u64,
        ..Ended::default()
    };
    manager.end_domain(asid, how);
    unlock(manager);
    0
}
