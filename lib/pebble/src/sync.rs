//! Semaphores and mutexes.

use abi::address::{SERVICE_STRIDE, SERVICE_VA};
use abi::{Error, system};
use alloc::collections::VecDeque;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering, compiler_fence};

/// A lock that enters the scheduler only where it is contended, and needs nothing there that could run out.
///
/// Its word is 0 while it is free, else it names the holder. Who finds it held is counted and waits in the scheduler for the holder, which runs
/// by at least the waiter's priority until it lets go (*priority inheritance*). Who is woken takes the word if it finds it free: a thread that
/// came first may have it.
///
/// To let go is a store and a load, and no atomic access, which would wait until all stores before it have reached memory. The threads of
/// a component share a hart, so each sees what others did in the order in which they did it: who waits is counted first and looks at the word then, the
/// holder frees the word first and looks at the count then, and so one of them sees the other. Only who waits changes the count: a mark that
/// a holder takes away could be the one that the holder before it has not looked at yet.
#[repr(C)]
pub struct RawMutex {
    word: AtomicUsize,
    /// Threads in [`RawMutex::wait`].
    waiters: AtomicUsize,
}
/// Ticks after which is looked again where the scheduler can not wait: others run meanwhile, the holder among them.
const LATER: usize = 100_000;

/// Whether the thread register has the thread's number, wherever it came in.
static NAMED: AtomicBool = AtomicBool::new(false);

/// Has each thread's number come with it, in the register that programs in C find their thread's variables with; where that can not be, in a trusted
/// component or a sandbox that does not let it, the nucleus is asked each time. Before any portal into the component is opened.
pub(crate) fn name_threads() {
    if crate::portal::call(system::SET_TP, [system::TP_IS_THREAD]) == 0 {
        NAMED.store(true, Ordering::Relaxed);
    }
}
/// How the calling thread is named in a lock's word: by its stack, where that is a service stack, so that a trusted component need not
/// ask for its number; by what came in with it; and where nothing did, as in a copy of the domain, or something that is no number, as where a
/// program of another language has the register, by asking.
#[inline(always)]
fn own() -> usize {
    let sp = arch::component::stack_pointer();
    if sp >= SERVICE_VA {
        return sp;
    }
    let thread = arch::component::thread_register();
    let known = NAMED.load(Ordering::Relaxed) && (1..abi::nucleus::MAX_THREADS).contains(&thread);
    if known { thread << 4 } else { asked() }
}
#[cold]
#[inline(never)]
fn asked() -> usize {
    crate::thread::index() << 4
}
/// The number of the thread that a lock's word names.
fn holder(word: usize) -> usize {
    // The stack may be empty.
    if word >= SERVICE_VA { (word - 16 - SERVICE_VA) / SERVICE_STRIDE } else { word >> 4 }
}

impl RawMutex {
    /// Waits for whoever holds the lock, and takes it.
    #[cold]
    #[inline(never)]
    fn wait(&self) {
        // Before the word is looked at.
        self.waiters.fetch_add(1, Ordering::SeqCst);
        loop {
            let turns = crate::portal::call(system::LOCK_WAIT, [self.address(), 0, usize::MAX]);
            let word = self.word.load(Ordering::Relaxed);
            if word == 0 {
                if self.take() {
                    break;
                }
                continue;
            }
            // If the holder has let go since the turns were counted, it has said so, and they are more.
            let waited = match turns {
                0.. => crate::portal::call(system::LOCK_WAIT, [self.address(), holder(word), turns as usize]),
                refused => refused,
            };
            // A thread whose domain has died is woken from its wait, and may be in this one by then: it does not have the lock.
            if waited < 0 && waited != Error::EDEAD.code() {
                crate::portal::call(system::SLEEP, [LATER]);
            }
        }
        self.waiters.fetch_sub(1, Ordering::Relaxed);
    }
    /// Takes the lock if it is free; whether it was.
    #[inline(always)]
    fn take(&self) -> bool {
        self.word.compare_exchange(0, own(), Ordering::Acquire, Ordering::Relaxed).is_ok()
    }
    fn address(&self) -> usize {
        self.word.as_ptr() as usize
    }
    /// Lets a thread that waits for the lock look at it.
    #[cold]
    #[inline(never)]
    fn pass_on(&self) {
        let own = own();
        // A trusted component shows its locks to nobody.
        let whom = if own >= SERVICE_VA { 0 } else { holder(own) };
        crate::portal::call(system::LOCK_RELEASE, [self.address(), whom]);
    }
}
// SAFETY: only the thread that takes the word from 0 to its own name holds the lock, until it sets it to 0; nobody else writes it.
unsafe impl lock_api::RawMutex for RawMutex {
    #[allow(clippy::declare_interior_mutable_const)]
    const INIT: Self = RawMutex { word: AtomicUsize::new(0), waiters: AtomicUsize::new(0) };
    // The thread that locks is the one that others wait for.
    type GuardMarker = lock_api::GuardNoSend;
    #[inline]
    fn lock(&self) {
        if !self.take() {
            self.wait();
        }
    }
    #[inline]
    fn try_lock(&self) -> bool {
        self.take()
    }
    #[inline]
    unsafe fn unlock(&self) {
        // Orders for the compiler; on one hart there is nothing else to order.
        compiler_fence(Ordering::Release);
        self.word.store(0, Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst);
        if self.waiters.load(Ordering::Relaxed) != 0 {
            self.pass_on();
        }
    }
}

/// Whether the calling thread holds `mutex`: for who asserts the order in which locks are taken.
#[inline]
pub fn is_mine<T: ?Sized>(mutex: &Mutex<T>) -> bool {
    // SAFETY: it is neither taken nor let go.
    let word = unsafe { mutex.raw() }.word.load(Ordering::Relaxed);
    word != 0 && holder(word) == holder(own())
}

/// A mutex. Its holder inherits the priority of those that wait for it.
pub type Mutex<T> = lock_api::Mutex<RawMutex, T>;
/// What holds one locked.
pub type MutexGuard<'a, T> = lock_api::MutexGuard<'a, RawMutex, T>;
/// The same, with a part of what the mutex protects.
pub type MappedMutexGuard<'a, T> = lock_api::MappedMutexGuard<'a, RawMutex, T>;

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

/// A queue of values between threads, with room for a number of them: who sends waits for room, who receives for a value. Each value goes
/// to one receiver. Threads share it in an `Arc`, or in a `static`.
pub struct Channel<T> {
    values: Mutex<VecDeque<T>>,
    room: Semaphore,
    there: Semaphore,
}
impl<T: Send> Channel<T> {
    /// With room for `room` values, at least one. `ENOMEM`, `ENFILE`: there is no memory for them, or no semaphore.
    pub fn new(room: usize) -> crate::Result<Channel<T>> {
        let mut values = VecDeque::new();
        values.try_reserve_exact(room.max(1)).map_err(|_| Error::ENOMEM)?;
        Ok(Channel { values: Mutex::new(values), room: Semaphore::new(room.max(1))?, there: Semaphore::new(0)? })
    }
    /// Sends a value, as soon as there is room. An error, `ECANCELED` for one, sends nothing: it comes back.
    pub fn send(&self, value: T) -> core::result::Result<(), (Error, T)> {
        match self.room.wait() {
            Ok(()) => self.put(value),
            Err(error) => Err((error, value)),
        }
    }
    /// Sends a value if there is room now; `EAGAIN` and the value if not.
    pub fn try_send(&self, value: T) -> core::result::Result<(), (Error, T)> {
        match self.room.wait_for(0) {
            Ok(()) => self.put(value),
            Err(error) => Err((error, value)),
        }
    }
    fn put(&self, value: T) -> core::result::Result<(), (Error, T)> {
        self.values.lock().push_back(value);
        // It is this channel's own, so it is there.
        let _ = self.there.post();
        Ok(())
    }
    /// Receives a value, as soon as there is one.
    pub fn receive(&self) -> crate::Result<T> {
        self.there.wait()?;
        self.take()
    }
    /// Receives a value, waiting at most `ticks` of `hrtime`: `ETIMEDOUT`; with none, it does not wait: `EAGAIN`.
    pub fn receive_for(&self, ticks: u64) -> crate::Result<T> {
        self.there.wait_for(ticks)?;
        self.take()
    }
    fn take(&self) -> crate::Result<T> {
        // Each value was announced once.
        let value = self.values.lock().pop_front().ok_or(Error::EAGAIN)?;
        let _ = self.room.post();
        Ok(value)
    }
}
