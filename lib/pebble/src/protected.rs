//! Protected modules: a domain of protection that is entered through its procedures alone, by clients with a password each. What of it depends on the
//! procedures, the attribute [`module`](crate::module) writes: header, jump table, frames, and the clients' methods.
//!
//! A call's frame, with the arguments and the result, lies in an A-stack, memory that both see: one for each concurrent call. The
//! header copies it once and looks at the copy: what it lies in is the client's, who may change it at any time. So all that is in it is
//! [`Plain`]. The password comes in registers, not in memory that the module sees: to know where it lies is not to have it.

use crate::protection::{Connection, Entry, Protection};
use crate::{Error, Result, check};
use abi::address::PAGE;
use abi::rights::Rights;
use abi::window::Plain;
use core::cell::UnsafeCell;
use core::ops::Range;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use core::sync::atomic::{AtomicU32, AtomicU64};

/// Most clients of a module.
pub const CLIENTS: usize = 32;
/// Most A-stacks of a client.
pub const STACKS: usize = 64;
/// Where a frame begins in an A-stack: at a multiple of this.
const ALIGN: usize = 16;

/// Who has these 128 random bits may call.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Password([u64; 2]);
impl Password {
    /// One that somebody else has made, or guessed.
    pub const fn of(words: [u64; 2]) -> Password {
        Password(words)
    }
    /// Its words, to be passed on.
    pub const fn words(self) -> [u64; 2] {
        self.0
    }
}
/// A frame of a procedure's calls.
///
/// # Safety
/// It is `repr(C)`, and all bytes are a value of each of its fields.
pub unsafe trait Frame: Copy {}

/// A-stacks: memory that a module and its clients see.
#[repr(C, align(4096))]
pub struct Stacks<const BYTES: usize>(UnsafeCell<[u8; BYTES]>);
// SAFETY: it is read and written through addresses alone, by whoever sees it.
unsafe impl<const BYTES: usize> Sync for Stacks<BYTES> {}
impl<const BYTES: usize> Stacks<BYTES> {
    /// Zeros.
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Stacks<BYTES> {
        const { assert!(BYTES > 0 && BYTES.is_multiple_of(PAGE), "A-stacks are whole pages") };
        Stacks(UnsafeCell::new([0; BYTES]))
    }
}

/// What a module knows of its clients, and what it keeps: whole pages, which are shown to it and to nobody else.
#[repr(C, align(4096))]
pub struct Module<T> {
    passwords: [[AtomicU64; 2]; CLIENTS],
    /// 0: nobody's; 1: a client's; 2: somebody makes it one or the other.
    admitted: [AtomicU32; CLIENTS],
    /// Where each client's frames may lie: the first page's number, and below it in 32 bits how many pages; one word, for it may change while a call
    /// comes.
    stacks: [AtomicU64; CLIENTS],
    /// Who goes on in the name of each place, whoever's it is by then: it is nobody else's before they are done.
    calls: [AtomicU32; CLIENTS],
    /// The module's own.
    pub state: T,
}
const NOBODYS: u32 = 0;
const CLIENTS_OWN: u32 = 1;
const CHANGING: u32 = 2;

/// Somebody goes on by a client's number, which is nobody else's meanwhile.
pub struct Entered<'a> {
    calls: &'a AtomicU32,
    client: usize,
}
impl<'a> Entered<'a> {
    fn new(calls: &'a [AtomicU32; CLIENTS], client: usize) -> Option<Entered<'a>> {
        let calls = calls.get(client)?;
        calls.fetch_add(1, SeqCst);
        Some(Entered { calls, client })
    }
    /// The number.
    pub fn client(&self) -> usize {
        self.client
    }
}
impl Drop for Entered<'_> {
    fn drop(&mut self) {
        self.calls.fetch_sub(1, Release);
    }
}

impl<T: Sync> Module<T> {
    /// One without clients, and without A-stacks.
    pub const fn new(state: T) -> Module<T> {
        Module {
            passwords: [const { [const { AtomicU64::new(0) }; 2] }; CLIENTS],
            admitted: [const { AtomicU32::new(NOBODYS) }; CLIENTS],
            stacks: [const { AtomicU64::new(0) }; CLIENTS],
            calls: [const { AtomicU32::new(0) }; CLIENTS],
            state,
        }
    }
    /// Shows it to the domain that it is to run in.
    pub fn show(&self, domain: &Protection) -> Result<()> {
        domain.show(&raw const *self as usize, size_of::<Self>(), Rights::READ_WRITE)
    }
    /// This client has its frames in `stacks`, and nowhere else; the module's domain sees them from now on. Clients that do not trust each other
    /// have some of their own. `ENOENT`: there is no such client, or it is withdrawn meanwhile.
    pub fn set_stacks<const BYTES: usize>(
        &self,
        domain: &Protection,
        client: usize,
        stacks: &'static Stacks<BYTES>,
    ) -> Result<()> {
        // Meanwhile the place is nobody else's.
        let _entered = Entered::new(&self.calls, client).ok_or(Error::ENOENT)?;
        let admitted = || self.admitted[client].load(SeqCst) == CLIENTS_OWN;
        if !admitted() {
            return Err(Error::ENOENT);
        }
        let start = stacks.0.get() as usize;
        domain.show(start, BYTES, Rights::READ_WRITE)?;
        self.stacks[client].store(((start / PAGE) as u64) << 32 | (BYTES / PAGE) as u64, SeqCst);
        if admitted() {
            return Ok(());
        }
        self.stacks[client].store(0, SeqCst);
        Err(Error::ENOENT)
    }
    /// A new client: its number, and its password, from the machine's source of random bytes. Its frames may lie nowhere yet. `EIO`: there is none, or
    /// the manifest does not let this component have it; `ENFILE`: there are [`CLIENTS`], or calls of those who were.
    pub fn admit(&self) -> Result<(usize, Password)> {
        let mut drawn = [0; 16];
        crate::random::fill(&mut drawn).map_err(|_| Error::EIO)?;
        let drawn = u128::from_ne_bytes(drawn);
        let password = [drawn as u64, (drawn >> 64) as u64];
        for (n, admitted) in self.admitted.iter().enumerate() {
            // Only one thread gets the place, and nobody is admitted by half a password.
            if admitted.compare_exchange(NOBODYS, CHANGING, SeqCst, Relaxed).is_ok() {
                // A call of its last client's goes on by this number. Who begins one from now on looks again, and finds that the place changes.
                if self.calls[n].load(SeqCst) != 0 {
                    admitted.store(NOBODYS, SeqCst);
                    continue;
                }
                // What the place's last client had is not this one's.
                self.stacks[n].store(0, Relaxed);
                for (place, word) in self.passwords[n].iter().zip(password) {
                    place.store(word, Relaxed);
                }
                admitted.store(CLIENTS_OWN, SeqCst);
                return Ok((n, Password(password)));
            }
        }
        Err(Error::ENFILE)
    }
    /// From now on its password is nobody's, and no call of its begins. One that has begun goes on, and nobody has its number before it returns: a
    /// thread that ends in a call keeps it. `ENOENT`: there is no such client.
    pub fn withdraw(&self, client: usize) -> Result<()> {
        let admitted = self.admitted.get(client).ok_or(Error::ENOENT)?;
        admitted.compare_exchange(CLIENTS_OWN, CHANGING, SeqCst, Relaxed).map_err(|_| Error::ENOENT)?;
        // Its password stays, which nobody can guess; zeros anybody can, who has looked at whose the place is before.
        self.stacks[client].store(0, SeqCst);
        admitted.store(NOBODYS, SeqCst);
        Ok(())
    }
    /// 0: place `n` is a client's with this password; otherwise the highest bit is set. It takes as many instructions either way.
    #[inline(always)]
    fn differs(&self, n: usize, given: Password) -> u64 {
        let [first, second] = &self.passwords[n];
        let admitted = self.admitted[n].load(SeqCst) == CLIENTS_OWN;
        let differs = (first.load(Relaxed) ^ given.0[0]) | (second.load(Relaxed) ^ given.0[1]) | !admitted as u64;
        differs | differs.wrapping_neg()
    }
    /// The number of the client whose password this is. `EACCESS`: nobody's. It takes as many instructions whosever it is.
    #[inline(never)]
    pub fn client(&self, given: Password) -> Result<usize> {
        let mut found = usize::MAX;
        for n in 0..CLIENTS {
            // All ones where nothing differs. The compiler is not to see that it is one of two values.
            let same = core::hint::black_box((self.differs(n, given) >> 63).wrapping_sub(1)) as usize;
            found = (n & same) | (found & !same);
        }
        if found < CLIENTS { Ok(found) } else { Err(Error::EACCESS) }
    }
    /// For the header: the same for a call that begins now. Between two looks the place may have become another client's.
    pub fn enter(&self, given: Password) -> Result<Entered<'_>> {
        let entered = Entered::new(&self.calls, self.client(given)?).ok_or(Error::EACCESS)?;
        if self.differs(entered.client, given) == 0 { Ok(entered) } else { Err(Error::EACCESS) }
    }
    /// For the header: a copy of this client's frame. `EFAULT`: it does not lie in its A-stacks.
    pub fn receive<F: Frame>(&self, client: usize, at: usize) -> Result<F> {
        let stacks = self.stacks[client].load(Acquire);
        let (start, bytes) = ((stacks >> 32) as usize * PAGE, stacks as u32 as usize * PAGE);
        let offset = at.wrapping_sub(start);
        if offset > bytes || size_of::<F>() > bytes - offset || !offset.is_multiple_of(ALIGN) {
            return Err(Error::EFAULT);
        }
        // SAFETY: it lies in the A-stacks, which this domain sees; all bytes are a value. Read once: its client may change it.
        Ok(unsafe { (at as *const F).read_volatile() })
    }
}

/// A caller's side: connection, password, and A-stacks.
pub struct Client {
    connection: Connection,
    password: Password,
    start: usize,
    each: usize,
    /// Bit n: A-stack n is free.
    free: AtomicU64,
}
impl Client {
    /// With `count` A-stacks, at most [`STACKS`], in these bytes of the module's. `EINVAL`: there is no room for them there; what
    /// [`Protection::connect`] refuses.
    pub fn attach<const BYTES: usize>(
        domain: &Protection,
        entry: Entry,
        password: Password,
        stacks: &'static Stacks<BYTES>,
        part: Range<usize>,
        count: usize,
    ) -> Result<Client> {
        if count == 0
            || count > STACKS
            || part.start > part.end
            || part.end > BYTES
            || !part.start.is_multiple_of(ALIGN)
        {
            return Err(Error::EINVAL);
        }
        let each = part.len() / count / ALIGN * ALIGN;
        if each == 0 {
            return Err(Error::EINVAL);
        }
        let (start, free) = (stacks.0.get() as usize + part.start, u64::MAX >> (STACKS - count));
        Ok(Client { connection: domain.connect(entry)?, password, start, each, free: AtomicU64::new(free) })
    }
    /// Its password.
    pub fn password(&self) -> Password {
        self.password
    }
    /// Calls a procedure: the frame as it comes back. `ENOSTACK`: all its A-stacks are in use, or too small; `EACCESS`: its password is
    /// nobody's; what [`Connection::call`] ends with.
    pub fn call<F: Frame>(&self, procedure: usize, frame: F) -> Result<F> {
        if size_of::<F>() > self.each {
            return Err(Error::ENOSTACK);
        }
        let taken = self.free.fetch_update(Acquire, Relaxed, |free| (free != 0).then_some(free & free.wrapping_sub(1)));
        let n = taken.map_err(|_| Error::ENOSTACK)?.trailing_zeros() as usize;
        let at = (self.start + n * self.each) as *mut F;
        let [first, second] = self.password.words();
        // SAFETY: an A-stack, which is this call's as far as this side goes; all bytes are a value of what the module leaves there.
        let back = unsafe {
            at.write_volatile(frame);
            let done = check(self.connection.call(procedure, 0, [at as usize, first as usize, second as usize, 0]));
            done.map(|_| at.read_volatile())
        };
        self.free.fetch_or(1 << n, Release);
        back
    }
}
/// A plain value of zeros: what a frame's result is before the call.
pub fn zeros<T: Plain>() -> T {
    // SAFETY: all bytes are a value.
    unsafe { core::mem::zeroed() }
}
