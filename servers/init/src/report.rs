//! What the person at the console is told, written by a thread of its own: a console driver that hangs must not keep init
//! from watching.
//!
//! The console is not a boot component, so its portal is opened at run time, and again after its driver was restarted.
//! Boot components have no system portals: what is needed of them is imported by name.

use abi::Error;
use abi::name::Short;
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use core::sync::atomic::{AtomicUsize, Ordering};
use fallible::TryPush;
use init_logic::line::Line;
use pebble::interfaces::types::{Address, Alleged, PortalNumber, SemaphoreId, Ticks};
use pebble::interfaces::{console, disk, portals, scheduler};
use pebble::sync::Mutex;

/// Most lines that wait for a console; later ones are in the system log only.
const WAITING: usize = 64;
/// Half of the time after which lines are tried again that found no console, and what that, doubled each time, grows to: 5 ms, some 10 s.
const SOON: Ticks = Ticks(2_500_000);
const LATE: Ticks = Ticks(2_500_000_000);
/// `thread.create`'s word for the caller's own priority.
const SAME_PRIORITY: usize = usize::MAX;

/// Lines to write; an empty one stands for "wait until all is written".
static LINES: Mutex<VecDeque<Box<str>>> = Mutex::new(VecDeque::new());
/// Ids of the semaphores: something is to be tried; all is written. 0: there is no thread.
static NEWS: AtomicUsize = AtomicUsize::new(0);
static WRITTEN: AtomicUsize = AtomicUsize::new(0);

/// Starts the thread. Without it, lines are lost.
pub fn start() -> pebble::Result<()> {
    LINES.lock().room_for(WAITING + 1)?;
    WRITTEN.store(scheduler::semaphore_create(0)?.0, Ordering::Relaxed);
    let news = scheduler::semaphore_create(0)?.0;
    // A trusted component's thread starts on its service stack, so no stack is given.
    portals::thread_create(Address(serve as *const () as usize), Address(0), news, SAME_PRIORITY)?;
    NEWS.store(news, Ordering::Relaxed);
    Ok(())
}
/// Has `line` written as soon as there is a console, if there is memory to keep it until then.
pub fn line(line: &str) {
    let mut lines = LINES.lock();
    if lines.len() < WAITING
        && let Ok(line) = fallible::text(line)
    {
        lines.push_kept(line);
    }
    drop(lines);
    retry();
}
/// A component was started: perhaps there is a console now.
pub fn retry() {
    let news = NEWS.load(Ordering::Relaxed);
    if news != 0 {
        let _ = scheduler::v_id(SemaphoreId(news));
    }
}
/// Waits until the console has sent all that was written to it, and what was written to files on a disk lasts, at most `ticks` of `hrtime`:
/// a system that ends is no power cut.
pub fn drain(ticks: u64) {
    // An empty one takes no memory, and its place is kept.
    if NEWS.load(Ordering::Relaxed) != 0 && LINES.lock().push_kept(Box::default()) {
        retry();
        let _ = scheduler::p_id(SemaphoreId(WRITTEN.load(Ordering::Relaxed)), Ticks(ticks as usize));
    }
}

extern "C" fn serve(news: usize) -> ! {
    let mut console = PortalNumber(0);
    let mut wait = Ticks::FOR_EVER;
    loop {
        if scheduler::p_id(SemaphoreId(news), wait).is_ok() {
            wait = SOON;
        }
        // Who has been started may not have registered yet, and nobody says when he has; or he is no console.
        wait = if write_all(&mut console) || wait.0 > LATE.0 { Ticks::FOR_EVER } else { Ticks(2 * wait.0) };
    }
}
/// Writes all lines that wait; false: there is no console for them.
fn write_all(console: &mut PortalNumber) -> bool {
    while let Some(line) = next() {
        let line = line.text();
        if !write(console, line) && !line.is_empty() {
            return false;
        }
        LINES.lock().pop_front();
        if line.is_empty() {
            sync();
            let _ = scheduler::v_id(SemaphoreId(WRITTEN.load(Ordering::Relaxed)));
        }
    }
    true
}
/// Has what was written to the disk last, where there is one.
fn sync() {
    if let Ok(portal) = portals::open(Alleged::lend_unseen(&Short::of(disk::name::sync.as_bytes()))) {
        // Nobody is left to be told that it failed.
        let _ = disk::through::sync(portal);
    }
}
/// A copy of the first line: it stays until it was written.
fn next() -> Option<Line> {
    LINES.lock().front().map(|line| Line::of(format_args!("{line}")))
}
/// Writes a line through the console's portal, which it opens where it is 0. False: there is no console.
fn write(portal: &mut PortalNumber, line: &str) -> bool {
    if portal.0 == 0 {
        match portals::open(Alleged::lend_unseen(&Short::of(console::name::write.as_bytes()))) {
            Ok(number) => *portal = number,
            Err(_) => return false,
        }
    }
    // No bytes: the console waits until all has left the device.
    let end: &[u8] = if line.is_empty() { b"" } else { b"\n" };
    for piece in line.as_bytes().chunks(64).chain([end]) {
        let piece = Short::of(piece);
        let piece = piece.bytes();
        if console::through::write(*portal, Alleged::lend_all(piece), piece.len()) == Err(Error::EDEAD) {
            let _ = portals::close(*portal);
            *portal = PortalNumber(0);
            return false;
        }
    }
    true
}
