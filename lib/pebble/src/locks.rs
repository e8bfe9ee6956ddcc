//! For services that keep files: the operation `LOCK` of their control portals, and waiting for locks.
//!
//! Who waits does so in the service, on a semaphore and a stack of it. Services have few of both, so only some may ([`Waits`]); to others it is
//! `EBUSY`, and they ask again.

pub use ::locks::Locks;

use crate::account::{self, Remote};
use crate::sync::{Mutex, Semaphore};
use crate::{Error, Result};
use ::account::Account;
use ::locks::{Ask, Kind, Owner, Set, Span};
use abi::account::ACCOUNTS;
use abi::file::{Lock, lock, lock_how as how};
use abi::identity::DomainId;
use core::sync::atomic::{AtomicIsize, Ordering};

/// What is locked: a control block that is open on a file.
pub struct Block {
    /// Its number, which no other has.
    pub number: usize,
    /// The file's, which is another's only after the last control block on it has ended.
    pub node: u64,
    pub read: bool,
    pub write: bool,
}
/// What a service has under one lock: its control blocks, and the locks through them. When a control block ends, the service calls
/// [`Locks::end`] with [`tell`].
pub trait Locked {
    /// `None`: there are no files.
    fn locks(&mut self) -> Option<&mut Locks<Remote>>;
    /// The control block with this number. `EBADF`: there is none; `EINVAL`: it is on no file.
    fn block(&mut self, number: usize) -> Result<Block>;
    /// Most control blocks that there can be.
    const BLOCKS: usize;
    /// How many have ended because nobody had portals to them any more. It wraps around.
    fn ended() -> usize;
    /// Ends one that nobody has portals to any more, if there is one. Nothing of this is locked meanwhile. What a domain has locked is free for who has
    /// waited for its end, whenever the service would have come to that by itself.
    fn collect();
}
/// How many threads may wait for locks at a time: who takes all it can leaves half of what is left.
pub struct Waits {
    left: u8,
    of: [u8; ACCOUNTS],
}
impl Waits {
    pub const fn new(most: u8) -> Waits {
        Waits { left: most, of: [0; ACCOUNTS] }
    }
    fn begin(&mut self, account: Account) -> Result<()> {
        let own = &mut self.of[account.number()];
        if *own >= self.left {
            return Err(Error::EBUSY);
        }
        *own += 1;
        self.left -= 1;
        Ok(())
    }
    fn end(&mut self, account: Account) {
        self.of[account.number()] -= 1;
        self.left += 1;
    }
}
/// A thread that waits. It stays where it is as long as the locks know of it.
struct Waiter {
    semaphore: Semaphore,
    /// 0 or an error's code; [`Waiter::NONE`]: none yet. Written and read under the service's lock.
    answer: AtomicIsize,
}
impl Waiter {
    const NONE: isize = 1;
    fn answer(&self) -> Option<Result<usize>> {
        match self.answer.load(Ordering::Relaxed) {
            Waiter::NONE => None,
            code => Some(crate::check(code)),
        }
    }
}
/// The wait of the thread that is known as `token` has ended so.
pub fn tell(token: usize, result: Result<()>) {
    // SAFETY: tokens are made in `wait`, which takes each back before its waiter goes.
    let waiter = unsafe { &*(token as *const Waiter) };
    waiter.answer.store(result.map_or_else(Error::code, |()| 0), Ordering::Relaxed);
    let _ = waiter.semaphore.post();
}

fn kind(of: u64) -> Result<Option<Kind>> {
    match of {
        lock::NONE => Ok(None),
        lock::SHARED => Ok(Some(Kind::Shared)),
        lock::EXCLUSIVE => Ok(Some(Kind::Exclusive)),
        _ => Err(Error::EINVAL),
    }
}
/// Operation `LOCK` on control block `number`, for domain `domain`. Its errors are those of [`abi::file::lock`], and `EINVAL`, `ENOLCK`.
///
/// # Safety
/// `at` is a window argument of the call that is being served, and it may be written.
pub unsafe fn operate<S: Locked>(
    state: &Mutex<S>,
    waits: &Mutex<Waits>,
    number: usize,
    domain: DomainId,
    at: usize,
) -> Result<usize> {
    // SAFETY: the caller's promise.
    let request: Lock = unsafe { abi::window::read(at) }?;
    // As many as were there when the call came can be no more by now.
    for _ in 0..S::BLOCKS {
        let before = S::ended();
        // SAFETY: the caller's promise.
        let done = unsafe { attempt(state, waits, number, domain, (request, at)) };
        match done {
            // Those may be in the way that are no more, and somebody else may have come first to end them: between the attempt and this.
            Ok(Attempt::InTheWay) | Err(Error::EAGAIN | Error::EDEADLK | Error::ENOLCK) => {
                S::collect();
                if S::ended() == before {
                    return done.map(|_| 0);
                }
            }
            done => return done.map(|_| 0),
        }
    }
    Err(Error::EAGAIN)
}
enum Attempt {
    Done,
    /// The caller was told what is in the way.
    InTheWay,
}
/// The same, once.
///
/// # Safety
/// As of [`operate`].
unsafe fn attempt<S: Locked>(
    state: &Mutex<S>,
    waits: &Mutex<Waits>,
    number: usize,
    domain: DomainId,
    (request, at): (Lock, usize),
) -> Result<Attempt> {
    if request.how & !(how::WHOLE | how::WAIT | how::ASK) != 0 {
        return Err(Error::EINVAL);
    }
    let (wanted, whole) = (kind(request.kind)?, request.how & how::WHOLE != 0);
    let span = if whole { Span::ALL } else { Span::new(request.start, request.end)? };
    let payer = account::of_caller()?;
    let ask = |block: &Block| Ask {
        set: Set { node: block.node, whole },
        owner: Owner { block: block.number, domain },
        kind: wanted.unwrap_or(Kind::Shared),
        span,
        payer,
    };
    let mut guard = state.lock();
    let block = guard.block(number)?;
    // One that is open for neither is for locks alone.
    if !whole && (block.read || block.write) {
        match wanted {
            Some(Kind::Shared) if !block.read => return Err(Error::EBADF),
            Some(Kind::Exclusive) if !block.write => return Err(Error::EBADF),
            _ => {}
        }
    }
    let ask = ask(&block);
    let locks = guard.locks().ok_or(Error::EIO)?;
    if request.how & how::ASK != 0 {
        let none = Lock { kind: lock::NONE, ..request };
        let answer = wanted.and_then(|_| locks.holder(&ask)).map_or(none, |(kind, span, holder)| Lock {
            kind: if kind == Kind::Shared { lock::SHARED } else { lock::EXCLUSIVE },
            start: span.start(),
            end: span.end(),
            holder: holder.number() as u64,
            ..request
        });
        drop(guard);
        let told = if answer.kind == lock::NONE { Attempt::Done } else { Attempt::InTheWay };
        // SAFETY: the caller's promise.
        return unsafe { abi::window::write(at, &answer) }.map(|()| told);
    }
    let taken = match wanted {
        Some(_) => locks.take(&ask, tell),
        None => locks.release(&ask, tell),
    };
    match taken {
        // Also where too many wait already: who asks again and again waits too.
        Err(Error::EAGAIN) if request.how & how::WAIT != 0 => locks.refuse_circle(&ask)?,
        taken => return taken.map(|()| Attempt::Done),
    }
    drop(guard);
    waits.lock().begin(payer)?;
    let waited = wait(state, ask);
    waits.lock().end(payer);
    waited.map(|_| Attempt::Done)
}
/// Waits for what was not there.
fn wait<S: Locked>(state: &Mutex<S>, ask: Ask) -> Result<usize> {
    let waiter =
        Waiter { semaphore: Semaphore::new(0).map_err(|_| Error::EBUSY)?, answer: AtomicIsize::new(Waiter::NONE) };
    let token = &raw const waiter as usize;
    {
        let mut guard = state.lock();
        // The control block may have ended, and its number is nobody's then.
        guard.block(ask.owner.block)?;
        let locks = guard.locks().ok_or(Error::EIO)?;
        match locks.take(&ask, tell) {
            Err(Error::EAGAIN) => locks.wait(ask, token)?,
            taken => return taken.map(|()| 0),
        }
    }
    let woken = waiter.semaphore.wait();
    let mut guard = state.lock();
    if let (None, Some(locks)) = (waiter.answer(), guard.locks()) {
        locks.leave(token);
    }
    drop(guard);
    match (waiter.answer(), woken) {
        (Some(answer), _) => answer,
        (None, Err(error)) => Err(error),
        // It is posted with an answer.
        (None, Ok(())) => Err(Error::EAGAIN),
    }
}
