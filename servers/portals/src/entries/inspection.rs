//! What the shell and tests look at.

use crate::{MANAGER, client_memory, seldom_with_caller};
use abi::Error;
use abi::account::Report;
use abi::activity::Activity;
use abi::count::{Calls, WORDS};
use abi::inspect::{CODE, Counts, Domain, Portal, Violation};
use abi::section::NAME;
use abi::trace::Traced;
use alloc::boxed::Box;
use pebble::Result;
use pebble::interfaces::types::{Alleged, DomainNumber, PortalNumber, ThreadIndex};

#[optimize(size)]
pub extern "C" fn inspect_domain(_: ThreadIndex, asid: DomainNumber, out: Alleged<Domain>) -> isize {
    let domain = MANAGER.lock().inspect_domain(asid.0);
    domain.and_then(|d| client_memory::write(out, &d)).map_or_else(Error::code, |()| 0)
}
#[optimize(size)]
pub extern "C" fn inspect_portal(
    _: ThreadIndex,
    asid: DomainNumber,
    number: PortalNumber,
    out: Alleged<Portal>,
) -> isize {
    let portal = MANAGER.lock().inspect_portal(asid.0, number.0);
    portal.and_then(|p| client_memory::write(out, &p)).map_or_else(Error::code, |()| 0)
}
#[optimize(size)]
pub extern "C" fn inspect_counts(_: ThreadIndex, out: Alleged<Counts>) -> isize {
    let counts = MANAGER.lock().counts();
    client_memory::write(out, &counts).map_or_else(Error::code, |()| 0)
}
#[optimize(size)]
pub extern "C" fn inspect_calls(_: ThreadIndex, asid: DomainNumber, out: Alleged<Calls>) -> isize {
    let manager = MANAGER.lock();
    let copy = || -> Result<()> {
        // SAFETY: a window argument whose letter is `w`.
        let window = unsafe { out.of::<u64>().window(WORDS) }?;
        // Word by word: a page of them has no room on the stack.
        for (n, word) in manager.inspect_calls(asid.0)?.enumerate() {
            // SAFETY: so many are shown, and may be written.
            unsafe { window.pointer().add(n).write_volatile(word) };
        }
        Ok(())
    };
    copy().map_or_else(Error::code, |()| 0)
}
#[optimize(size)]
pub extern "C" fn inspect_trace(thread: ThreadIndex, name: Alleged<[u8; NAME]>, wanted: usize) -> isize {
    let name = client_memory::read(name);
    seldom_with_caller(thread, |manager, caller| manager.trace(caller, &name?, wanted))
}
#[optimize(size)]
pub extern "C" fn inspect_traced(_: ThreadIndex, from: usize, out: Alleged<Traced>) -> isize {
    let copy = || -> Result<()> {
        // A page of them has no room on the stack, and is not written in place: what it shows is its caller's.
        let mut answer = Box::try_new(Traced::NONE).map_err(|_| Error::ENOMEM)?;
        MANAGER.lock().traced_events(from as u64, &mut answer)?;
        client_memory::write(out, &*answer)
    };
    copy().map_or_else(Error::code, |()| 0)
}
#[optimize(size)]
pub extern "C" fn inspect_thread(thread: ThreadIndex, from: ThreadIndex, mark: usize, out: Alleged<Activity>) -> isize {
    seldom_with_caller(thread, |manager, caller| {
        let activity = manager.activity(caller.direct, from.0, mark != 0)?;
        client_memory::write(out, &activity)?;
        Ok(activity.index as isize)
    })
}
#[optimize(size)]
pub extern "C" fn inspect_account(_: ThreadIndex, account: usize, out: Alleged<Report>) -> isize {
    let report = MANAGER.lock().report(account);
    report.and_then(|report| client_memory::write(out, &report)).map_or_else(Error::code, |()| 0)
}
#[optimize(size)]
pub extern "C" fn inspect_check(_: ThreadIndex, out: Alleged<Violation>) -> isize {
    let checked = MANAGER.lock().check();
    checked.and_then(|violation| client_memory::write(out, &violation)).map_or_else(Error::code, |()| 0)
}
#[optimize(size)]
pub extern "C" fn inspect_code(
    _: ThreadIndex,
    asid: DomainNumber,
    number: PortalNumber,
    out: Alleged<[u32; CODE]>,
) -> isize {
    let manager = MANAGER.lock();
    let copy = || -> Result<isize> {
        let portal = manager.inspect_portal(asid.0, number.0)?;
        if portal.words == 0 {
            return Ok(0);
        }
        let (count, code) = manager.code.words(portal.code);
        let mut words = [0u32; CODE];
        words.iter_mut().zip(code).for_each(|(place, word)| *place = word);
        client_memory::write(out, &words)?;
        Ok(count as isize)
    };
    copy().unwrap_or_else(Error::code)
}
