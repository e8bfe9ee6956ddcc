// expect stdout nobody is admitted: EACCESS
// expect stdout admitted: 42
// expect stdout withdrawn: EDEAD, then EACCESS
// expect stdout refused by who is asked: EBUSY
// expect stdout admitted by who is asked: 42
// expect stdout who is asked never answers: ETIMEDOUT
// expect stdout a portal that is not open: EPORTAL
// expect stdout a semaphore: EINVAL
// expect stdout all are admitted: 42
// expect stdout a name of nobody's: ENOENT
//! Who may open a name, as its server says at run time.
#![no_std]
#![no_main]

use core::sync::atomic::{AtomicIsize, Ordering};
use pebble::abi::section::padded;
use pebble::abi::system::{PORTAL_REGISTER, Registration, SEM_CREATE};
use pebble::portal::call;
use pebble::start::open;
use pebble::{Error, Result, check, deadline, println, rights, thread, time};

extern "C" fn answer() -> isize {
    42
}
/// What the judge says; 1: nothing.
static VERDICT: AtomicIsize = AtomicIsize::new(0);
extern "C" fn judge(_client: usize, _identity: usize, token: usize) -> isize {
    while VERDICT.load(Ordering::Relaxed) == 1 {
        time::sleep(100_000);
    }
    if token == 7 { VERDICT.load(Ordering::Relaxed) } else { Error::EINVAL.code() }
}
fn register(name: &str, spec: &str, entry: *const ()) -> Result<usize> {
    let registration =
        Registration { name: padded(name), spec: padded(spec), entry: entry as u64, stacks: 2, ..Registration::NONE };
    check(call(PORTAL_REGISTER, [&raw const registration as usize]))
}
fn opens() -> Result<usize> {
    check(call(open("app.answer")?, []))
}
fn show(what: &str, result: Result<usize>) {
    match result {
        Ok(word) => println!("{what}: {word}"),
        Err(error) => println!("{what}: {}", error.name()),
    }
}
fn run() -> Result<()> {
    register("app.answer", "np", answer as *const ())?;
    register("app.judge", "npiii", judge as *const ())?;
    rights::admit("app.answer", None)?;
    show("nobody is admitted", opens());
    rights::admit("app.answer", Some(thread::asid()))?;
    show("admitted", opens());
    let number = open("app.answer")?;
    rights::withdraw("app.answer", None)?;
    let gone = check(call(number, [])).map_or_else(|error| error.name(), |_| "?");
    println!("withdrawn: {gone}, then {}", opens().map_or_else(|error| error.name(), |_| "?"));
    let judges = open("app.judge")?;
    rights::ask("app.answer", judges, 7)?;
    VERDICT.store(Error::EBUSY.code(), Ordering::Relaxed);
    show("refused by who is asked", opens());
    VERDICT.store(0, Ordering::Relaxed);
    show("admitted by who is asked", opens());
    VERDICT.store(1, Ordering::Relaxed);
    show("who is asked never answers", deadline::open_timed("app.answer", 10_000_000));
    VERDICT.store(0, Ordering::Relaxed);
    show("a portal that is not open", rights::ask("app.answer", 500, 0).map(|()| 0));
    show("a semaphore", rights::ask("app.answer", check(call(SEM_CREATE, [0]))?, 0).map(|()| 0));
    rights::admit_all("app.answer")?;
    show("all are admitted", opens());
    show("a name of nobody's", rights::admit_all("app.nothing").map(|()| 0));
    Ok(())
}
fn main(_: &pebble::Env) -> i32 {
    run().map_or_else(|error| -error.code() as i32, |()| 0)
}
pebble::program!(main);
