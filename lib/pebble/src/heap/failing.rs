//! For tests: memory that ends. In each request, from its n-th allocation on nothing is there but the component's reserve, and no more of it
//! than it has bytes. n is the same for a row of requests, larger for the next ones, and 0 again after a row in which all did without: so who
//! asks for the same things again and again sees each allocation of each fail. A request begins with [`keep`](super::keep); what comes before it and
//! behind it has all it wants.
//!
//! Who tests a library says itself how many allocations there are ([`with_only`]).
//!
//! Of a component that [keeps nothing](super::keep_nothing), one allocation of five is not there, in whatever thread, chosen by its number.

use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Allocations that this request still gets.
static LEFT: AtomicUsize = AtomicUsize::new(usize::MAX);
/// How many it got at its begin.
static ROUND: AtomicUsize = AtomicUsize::new(0);
/// Requests that had the same number so far, and whether one did not get all.
static REQUESTS: AtomicUsize = AtomicUsize::new(0);
static FAILED: AtomicBool = AtomicBool::new(false);
/// Bytes that are left of the reserve since it is in the heap; all that it had.
static RESERVE: AtomicUsize = AtomicUsize::new(0);
static ALL: AtomicUsize = AtomicUsize::new(0);
/// Whether it is in the heap.
static OPEN: AtomicBool = AtomicBool::new(false);
/// Allocations that were not there so far, the most bytes that a request took of the reserve, the highest n, and how
/// often a row did without after others had not.
static FAILURES: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);
static HIGHEST: AtomicUsize = AtomicUsize::new(0);
static CYCLES: AtomicUsize = AtomicUsize::new(0);

/// Whether it keeps nothing, and its allocations since it has said so.
static NOTHING: AtomicBool = AtomicBool::new(false);
static ASKED: AtomicUsize = AtomicUsize::new(0);
/// Failures at which it is said how many there were, and each time that there are twice as many.
const FIRST_REPORT: usize = 32;

/// Requests in a row: more than there are different ones in what a test repeats.
const ROW: usize = 12;
/// n is one more for the next row, or, where it is this or more, one of so many parts of itself at most, by chance.
const STRIDE: usize = 16;
/// What dlmalloc adds to a block at most.
const OVERHEAD: usize = 32;

/// Allocations that [`with_only`] still has.
static ONLY: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Runs `body`, in the only thread, while nothing is there after the first `left` allocations.
pub fn with_only<T>(left: usize, body: impl FnOnce() -> T) -> T {
    ONLY.store(left, Ordering::Relaxed);
    let result = body();
    ONLY.store(usize::MAX, Ordering::Relaxed);
    result
}
/// Who has it.
pub enum Answer {
    Heap,
    Reserve,
    None,
}
/// A request begins.
pub fn begin() {
    let mut round = ROUND.load(Ordering::Relaxed);
    if REQUESTS.fetch_add(1, Ordering::Relaxed).is_multiple_of(ROW) {
        let failed = FAILED.swap(false, Ordering::Relaxed);
        let over = !failed && round > 0;
        if over && (CYCLES.fetch_add(1, Ordering::Relaxed) + 1).is_power_of_two() {
            report();
        }
        round = if failed { further(round) } else { 0 };
        ROUND.store(round, Ordering::Relaxed);
    }
    LEFT.store(round, Ordering::Relaxed);
}
/// The n after this one.
fn further(n: usize) -> usize {
    n + 1 + mixed(FAILURES.load(Ordering::Relaxed) as u64) as usize % (n / STRIDE + 1)
}
/// There is a block again, of so many bytes.
pub fn kept(bytes: usize) {
    ALL.store(bytes, Ordering::Relaxed);
    RESERVE.store(bytes, Ordering::Relaxed);
    OPEN.store(false, Ordering::Relaxed);
}
/// Says what was tested so far, which tests look at; it allocates nothing.
fn report() {
    let numbers = [&FAILURES, &HIGHEST, &CYCLES, &MOST];
    let [failures, highest, cycles, most] = numbers.map(|number| number.load(Ordering::Relaxed));
    crate::say(format_args!(
        "{failures} allocations failed, of a request up to number {highest}, {cycles} times over; the reserve gave {most} bytes of {}",
        ALL.load(Ordering::Relaxed)
    ));
}
/// Whether somebody has `size` bytes, in a component that may say that it has not.
pub fn answer(size: usize, says: bool) -> Answer {
    match ONLY.load(Ordering::Relaxed) {
        0 => return Answer::None,
        usize::MAX => {}
        left => ONLY.store(left - 1, Ordering::Relaxed),
    }
    if NOTHING.load(Ordering::Relaxed) { answer_at_random(says) } else { answer_request(size) }
}
/// The component keeps nothing.
pub fn begin_at_random() {
    NOTHING.store(true, Ordering::Relaxed);
}
fn answer_at_random(says: bool) -> Answer {
    let asked = ASKED.fetch_add(1, Ordering::Relaxed);
    if !mixed(asked as u64).is_multiple_of(5) {
        return Answer::Heap;
    }
    let failures = FAILURES.fetch_add(1, Ordering::Relaxed) + 1;
    if says && failures >= FIRST_REPORT && failures.is_power_of_two() {
        crate::say(format_args!("{failures} allocations failed, of {asked}"));
    }
    Answer::None
}
/// A number that looks like chance, the same at each run (Steele, Lea and Flood, Fast splittable pseudorandom number generators, 2014).
fn mixed(n: u64) -> u64 {
    let mut word = (n + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    word = (word ^ word >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    word = (word ^ word >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ word >> 31
}
fn answer_request(size: usize) -> Answer {
    let left = LEFT.load(Ordering::Relaxed);
    if left > 0 || !super::owner::is_owner() {
        if left != usize::MAX {
            LEFT.store(left - 1, Ordering::Relaxed);
        }
        return Answer::Heap;
    }
    FAILED.store(true, Ordering::Relaxed);
    HIGHEST.fetch_max(ROUND.load(Ordering::Relaxed), Ordering::Relaxed);
    FAILURES.fetch_add(1, Ordering::Relaxed);
    let reserve = RESERVE.load(Ordering::Relaxed);
    if size + OVERHEAD > reserve {
        return Answer::None;
    }
    OPEN.store(true, Ordering::Relaxed);
    RESERVE.store(reserve - size - OVERHEAD, Ordering::Relaxed);
    MOST.fetch_max(ALL.load(Ordering::Relaxed) - RESERVE.load(Ordering::Relaxed), Ordering::Relaxed);
    Answer::Reserve
}
/// So many bytes are in the heap again: they are the reserve's, where that is open.
pub fn freed(size: usize) {
    if OPEN.load(Ordering::Relaxed) && super::owner::is_owner() {
        let all = ALL.load(Ordering::Relaxed);
        let _ =
            RESERVE.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| Some((left + size + OVERHEAD).min(all)));
    }
}
