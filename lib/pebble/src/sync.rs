//! Semaphores and mutexes.

use abi::system;
use core::marker::PhantomData;
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

/// What a contended lock waits on.
pub trait Wait: Send + Sync {
    /// Makes one with value 0; its name is not 0.
    fn create() -> usize;
    /// Whether it was taken: a wait can end without.
    fn p(semaphore: usize) -> bool;
    fn v(semaphore: usize);
    fn destroy(semaphore: usize);
}
/// Semaphores of an ordinary component: two portals each.
pub struct Portals;
impl Wait for Portals {
    fn create() -> usize {
        crate::portal::call(system::SEM_CREATE, [0]).max(0) as usize
    }
    fn p(semaphore: usize) -> bool {
        crate::portal::call(semaphore, [usize::MAX]) == 0
    }
    fn v(semaphore: usize) {
        crate::portal::call(semaphore + 1, []);
    }
    fn destroy(semaphore: usize) {
        crate::portal::call(system::SEM_DESTROY, [semaphore]);
    }
}
/// The scheduler's semaphores by their own numbers: for trusted boot components.
pub struct Scheduler;
impl Wait for Scheduler {
    fn create() -> usize {
        crate::boot::SEMAPHORE_CREATE.call([0]).max(0) as usize
    }
    fn p(semaphore: usize) -> bool {
        crate::boot::P_ID.call([semaphore, usize::MAX]) == 0
    }
    fn v(semaphore: usize) {
        crate::boot::V_ID.call([semaphore]);
    }
    fn destroy(semaphore: usize) {
        crate::boot::SEMAPHORE_DESTROY.call([semaphore]);
    }
}

/// A lock that enters the scheduler only where it is contended.
pub struct RawMutex<W> {
    /// Threads that hold it or wait for it.
    users: AtomicU32,
    /// Made at the first contention.
    semaphore: AtomicUsize,
    wait: PhantomData<W>,
}
impl<W: Wait> RawMutex<W> {
    fn semaphore(&self) -> usize {
        let mut semaphore = self.semaphore.load(Ordering::Acquire);
        while semaphore == 0 {
            let made = W::create();
            if made == 0 {
                // No semaphore is left: let whoever holds the lock go on, and look again.
                crate::portal::call(system::YIELD, []);
                continue;
            }
            match self.semaphore.compare_exchange(0, made, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => semaphore = made,
                Err(other) => {
                    W::destroy(made);
                    semaphore = other;
                }
            }
        }
        semaphore
    }
    /// Waits for whoever holds the lock. A thread whose domain has died is woken from its wait, and may be in this one by then: it
    /// does not have the lock.
    #[cold]
    #[inline(never)]
    fn wait(&self) {
        while !W::p(self.semaphore()) {}
    }
    /// Lets a thread that waits for the lock have it.
    #[cold]
    #[inline(never)]
    fn pass_on(&self) {
        W::v(self.semaphore());
    }
}
// SAFETY: `users` counts the holder and the waiters; only the thread that takes it from 0 to 1, or that an unlock's V
// let through, holds the lock.
unsafe impl<W: Wait> lock_api::RawMutex for RawMutex<W> {
    #[allow(clippy::declare_interior_mutable_const)]
    const INIT: Self = RawMutex { users: AtomicU32::new(0), semaphore: AtomicUsize::new(0), wait: PhantomData };
    type GuardMarker = lock_api::GuardSend;
    fn lock(&self) {
        if self.users.fetch_add(1, Ordering::Acquire) > 0 {
            self.wait();
        }
    }
    fn try_lock(&self) -> bool {
        self.users.compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }
    unsafe fn unlock(&self) {
        if self.users.fetch_sub(1, Ordering::Release) > 1 {
            self.pass_on();
        }
    }
}
// SAFETY: all state is atomic.
unsafe impl<W> Sync for RawMutex<W> {}
// SAFETY: as above.
unsafe impl<W> Send for RawMutex<W> {}

/// A mutex for ordinary components.
pub type Mutex<T> = lock_api::Mutex<RawMutex<Portals>, T>;
/// A mutex for trusted boot components.
pub type BootMutex<T> = lock_api::Mutex<RawMutex<Scheduler>, T>;
/// Makes what waiting for the lock takes, now rather than at the first contention.
pub fn prepare<W: Wait, T>(mutex: &lock_api::Mutex<RawMutex<W>, T>) {
    // SAFETY: nothing is locked or unlocked.
    unsafe { mutex.raw() }.semaphore();
}
/// What holds one locked.
pub type BootMutexGuard<'a, T> = lock_api::MutexGuard<'a, RawMutex<Scheduler>, T>;

/// A counting semaphore.
pub struct Semaphore(usize);
impl Semaphore {
    /// A semaphore with `value` ≥ 0.
    pub fn new(value: usize) -> crate::Result<Semaphore> {
        crate::check(crate::portal::call(system::SEM_CREATE, [value])).map(Semaphore)
    }
    /// Takes one, waiting as long as it takes.
    pub fn wait(&self) -> crate::Result<()> {
        crate::check(crate::portal::call(self.0, [usize::MAX])).map(|_| ())
    }
    /// Takes one, waiting at most `ticks` of `hrtime`; 0 does not wait.
    pub fn wait_for(&self, ticks: u64) -> crate::Result<()> {
        crate::check(crate::portal::call(self.0, [ticks.min(i64::MAX as u64) as usize])).map(|_| ())
    }
    /// Gives one.
    pub fn post(&self) -> crate::Result<()> {
        crate::check(crate::portal::call(self.0 + 1, [])).map(|_| ())
    }
    /// Number of its first portal.
    pub fn number(&self) -> usize {
        self.0
    }
}
impl Drop for Semaphore {
    fn drop(&mut self) {
        crate::portal::call(system::SEM_DESTROY, [self.0]);
    }
}
