//! What a component has of the code that is linked into it while that runs: plain data, which the machine's own code reads by its place.

use abi::nucleus::MAX_THREADS;
use core::cell::{Cell, UnsafeCell};
use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize};

/// What a function's caller may rely on when it comes back, kept while somebody else's code runs, and what becomes of that. It lies at the top of the stack that the code is
/// on. But for what others look at, only the thread that is there writes.
#[repr(C, align(16))]
pub struct Landing {
    /// RISC-V: `ra`, `sp`, `s0` to `s11`.
    integer: UnsafeCell<[usize; 14]>,
    /// RISC-V: `fs0` to `fs11`, where the code has floating point.
    saved: UnsafeCell<[u64; 12]>,
    /// Whether it has: 0 or 1.
    pub floating: usize,
    /// No procedure of the host's begins with the stack pointer below it.
    pub floor: usize,
    pub home: *const Home,
    /// The one that the thread was in before.
    pub previous: Cell<*mut Landing>,
    /// Of who is here by the quick way: the thread's, and the event, which is null for who is not.
    pub thread: Cell<*const InThread>,
    pub raised: Cell<*const Raised>,
    /// How often somebody was here.
    pub calls: AtomicU64,
    /// The how manieth it is that is here; 0: nobody.
    pub running: AtomicU64,
    /// 1: whoever takes it away from here may use it.
    pub idle: AtomicUsize,
}
impl Landing {
    pub fn new(home: *const Home, floor: usize, floating: bool) -> Landing {
        Landing {
            integer: UnsafeCell::default(),
            saved: UnsafeCell::default(),
            floating: floating as usize,
            floor,
            home,
            previous: Cell::new(ptr::null_mut()),
            thread: Cell::new(ptr::null()),
            raised: Cell::new(ptr::null()),
            calls: AtomicU64::new(0),
            running: AtomicU64::new(0),
            idle: AtomicUsize::new(1),
        }
    }
}
/// Where the activations of some code are that nobody is in.
#[repr(C)]
pub struct Home {
    /// One of them, or null; the others are idle by themselves.
    pub free: AtomicPtr<Landing>,
    /// Whether it may be entered the quick way.
    pub quick: AtomicBool,
    pub ended: EndedQuickly,
}
/// An activation by the quick way has ended otherwise than by coming back, and why, which is not 0: what is called with the raiser's registers then.
pub type EndedQuickly = unsafe extern "C" fn(landing: *const Landing, why: usize) -> *const ();
/// Where the code is that handles an event first.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct First {
    pub home: *const Home,
    pub entry: usize,
}
// SAFETY: they are addresses, and who follows them sees to it that what is there stays.
unsafe impl Send for First {}
// SAFETY: as above.
unsafe impl Sync for First {}
/// Instructions that are called as no function is: what `choosing` has.
pub type Code = unsafe extern "C" fn();
/// What a reader reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    /// A word itself.
    Word,
    /// So many bytes, 1, 2, 4 or 8, where it leads to, aligned; without a sign, or with it.
    Unsigned(u8),
    Signed(u8),
    /// So many of the slice that begins where it leads to, the first of them the highest.
    Bytes(u8),
}
/// How it is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compared {
    Equal,
    Differs,
    Below,
    AtMost,
    Above,
    AtLeast,
}
/// What is looked at.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub struct Look {
    pub reader: Option<Code>,
    /// Where it begins, and where it ends: a slice has so many bytes.
    pub offset: usize,
    pub end: usize,
    /// Bits that count.
    pub mask: u64,
}
/// What else is looked at; without a reader: nothing more.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub struct Tested {
    pub look: Look,
    pub compare: Option<Code>,
    pub constant: u64,
}
/// Who is entered where what is looked at is this; nobody is behind one without a home.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Slot {
    pub key: u64,
    pub found: First,
    /// Null: nothing.
    pub tests: *const Tested,
}
// SAFETY: as of `First`.
unsafe impl Send for Slot {}
// SAFETY: as above.
unsafe impl Sync for Slot {}
/// What a list of handlers begins with.
#[repr(C)]
pub struct Chooser {
    /// Who is entered where nothing is looked at.
    pub first: First,
    /// Without a reader: it is another kind of list.
    pub look: Look,
    /// The highest bits of what is seen, multiplied by it, are the first slot.
    pub factor: u64,
    pub shift: u64,
    pub slots: *const Slot,
}
// SAFETY: as of `First`.
unsafe impl Send for Chooser {}
// SAFETY: as above.
unsafe impl Sync for Chooser {}
/// An event.
#[repr(C)]
pub struct Raised {
    /// What is called where it is raised.
    pub cell: AtomicPtr<()>,
    /// Never null.
    pub list: AtomicPtr<First>,
    /// Functions of its form: the one where nobody handles it, and the one where it is not handled the quick way.
    pub default: *const (),
    pub handled: *const (),
}
// SAFETY: the two pointers are to functions.
unsafe impl Sync for Raised {}

/// What a thread is in.
#[repr(C, align(16))]
pub struct InThread {
    /// Its innermost landing, where it goes on after a fault in code that this was made for; null: it was in none ever, [`IN_NONE`]: it is in none.
    pub landing: AtomicPtr<Landing>,
    /// The event whose handler it is about to enter the quick way: that long its list stays.
    pub enters: AtomicPtr<Raised>,
}
pub const IN_NONE: *mut Landing = ptr::without_provenance_mut(1);
/// By the thread's number. A page that no thread has touched takes no memory.
pub static THREADS: [InThread; MAX_THREADS] =
    [const { InThread { landing: AtomicPtr::new(ptr::null_mut()), enters: AtomicPtr::new(ptr::null_mut()) } };
        MAX_THREADS];

/// How an activation has come to its end: by itself, with what it has returned, or (`why` is not 0) not.
#[repr(C)]
pub struct Outcome {
    pub word: usize,
    pub why: usize,
}
