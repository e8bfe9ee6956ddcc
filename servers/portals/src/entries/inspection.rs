//! What the shell and tests look at.

use crate::{MANAGER, client_memory, with_caller};
use abi::Error;
use abi::count::WORDS;
use abi::section::NAME;
use abi::trace::Traced;
use abi::window::Window;
use alloc::boxed::Box;
use pebble::Result;

#[optimize(size)]
pub extern "C" fn inspect_domain(_: usize, asid: usize, out: usize) -> isize {
    let domain = MANAGER.lock().inspect_domain(asid);
    domain.and_then(|d| client_memory::write(out, &d)).map_or_else(Error::code, |()| 0)
}
#[optimize(size)]
pub extern "C" fn inspect_portal(_: usize, asid: usize, number: usize, out: usize) -> isize {
    let portal = MANAGER.lock().inspect_portal(asid, number);
    portal.and_then(|p| client_memory::write(out, &p)).map_or_else(Error::code, |()| 0)
}
#[optimize(size)]
pub extern "C" fn inspect_counts(_: usize, out: usize) -> isize {
    let counts = MANAGER.lock().counts();
    client_memory::write(out, &counts).map_or_else(Error::code, |()| 0)
}
#[optimize(size)]
pub extern "C" fn inspect_calls(_: usize, asid: usize, out: usize) -> isize {
    let manager = MANAGER.lock();
    let copy = || -> Result<()> {
        // SAFETY: a window argument whose letter is `w`.
        let window = unsafe { Window::<u64>::new(out, WORDS) }?;
        // Word by word: a page of them has no room on the stack.
        for (n, word) in manager.inspect_calls(asid)?.enumerate() {
            // SAFETY: so many are shown, and may be written.
            unsafe { window.pointer().add(n).write_volatile(word) };
        }
        Ok(())
    };
    copy().map_or_else(Error::code, |()| 0)
}
#[optimize(size)]
pub extern "C" fn inspect_trace(thread: usize, name: usize, wanted: usize) -> isize {
    let name = client_memory::read::<[u8; NAME]>(name);
    with_caller(thread, |manager, caller| manager.trace(caller, &name?, wanted))
}
#[optimize(size)]
pub extern "C" fn inspect_traced(_: usize, from: usize, out: usize) -> isize {
    let copy = || -> Result<()> {
        // A page of them has no room on the stack, and is not written in place: what it shows is its caller's.
        let mut answer = Box::try_new(Traced::NONE).map_err(|_| Error::ENOMEM)?;
        MANAGER.lock().traced_events(from as u64, &mut answer)?;
        client_memory::write(out, &*answer)
    };
    copy().map_or_else(Error::code, |()| 0)
}
#[optimize(size)]
pub extern "C" fn inspect_account(_: usize, account: usize, out: usize) -> isize {
    let report = MANAGER.lock().report(account);
    report.and_then(|report| client_memory::write(out, &report)).map_or_else(Error::code, |()| 0)
}
#[optimize(size)]
pub extern "C" fn inspect_check(_: usize, out: usize) -> isize {
    let checked = MANAGER.lock().check();
    checked.and_then(|violation| client_memory::write(out, &violation)).map_or_else(Error::code, |()| 0)
}
#[optimize(size)]
pub extern "C" fn inspect_code(_: usize, asid: usize, number: usize, out: usize) -> isize {
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
