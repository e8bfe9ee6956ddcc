//! Pipes: their two control blocks, reading and writing them, and waiting in between.

use crate::{Control, STATE, State, add, code, collecting, grant_new, slot};
use abi::Error;
use abi::account::Resource;
use abi::file::pipe::{NO_READERS, NO_WRITERS};
use abi::window::Window;
use alloc::boxed::Box;
use alloc::rc::Rc;
use core::cell::UnsafeCell;
use files_logic::{FEW, Pipe, Reader, Shares, Side};
use pebble::account::{Account, Charge, Ledger, Remote};
use pebble::interfaces::types::Alleged;
use pebble::portal::call;
use pebble::sync::{Mutex, Semaphore};

/// How many pipes each account has. Not with the state: the last side of a pipe goes while that is locked.
static SHARES: Mutex<Shares> = Mutex::new(Shares::new());
/// One pipe of an account's.
struct Share(Account);
impl Share {
    /// One for `payer`, once those that nobody uses any more have made room where there is none. `ENFILE`.
    fn take(payer: Account) -> Result<Share, Error> {
        collecting(|| SHARES.lock().take(payer)).map(|()| Share(payer))
    }
}
impl Drop for Share {
    fn drop(&mut self) {
        SHARES.lock().give_back(self.0);
    }
}

/// A pipe, and what threads wait on that find it empty or full. Only one kind of them waits at a time.
struct Waited {
    pipe: UnsafeCell<Box<Pipe>>,
    wait: Semaphore,
    /// What tells it from other pipes.
    node: usize,
    /// What it costs who has made it.
    charge: Charge,
    _share: Share,
}
impl Drop for Waited {
    fn drop(&mut self) {
        Remote.refund(self.charge.take());
    }
}
/// One side of a pipe, as a control block has it. The pipe goes with the second one.
pub struct End {
    side: Side,
    waited: Rc<Waited>,
}
impl End {
    fn parts(&mut self) -> (&mut Pipe, &Semaphore) {
        // SAFETY: ends are in the state's control blocks, so who has one exclusively has all of them.
        (unsafe { &mut *self.waited.pipe.get() }, &self.waited.wait)
    }
    /// Bytes that are in the pipe.
    pub fn bytes(&mut self) -> usize {
        self.parts().0.bytes()
    }
    /// Which sides nobody has any more, in the form of [`abi::file::pipe`].
    pub fn left(&mut self) -> u64 {
        let pipe = &self.parts().0;
        let sides = [(pipe.no_readers, NO_READERS), (pipe.no_writers, NO_WRITERS)];
        sides.into_iter().filter(|(left, _)| *left).map(|(_, bit)| bit).sum()
    }
    /// What tells the pipe from others.
    pub fn node(&self) -> usize {
        self.waited.node
    }
    /// Nobody has this side any more: who waits for it goes on.
    pub fn leave(mut self) {
        let side = self.side;
        let (pipe, wait) = self.parts();
        match side {
            Side::Read => pipe.no_readers = true,
            Side::Write => pipe.no_writers = true,
        }
        while pipe.wake() {
            let _ = wait.post();
        }
    }
}
// SAFETY: ends are used under the state's lock only, the count of their pipe's users with it.
unsafe impl Send for End {}
impl State {
    /// The pipe whose side control block `number` is.
    #[inline(always)]
    fn pipe(&mut self, number: usize, side: Side) -> Option<(&mut Pipe, &Semaphore)> {
        match &mut slot(&mut self.slots, number)?.control {
            Control::Pipe(end) if end.side == side => Some(end.parts()),
            _ => None,
        }
    }
}
/// What one attempt to read or write came to. `EAGAIN`: nothing yet.
struct Attempt {
    result: isize,
    /// Number of the semaphore to wait for where there is nothing yet, else to post; 0: nobody waits.
    semaphore: usize,
}
impl State {
    /// One attempt: `step` on the pipe, and `to_wait` where that comes to nothing yet. Each of its users is a function of its own,
    /// without calls where few bytes are copied, so that it keeps no registers for them.
    #[inline(always)]
    fn attempt(
        &mut self,
        number: usize,
        side: Side,
        step: impl FnOnce(&mut Pipe) -> Option<Result<usize, Error>>,
        to_wait: impl FnOnce(&mut Pipe),
    ) -> Attempt {
        let Some((pipe, wait)) = self.pipe(number, side) else {
            return Attempt { result: Error::EBADF.code(), semaphore: 0 };
        };
        match step(pipe) {
            Some(result) => Attempt { result: code(result), semaphore: if pipe.wake() { wait.number() } else { 0 } },
            None => {
                to_wait(pipe);
                Attempt { result: Error::EAGAIN.code(), semaphore: wait.number() }
            }
        }
    }
    #[inline(never)]
    fn try_read<const SHORT: bool>(&mut self, number: usize, to: &mut [u8], reader: &Reader) -> Attempt {
        // SAFETY: the window is open for the call that waits, and in this space for all threads.
        let wait = |pipe: &mut Pipe| unsafe { pipe.wait_for_bytes(reader) };
        self.attempt(number, Side::Read, |pipe| pipe.read::<SHORT>(to).map(Ok), wait)
    }
    #[inline(never)]
    fn try_write<const SHORT: bool>(&mut self, number: usize, from: &[u8]) -> Attempt {
        self.attempt(number, Side::Write, |pipe| pipe.write::<SHORT>(from), Pipe::wait_for_room)
    }
}
/// The wait of `reader` has ended with `error`: what its call comes to, which is what a write has given it nevertheless.
#[cold]
#[inline(never)]
fn forget(number: usize, reader: &Reader, error: isize) -> isize {
    let mut state = STATE.lock();
    // Nobody gives it anything any more.
    match (reader.got(), state.pipe(number, Side::Read)) {
        (Some(count), _) => return count as isize,
        (None, Some((pipe, _))) => pipe.forget(reader),
        (None, None) => {}
    }
    error
}
/// The wait for room of a thread that writes has ended with `error`.
#[cold]
#[inline(never)]
fn leave(number: usize, error: isize) -> isize {
    if let Some((pipe, _)) = STATE.lock().pipe(number, Side::Write) {
        pipe.leave();
    }
    error
}
/// An attempt, and waiting where it comes to nothing yet, without the lock. `got`: what has come to the thread meanwhile. `None`: it
/// has to look again.
#[inline(always)]
fn once(attempt: impl FnOnce(&mut State) -> Attempt, got: impl FnOnce(isize) -> Option<isize>) -> Option<isize> {
    let Attempt { result, semaphore } = attempt(&mut STATE.lock());
    if semaphore == 0 {
        return Some(result);
    }
    if result != Error::EAGAIN.code() {
        call(semaphore + 1, []);
        return Some(result);
    }
    got(call(semaphore, [usize::MAX]))
}
/// Repeats it. Apart from the first time: what a loop keeps in registers is saved here only.
#[cold]
#[inline(never)]
fn again(once: impl Fn() -> Option<isize>) -> isize {
    loop {
        if let Some(result) = once() {
            return result;
        }
    }
}
#[inline(always)]
fn read_once(number: usize, window: Window<u8>) -> Option<isize> {
    // SAFETY: only this call writes there, and a reader that it has made known while it waits.
    let to = unsafe { window.values_mut() };
    let reader = Reader::new(window.pointer(), window.count());
    once(
        |state| match window.count() {
            0..=FEW => state.try_read::<true>(number, to, &reader),
            _ => state.try_read::<false>(number, to, &reader),
        },
        |waited| match reader.got() {
            Some(count) => Some(count as isize),
            None if waited < 0 => Some(forget(number, &reader, waited)),
            None => None,
        },
    )
}
pub extern "C" fn read(number: usize, to: Alleged<u8>, count: usize) -> isize {
    // SAFETY: it may be written.
    match unsafe { to.window(count) } {
        Ok(to) => read_once(number, to).unwrap_or_else(|| again(move || read_once(number, to))),
        Err(error) => error.code(),
    }
}
#[inline(always)]
fn write_once(number: usize, window: Window<u8>) -> Option<isize> {
    // SAFETY: each byte is copied once, and nothing follows from what it is.
    let from = unsafe { window.values() };
    once(
        |state| match window.count() {
            0..=FEW => state.try_write::<true>(number, from),
            _ => state.try_write::<false>(number, from),
        },
        |waited| (waited < 0).then(|| leave(number, waited)),
    )
}
pub extern "C" fn write(number: usize, from: Alleged<u8>, count: usize) -> isize {
    // SAFETY: it is only read.
    match unsafe { from.window(count) } {
        Ok(from) => write_once(number, from).unwrap_or_else(|| again(move || write_once(number, from))),
        Err(error) => error.code(),
    }
}
/// Two descriptors: that of the reading side, and 2¹⁶ times that of the writing side.
pub extern "C" fn pipe() -> isize {
    let sides = || {
        let payer = pebble::account::of_caller()?;
        let share = Share::take(payer)?;
        let wait = Semaphore::new(0).map_err(|_| Error::ENFILE)?;
        let node = {
            let mut state = STATE.lock();
            state.pipes += 1;
            state.pipes
        };
        let pipe = UnsafeCell::new(Pipe::new()?);
        let charge = Remote.charge(payer, Resource::Storage, 1)?;
        let waited = Rc::try_new(Waited { pipe, wait, node, charge, _share: share }).map_err(|_| Error::ENOMEM)?;
        let mut made = [0; 2];
        for (n, side) in [Side::Read, Side::Write].into_iter().enumerate() {
            let end = || Ok(Control::Pipe(End { side, waited: waited.clone() }));
            let number = add(|state| state.put_new(payer, |_| end()));
            made[n] = number.inspect_err(|_| give_up(&made[..n]))?;
        }
        // The ends have it, and it goes with them, under the lock.
        let _state = STATE.lock();
        drop(waited);
        Ok(made)
    };
    let [read, write] = match sides() {
        Ok(numbers) => numbers,
        Err(error) => return Error::code(error),
    };
    let reading = grant_new(read);
    if reading < 0 {
        give_up(&[write]);
        return reading;
    }
    let writing = grant_new(write);
    if writing < 0 { writing } else { reading | writing << 16 }
}
/// Control blocks without portals go.
fn give_up(numbers: &[usize]) {
    let mut state = STATE.lock();
    numbers.iter().for_each(|&number| state.end(number));
}
