//! Writes files to the disk and syncs each, while another thread of it kills the disk's driver and the file system by turns. What goes
//! wrong is begun anew; what was synced must be there all the time.
#![no_std]
#![no_main]

extern crate alloc;

use alloc::format;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use pebble::abi::inspect::Domain;
use pebble::abi::nucleus::MAX_DOMAINS;
use pebble::file::{self, File};
use pebble::time::{TIMEBASE, time};
use pebble::{Error, Result, check, directory, println};

pebble::import! {
    DOMAIN = "inspect.domain";
    DESTROY = "domain.destroy";
}

/// Files that are written, and kills of both together: of each fewer than `init` allows in ten seconds.
const FILES: usize = 60;
const KILLS: usize = 6;
/// Ticks of `hrtime` between two kills, and between two attempts.
const PERIOD: u64 = 60_000_000;
const MOMENT: u64 = 10_000_000;
/// How often a file is begun anew at most.
const ATTEMPTS: usize = 200;

static KILLED: AtomicUsize = AtomicUsize::new(0);
/// The number of the error for a file that is there; 0: none.
static MISSED: AtomicUsize = AtomicUsize::new(0);
static OVER: AtomicBool = AtomicBool::new(false);

/// Ends the domain with this name; false: there is none.
fn kill(name: &str) -> bool {
    let found = (1..MAX_DOMAINS).find(|&asid| {
        let mut domain = Domain::NONE;
        check(DOMAIN.call([asid, &raw mut domain as usize])).is_ok()
            && domain.name.starts_with(name.as_bytes())
            && domain.name[name.len()] == 0
    });
    found.is_some_and(|asid| check(DESTROY.call([asid])).is_ok())
}
fn killer() {
    let mut names = ["block", "disk"].into_iter().cycle();
    while KILLED.load(Ordering::Relaxed) < KILLS && !OVER.load(Ordering::Relaxed) {
        pebble::time::sleep(PERIOD);
        if names.next().is_some_and(kill) {
            KILLED.fetch_add(1, Ordering::Relaxed);
        }
    }
}
/// The first file lasts, whoever is killed: nobody may say anything else, and least of all while another file system is started.
fn looker() {
    while !OVER.load(Ordering::Relaxed) {
        pebble::time::sleep(MOMENT / 10);
        match file::metadata("disk/kept/0") {
            Ok(_) | Err(Error::EDEAD) => {}
            Err(error) => MISSED.store(error as usize, Ordering::Relaxed),
        }
    }
}
/// One file, written and synced.
fn keep(n: usize) -> Result<()> {
    // It may have gone with a file system that was killed before it was asked to make it last.
    match directory::create("disk/kept") {
        Ok(()) | Err(Error::EEXIST) => {}
        error => return error,
    }
    let path = format!("disk/kept/{n}");
    let words = format!("the words of {n}\n").repeat(500);
    let file = File::create(&path)?;
    if file.write(words.as_bytes())? < words.len() {
        // The file system went in between.
        return Err(Error::EIO);
    }
    if n.is_multiple_of(2) { file.sync() } else { file::sync() }
}
fn is_kept(n: usize) -> Result<bool> {
    let words = format!("the words of {n}\n").repeat(500);
    let mut bytes = alloc::vec![0; words.len() + 1];
    let read = File::open(&format!("disk/kept/{n}"))?.read(&mut bytes)?;
    Ok(&bytes[..read] == words.as_bytes())
}
/// Until it comes to something, for errors that say that a part has gone.
fn until<T>(mut attempt: impl FnMut() -> Result<T>) -> Result<T> {
    for _ in 0..ATTEMPTS {
        match attempt() {
            Err(Error::EDEAD | Error::EIO | Error::EPORTAL | Error::EBADF | Error::ENOENT) => {
                pebble::time::sleep(MOMENT)
            }
            result => return result,
        }
    }
    attempt()
}
/// Where the file system is not started again, who had it open waits for it once, and is told that it has died; from then on there is none.
fn for_good() -> Result<()> {
    let mut status = file::metadata("disk/kept/0");
    for _ in 0..ATTEMPTS {
        if status.is_err() {
            break;
        }
        kill("disk");
        status = file::metadata("disk/kept/0");
    }
    let from = time();
    let then = file::metadata("disk/kept/0");
    let waited = time() - from;
    if (status, then) == (Err(Error::EDEAD), Err(Error::ENOENT)) && waited < TIMEBASE {
        return Ok(());
    }
    println!("{status:?} where there is no file system any more, then {then:?} after {waited} units");
    Err(Error::EDEAD)
}
fn run() -> Result<()> {
    let killer = pebble::thread::spawn(None, killer)?;
    let mut looker = None;
    let mut n = 0;
    // At least as many as that, and until all kills are made.
    while n < FILES || KILLED.load(Ordering::Relaxed) < KILLS {
        until(|| keep(n))?;
        println!("synced {n}");
        if n == 0 {
            looker = Some(pebble::thread::spawn(None, self::looker)?);
        }
        n += 1;
    }
    OVER.store(true, Ordering::Relaxed);
    let _ = killer.join();
    if let Some(looker) = looker {
        let _ = looker.join();
    }
    let missed = MISSED.load(Ordering::Relaxed);
    if let Some(error) = Error::from_number(missed) {
        println!("{} for a file that is there", error.name());
        return Err(error);
    }
    for kept in 0..n {
        if !until(|| is_kept(kept))? {
            println!("{kept} is not as it was");
            return Err(Error::EIO);
        }
    }
    for_good()
}
fn main(_: &pebble::Env) -> i32 {
    match run() {
        Ok(()) => 0,
        Err(error) => {
            println!("{}, after {} kills", error.name(), KILLED.load(Ordering::Relaxed));
            1
        }
    }
}
pebble::program!(main);
