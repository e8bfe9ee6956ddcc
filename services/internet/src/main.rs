//! TCP/IP over the driver of a network card: `internet.socket` gives its caller four portals to a new socket, as `files.open` does to a
//! file.
//!
//! One thread takes frames from the driver and wakes who waits for what they bring; another one looks when a time has come. Clients'
//! calls send what they write themselves. What a client may listen on and connect to is what it may open by its manifest, see
//! [`internet_logic::address::Right`].
#![no_std]
#![no_main]

extern crate alloc;

mod card;
mod clock;
#[cfg(not(fault_domain))]
mod extensions;
#[cfg(fault_domain)]
#[path = "no_extensions.rs"]
mod extensions;
mod portals;
mod sockets;

use abi::Error;
use abi::address::{PAGE, WINDOW_PAGES};
use abi::identity::DomainId;
use alloc::boxed::Box;
use core::sync::atomic::{AtomicU64, Ordering};
use internet_logic::pace::{Pace, Watched, earlier, rest};
use internet_logic::{Given, Secret, Stack};
use pebble::Result;
use pebble::interfaces::types::{Alleged, DomainNumber};
use pebble::interfaces::{names, network};
use pebble::sync::{MappedMutexGuard, Mutex, MutexGuard, Semaphore};
use smoltcp::time::Instant;

pebble::server!(start);
#[cfg(not(fault_domain))]
dispatch::host!("internet");

/// Priority of the threads here, and of the one above them that ends extensions which take too long.
const PRIORITY: u8 = 44;
const KEEPER: u8 = 45;
/// How long to wait for a driver that has died, and for memory, in microseconds.
const MOMENT: u64 = 20_000;

/// `None`: there is no card yet.
static STACK: Mutex<Option<Stack<card::Driver>>> = Mutex::new(None);
/// When the thread that watches the time looks again, in microseconds.
static WATCHED: AtomicU64 = AtomicU64::new(0);
/// When it has looked and something stayed due, in microseconds. 0: nothing did.
static HELD: AtomicU64 = AtomicU64::new(0);
/// Posted when it is to look earlier. 0: there is no such thread.
static EARLIER: AtomicU64 = AtomicU64::new(0);

fn start(env: &pebble::Env) {
    let Ok(earlier) = Semaphore::new(0) else { return };
    EARLIER.store(earlier.number() as u64, Ordering::Relaxed);
    let given = static_address(env);
    let started = extensions::offer(KEEPER)
        .and_then(|()| portals::register())
        .and_then(|()| pebble::thread::spawn(Some(PRIORITY), move || receive(given)))
        .and_then(|_| pebble::thread::spawn(Some(PRIORITY), move || watch(&earlier)));
    if let Err(error) = started {
        pebble::println!("pebble: internet: it can not start: {}", error.text());
        pebble::thread::exit_domain(1);
    }
    pebble::heap::keep_nothing();
}
/// What arguments `address=10.0.2.15/24`, `gateway=10.0.2.2` and `name-server=10.0.2.3` say.
fn static_address(env: &pebble::Env) -> Option<Given> {
    let find = |key: &str| (1..env.len()).find_map(|n| env.argument(n)?.strip_prefix(key)?.strip_prefix('='));
    let wrong = |key: &str| -> ! {
        pebble::println!("pebble: internet: its argument \"{key}=\" is no address");
        pebble::thread::exit_domain(1)
    };
    let address = find("address")?.parse().unwrap_or_else(|_| wrong("address"));
    let other = |key: &str| {
        let address: Option<core::net::Ipv4Addr> = find(key).map(|text| text.parse().unwrap_or_else(|_| wrong(key)));
        address.map(|address| address.octets())
    };
    Some(Given { address, gateway: other("gateway"), name_server: other("name-server") })
}
/// What nobody can foresee, where there is a source of such; else what is different each time.
fn secret() -> Secret {
    let mut bytes = [0; 32];
    if pebble::random::fill(&mut bytes).is_err() {
        let word = pebble::time::cycles().wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ pebble::time::time() << 20;
        bytes[..8].copy_from_slice(&word.to_le_bytes());
        bytes[16..24].copy_from_slice(&word.to_le_bytes());
    }
    Secret(bytes)
}

/// Frames for the stack, eight pages of them.
#[repr(align(4096))]
struct Frames([u8; PAGE * WINDOW_PAGES]);

/// Takes frames from the driver, for ever.
fn receive(given: Option<Given>) {
    // Without memory it is tried again: a component that ends would only be started again to the same.
    let mut frames: Box<Frames> = repeated(|| {
        // SAFETY: bytes. Made in place: the stack has no room for them.
        unsafe { pebble::fallible::zeroed() }
    });
    repeated(|| meet(given));
    loop {
        let bytes = frames.0.len();
        match network::receive(Alleged::lend_all_to_write(&mut frames.0), bytes) {
            Ok(filled) => {
                let left = extensions::arrived(&mut frames.0[..filled.min(bytes)]);
                let Some(mut stack) = lock() else { continue };
                // Whatever the driver returns, there may be room again.
                if !left.is_empty() || filled == 0 || stack.outgoing.room == 0 {
                    stack.input(left, clock::now());
                    finish(stack);
                }
            }
            Err(Error::EDEAD | Error::EPORTAL | Error::EIO) => {
                clock::sleep(MOMENT);
                if card::reopen().is_ok() {
                    repeated(|| meet(given));
                }
            }
            // Somebody else takes the frames, who may let go of them.
            Err(_) => clock::sleep(MOMENT),
        }
    }
}
/// What `attempt` comes to when there is memory for it.
fn repeated<T>(mut attempt: impl FnMut() -> Result<T>) -> T {
    loop {
        match attempt() {
            Ok(value) => return value,
            Err(_) => clock::sleep(MOMENT),
        }
    }
}
/// There is a driver, the first or another one: connections go on. `ENOMEM`: there is no room for a stack.
fn meet(given: Option<Given>) -> Result<()> {
    let Ok(hardware) = card::address() else { return Ok(()) };
    let mut stack = STACK.lock();
    match &mut *stack {
        Some(stack) => stack.outgoing.room = 1,
        None => *stack = Some(Stack::new(card::Driver::new()?, hardware, &secret(), clock::now(), given)?),
    }
    drop(stack);
    if let Some(mut stack) = lock() {
        stack.input(&[], clock::now());
        finish(stack);
    }
    Ok(())
}
/// Looks at the stack when a time has come, for ever. It never turns without a wait, whatever the stack says is due and whoever calls.
fn watch(called: &Semaphore) {
    let mut pace = Pace::default();
    loop {
        let now = clock::now();
        let until = match lock() {
            Some(mut stack) => {
                stack.input(&[], now);
                let (due, ended) = (stack.deadline(now), clock::now());
                let until = pace.next(due, ended).map_or(u64::MAX, micros);
                WATCHED.store(until, Ordering::Relaxed);
                HELD.store(due.filter(|&due| due <= ended).map_or(0, |_| micros(ended)), Ordering::Relaxed);
                stack.wake(sockets::post);
                until
            }
            None => u64::MAX,
        };
        let next = micros(rest(now, clock::now()));
        if !matches!(clock::wait(called, until), Ok(()) | Err(Error::ETIMEDOUT | Error::EAGAIN)) {
            // It could not even wait.
            clock::sleep(MOMENT);
        }
        if let early @ 1.. = next.saturating_sub(micros(clock::now())) {
            clock::sleep(early);
        }
    }
}
fn micros(at: Instant) -> u64 {
    at.total_micros() as u64
}

type Guard = MappedMutexGuard<'static, Stack<card::Driver>>;
/// The stack, if there is one.
fn lock() -> Option<Guard> {
    MutexGuard::try_map(STACK.lock(), Option::as_mut).ok()
}
/// The stack has changed: wakes who waits for that, and who watches the time, if he is to look earlier.
fn finish(mut stack: Guard) {
    stack.wake(sockets::post);
    let now = clock::now();
    let instant = |micros: u64| Instant::from_micros(micros.min(i64::MAX as u64) as i64);
    let held = Some(HELD.load(Ordering::Relaxed)).filter(|&held| held > 0).map(instant);
    let watched = Watched { until: instant(WATCHED.load(Ordering::Relaxed)), held };
    if let Some(deadline) = earlier(stack.deadline(now), watched, now) {
        WATCHED.store(micros(deadline), Ordering::Relaxed);
        sockets::post(EARLIER.load(Ordering::Relaxed) as usize);
    }
}
/// Whether `domain`, whose call is served, may open `name` by its manifest, which nobody has registered. `EACCESS`: it may not.
fn permitted(domain: DomainId, name: &str) -> Result<()> {
    let name = abi::name::Name::of(name)?;
    match names::lookup(DomainNumber(domain.number()), Alleged::lend(&name)) {
        Ok(_) | Err(Error::ENOENT) => Ok(()),
        Err(error) => Err(error),
    }
}
