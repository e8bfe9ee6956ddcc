// system parts
// timeout 60
// icount
// expect stdout two clients with a password each: 30 and 7
// expect stdout a forged password: EACCESS
// expect stdout a password of which one bit is another: EACCESS, 128 times
// expect stdout a withdrawn password: EACCESS, and the other client goes on
// expect stdout more clients than there may be: ENFILE
// expect stdout a frame outside the A-stacks: EFAULT
// expect stdout a frame among another client's A-stacks: EFAULT
// expect stdout a procedure that does not exist: ENOENT
// expect stdout a result of 64 bytes comes back
// expect stdout A-stacks used up: ENOSTACK
// expect stdout the number of a client that was withdrawn in a call: ENFILE, and then its own again
// expect stdout a password takes as long right as wrong
// expect stdout a panic in it: EDEAD
#![no_std]
#![no_main]

use core::sync::atomic::{AtomicI64, Ordering::Relaxed};
use pebble::protected::{CLIENTS, Client, Module, Password, Stacks};
use pebble::protection::Protection;
use pebble::{Error, Result, println};

static STATE: Module<[AtomicI64; CLIENTS]> = Module::new([const { AtomicI64::new(0) }; CLIENTS]);
static STACKS: [Stacks<4096>; 2] = [const { Stacks::new() }; 2];

pebble::plain! {
    /// What a client may know.
    pub struct Report {
        pub client: u64,
        pub values: [i64; 7],
    }
}
#[pebble::module(super::STATE)]
mod counter {
    use super::{Relaxed, Report, STATE};

    /// Adds to the client's total, which it returns.
    pub fn add(client: usize, amount: i64, twice: u8) -> i64 {
        let amount = amount << twice;
        STATE.state[client].fetch_add(amount, Relaxed) + amount
    }
    pub fn report(client: usize) -> Report {
        Report { client: client as u64, values: core::array::from_fn(|n| STATE.state[n].load(Relaxed)) }
    }
    /// Says that it is there, and waits.
    pub fn holds(_client: usize, entered: usize, until: usize) {
        pebble::portal::call(entered, []);
        pebble::portal::call(until, [usize::MAX]);
    }
    pub fn divides(_client: usize, by: i64) -> i64 {
        helper() / by
    }
    fn helper() -> i64 {
        84
    }
}

fn name<T>(result: Result<T>) -> &'static str {
    result.map_or_else(|error| error.name(), |_| "ok")
}
fn forged(domain: &Protection, password: Password, bit: usize) -> Result<i64> {
    let mut words = password.words();
    words[bit / 64] ^= 1 << (bit % 64);
    counter::Client(Client::attach(domain, counter::enter, Password::of(words), &STACKS[0], 0..4096, 2)?).add(1, 0)
}
/// Instructions of a look at this password, the fewest of some.
fn takes(password: Password) -> u64 {
    let look = |_| {
        let start = pebble::arch::component::cycles();
        let found = STATE.client(password);
        let end = pebble::arch::component::cycles();
        core::hint::black_box(found).ok();
        end - start
    };
    (0..50).map(look).min().unwrap_or(0)
}
fn used_up(domain: &Protection, client: &'static counter::Client) -> Result<()> {
    use pebble::sync::Semaphore;
    let (entered, until) = (Semaphore::new(0)?, Semaphore::new(0)?);
    let (post, wait) = (entered.number() + 1, until.number());
    for portal in [entered.number(), post, wait, wait + 1] {
        domain.pass(portal)?;
    }
    let threads = [0, 1].map(|_| {
        pebble::thread::spawn(None, move || {
            client.holds(post, wait).ok();
        })
    });
    entered.wait()?;
    entered.wait()?;
    println!("A-stacks used up: {}", name(client.add(1, 0)));
    until.post()?;
    until.post()?;
    for thread in threads {
        thread?.join()?;
    }
    client.add(0, 0).map(|_| ())
}
/// Client `number` is withdrawn in a call, with all other places taken.
fn withdrawn_in_a_call(domain: &Protection, number: usize) -> Result<()> {
    use pebble::sync::Semaphore;
    STATE.withdraw(number)?;
    let (again, password) = STATE.admit()?;
    STATE.set_stacks(domain, again, &STACKS[0])?;
    let client = counter::Client(Client::attach(domain, counter::enter, password, &STACKS[0], 0..4096, 1)?);
    let (entered, until) = (Semaphore::new(0)?, Semaphore::new(0)?);
    let (post, wait) = (entered.number() + 1, until.number());
    for portal in [entered.number(), post, wait, wait + 1] {
        domain.pass(portal)?;
    }
    let thread = pebble::thread::spawn(None, move || {
        client.holds(post, wait).ok();
    })?;
    entered.wait()?;
    STATE.withdraw(again)?;
    let meanwhile = name(STATE.admit());
    until.post()?;
    thread.join()?;
    let (then, _) = STATE.admit()?;
    let whose = if (again, then) == (number, number) { "its own again" } else { "another" };
    println!("the number of a client that was withdrawn in a call: {meanwhile}, and then {whose}");
    Ok(())
}
fn run() -> Result<()> {
    let domain = Protection::new("counter")?;
    domain.show_program()?;
    STATE.show(&domain)?;
    domain.register(counter::enter, counter::PROCEDURES, 4)?;
    assert!(STATE.set_stacks(&domain, 0, &STACKS[0]) == Err(Error::ENOENT));
    let ((first, password), (second, other)) = (STATE.admit()?, STATE.admit()?);
    for (client, stacks) in [first, second].into_iter().zip(&STACKS) {
        STATE.set_stacks(&domain, client, stacks)?;
    }
    let attach = |password, n: usize| Client::attach(&domain, counter::enter, password, &STACKS[n], 0..4096, 2);
    let one = counter::Client(attach(password, 0)?);
    let two = alloc::boxed::Box::leak(alloc::boxed::Box::new(counter::Client(attach(other, 1)?)));
    println!("two clients with a password each: {} and {}", one.add(15, 1)?, two.add(7, 0)?);
    let nobody = counter::Client(attach(Password::of([0, 0]), 0)?);
    println!("a forged password: {}", name(nobody.add(1, 0)));
    let refused = (0..128).filter(|bit| forged(&domain, password, *bit) == Err(Error::EACCESS)).count();
    println!("a password of which one bit is another: EACCESS, {refused} times");
    STATE.withdraw(first)?;
    let withdrawn = name(one.add(1, 0));
    assert!(STATE.withdraw(first) == Err(Error::ENOENT) && STATE.withdraw(CLIENTS) == Err(Error::ENOENT));
    assert!(two.add(1, 0) == Ok(8));
    println!("a withdrawn password: {withdrawn}, and the other client goes on");
    let more = (0..CLIENTS - 1).filter(|_| STATE.admit().is_ok()).count();
    assert!(more == CLIENTS - 1);
    println!("more clients than there may be: {}", name(STATE.admit()));
    let connection = domain.connect(counter::enter)?;
    let stacks = &raw const STACKS[1] as usize;
    let [low, high] = other.words();
    let places = [stacks + 4096 - 16, stacks - 16, stacks + 8, &raw const STATE as usize, 0, usize::MAX - 15];
    let outside = places.map(|at| connection.call(0, 0, [at, low as usize, high as usize, 0]));
    let all = outside.iter().all(|result| *result == Error::EFAULT.code());
    println!("a frame outside the A-stacks: {}", if all { "EFAULT" } else { "accepted" });
    let astray = counter::Client(attach(other, 0)?);
    println!("a frame among another client's A-stacks: {}", name(astray.add(1, 0)));
    println!("a procedure that does not exist: {}", name(pebble::check(connection.call(counter::PROCEDURES, 0, [0; 4]))));
    let report = two.report()?;
    assert!(report.client as usize == second && report.values[second] == 8);
    println!("a result of {} bytes comes back", size_of_val(&report));
    used_up(&domain, two)?;
    withdrawn_in_a_call(&domain, first)?;
    let (right, wrong) = (takes(other), [Password::of([low ^ 1, high]), Password::of([low, high ^ 1 << 63])].map(takes));
    println!("a password takes {} right as wrong", if wrong == [right; 2] { "as long" } else { "another time" });
    assert!(two.divides(2) == Ok(42));
    println!("a panic in it: {}", name(two.divides(0)));
    Ok(())
}
extern crate alloc;
fn main(_: &pebble::Env) -> i32 {
    run().map_or_else(|error| error.code() as i32, |()| 0)
}
pebble::program!(main);
