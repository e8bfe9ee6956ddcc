//! What the portals of sockets do: try, and wait where that comes to nothing yet.

use crate::{clock, finish, lock, permitted};
use abi::Error;
use abi::file::Status;
use abi::identity::DomainId;
use abi::internet::{Address, Configuration, Found, Interest, SOCKET, event};
use alloc::vec::Vec;
use internet_logic::address::{Right, endpoint};
use internet_logic::limits::WAITERS;
use internet_logic::names::{self, Asked};
use internet_logic::{Interests, Owner, Stack, Waiter};
use pebble::Result;
use pebble::fallible::{TryPush, collected};
use pebble::portal::call;
use pebble::sync::{Mutex, Semaphore};

/// Semaphores that nobody waits at.
static IDLE: Mutex<Vec<Semaphore>> = Mutex::new(Vec::new());

/// Makes room for all of them, so that to give one back needs no memory.
pub fn prepare() -> Result<()> {
    IDLE.lock().room_for(WAITERS)
}
/// Posts a semaphore.
pub fn post(semaphore: usize) {
    call(semaphore + 1, []);
}
/// Waits at the semaphore of a thread that has a seat, and leaves that.
fn await_post(semaphore: &Semaphore, until: u64) -> Result<()> {
    let waited = clock::wait(semaphore, until);
    if let Some(mut stack) = lock() {
        stack.leave(semaphore.number());
    }
    if waited.is_err() {
        // It may have been posted just before the thread left.
        while semaphore.wait_for(0).is_ok() {}
    }
    waited
}
/// Waits until one of the sockets is ready, or until that time. Errors: as of [`Stack::wait`]; of the wait.
fn wait(owner: Owner, interests: Interests, until: u64) -> Result<()> {
    let idle = IDLE.lock().pop();
    let semaphore = match idle {
        Some(semaphore) => semaphore,
        None => Semaphore::new(0)?,
    };
    let number = semaphore.number();
    let waited =
        with(|stack| stack.wait(Waiter { owner, semaphore: number, interests })).and_then(|waits| match waits {
            true => await_post(&semaphore, until),
            // It has become ready since it was looked at.
            false => Ok(()),
        });
    // One for which there is no room goes.
    IDLE.lock().push_kept(semaphore);
    match waited {
        // Whether the time has really come, the caller sees.
        Err(Error::ETIMEDOUT | Error::EAGAIN) => Ok(()),
        waited => waited,
    }
}
fn with<T>(body: impl FnOnce(&mut Stack<crate::card::Driver>) -> Result<T>) -> Result<T> {
    let mut stack = lock().ok_or(Error::EAGAIN)?;
    body(&mut stack)
}
/// The same, where frames may have been sent and others woken.
fn changing<T>(body: impl FnOnce(&mut Stack<crate::card::Driver>) -> Result<T>) -> Result<T> {
    let mut stack = lock().ok_or(Error::EAGAIN)?;
    let result = body(&mut stack);
    finish(stack);
    result
}
/// Repeats `attempt` until it comes to something, waiting for `events` of socket `number`, unless that is not to wait.
fn until<T>(
    number: usize,
    events: u32,
    mut attempt: impl FnMut(&mut Stack<crate::card::Driver>) -> Result<T>,
) -> Result<T> {
    loop {
        match changing(&mut attempt) {
            Err(Error::EAGAIN) => {}
            result => return result,
        }
        let (nonblocking, owner) = with(|stack| Ok((stack.nonblocking(number, None)?, stack.owner(number)?)))?;
        if nonblocking {
            return Err(Error::EAGAIN);
        }
        wait(owner, Interests::One([(number, events)]), u64::MAX)?;
    }
}

/// `domain`, whose call this thread serves, and the account that pays for what it has.
fn caller(domain: DomainId) -> Result<Owner> {
    Ok(Owner { domain, account: pebble::account::of_caller()?.number() })
}
pub fn create(domain: DomainId, kind: usize) -> Result<usize> {
    let owner = caller(domain)?;
    with(|stack| stack.create(owner, kind))
}
/// Nobody has portals to socket `number` any more.
pub fn end(number: usize) {
    let _ = changing(|stack| {
        stack.remove(number, clock::now());
        Ok(())
    });
}
pub fn read(number: usize, to: &mut [u8]) -> Result<usize> {
    until(number, event::READ, |stack| {
        let read = stack.read(number, to)?;
        // The other side may be waiting for room.
        stack.has_taken(number, clock::now());
        Ok(read)
    })
}
/// Writes all of `from`, unless an error comes after some of it, or the socket is not to wait.
pub fn write(number: usize, from: &[u8]) -> Result<usize> {
    let mut done = 0;
    loop {
        match until(number, event::WRITE, |stack| stack.write(number, &from[done..], clock::now())) {
            Ok(written) => done += written,
            Err(_) if done > 0 => return Ok(done),
            Err(error) => return Err(error),
        }
        if done == from.len() {
            return Ok(done);
        }
    }
}
pub fn bind(number: usize, domain: DomainId, port: u16) -> Result<()> {
    // Who may not listen there must not keep others from it either.
    if port != 0 {
        let protocol = if with(|stack| stack.is_datagrams(number))? { "udp" } else { "tcp" };
        permitted(domain, Right::listen(protocol, port).text())?;
    }
    with(|stack| stack.bind(number, port))
}
pub fn listen(number: usize, domain: DomainId, backlog: usize) -> Result<()> {
    let port = with(|stack| stack.port(number))?;
    permitted(domain, Right::listen("tcp", port).text())?;
    with(|stack| stack.listen(number, backlog))
}
pub fn accept(number: usize, domain: DomainId) -> Result<(usize, Address)> {
    let owner = caller(domain)?;
    until(number, event::READ, |stack| stack.accept(number, owner))
}
fn may_send(number: usize, domain: DomainId, to: &Address) -> Result<()> {
    let datagrams = with(|stack| stack.is_datagrams(number))?;
    permitted(domain, Right::connect(if datagrams { "udp" } else { "tcp" }, endpoint(to)?).text())
}
pub fn connect(number: usize, domain: DomainId, to: &Address) -> Result<()> {
    may_send(number, domain, to)?;
    changing(|stack| stack.connect(number, to, clock::now()))?;
    until(number, event::WRITE, |stack| stack.connected(number))
}
pub fn shutdown(number: usize) -> Result<()> {
    changing(|stack| stack.shutdown(number, clock::now()))
}
pub fn send(number: usize, domain: DomainId, to: &Address, bytes: &[u8]) -> Result<usize> {
    if !with(|stack| stack.may_send(number, domain, to, false))? {
        may_send(number, domain, to)?;
        with(|stack| stack.may_send(number, domain, to, true))?;
    }
    until(number, event::WRITE, |stack| stack.send(number, to, bytes, clock::now()))
}
/// Sends a datagram to the address that was connected to.
pub fn send_on(number: usize, bytes: &[u8]) -> Result<usize> {
    match with(|stack| stack.is_datagrams(number))? {
        true => write(number, bytes),
        false => Err(Error::EOPNOTSUPP),
    }
}
/// The addresses of a machine's name, in the families that are wanted; waits for the name servers' answers.
pub fn resolve(domain: DomainId, name: &str, family: usize) -> Result<Found> {
    let families = names::families(family)?;
    if let Some(own) = names::own(name, families) {
        return own;
    }
    let owner = caller(domain)?;
    let (mut asked, mut numbers) = (Asked::default(), [0; 2]);
    for &family in families {
        match changing(|stack| stack.ask_name(owner, name, family.into(), clock::now())) {
            Ok(number) => numbers[asked.add()] = number,
            // One of two is better than none.
            Err(error) if numbers[0] == 0 => return Err(error),
            Err(_) => {}
        }
    }
    let waited = await_answers(owner, &mut asked, &numbers);
    numbers.into_iter().filter(|&number| number != 0).for_each(end);
    waited.and_then(|()| asked.found())
}
fn await_answers(owner: Owner, asked: &mut Asked, numbers: &[usize; 2]) -> Result<()> {
    loop {
        let mut open = [(0, 0); 2];
        let mut count = 0;
        for (place, &number) in numbers.iter().enumerate().filter(|(_, number)| **number != 0) {
            match with(|stack| stack.answer(number)) {
                _ if !asked.is_open(place) => {}
                Err(Error::EAGAIN) => {
                    open[count] = (number, event::READ);
                    count += 1;
                }
                answer => asked.heard(place, answer, clock::now()),
            }
        }
        let Some(until) = asked.until(clock::now()) else { return Ok(()) };
        let interests = collected(open[..count].iter().copied())?;
        wait(owner, Interests::Many(interests), until.map_or(u64::MAX, |at| at.total_micros() as u64))?;
    }
}
pub fn receive(number: usize, to: &mut [u8]) -> Result<(usize, Address)> {
    until(number, event::READ, |stack| stack.receive(number, to))
}
pub fn address(number: usize, remote: bool) -> Result<Address> {
    with(|stack| stack.address(number, remote))
}
/// What has become of the socket, as an error's number.
pub fn error(number: usize) -> Result<usize> {
    with(|stack| stack.error(number)).map(|error| error.map_or(0, |error| error.code().unsigned_abs()))
}
pub fn nonblocking(number: usize, set: Option<bool>) -> Result<usize> {
    with(|stack| stack.nonblocking(number, set).map(usize::from))
}
pub fn status(number: usize) -> Result<Status> {
    with(|stack| stack.owner(number))?;
    Ok(Status { kind: SOCKET, bytes: 0, node: number as u64, version: 0 })
}
pub fn configuration() -> Configuration {
    lock().map_or(Configuration::default(), |stack| stack.configuration())
}
/// Waits until one of the sockets is ready, or so many milliseconds; how many are. `tell` is told what holds of each.
pub fn poll(
    domain: DomainId,
    wanted: &[Interest],
    milliseconds: usize,
    mut tell: impl FnMut(usize, u32),
) -> Result<usize> {
    let until = clock::micros().saturating_add((milliseconds as u64).saturating_mul(1000));
    loop {
        let mut count = 0;
        with(|stack| {
            for (n, one) in wanted.iter().enumerate() {
                let ready = stack.ready(one.node as usize, domain) & (one.wanted | event::CLOSED | event::INVALID);
                count += (ready != 0) as usize;
                tell(n, ready);
            }
            Ok(())
        })?;
        if count > 0 || clock::micros() >= until {
            return Ok(count);
        }
        let interests = collected(wanted.iter().map(|one| (one.node as usize, one.wanted)))?;
        wait(caller(domain)?, Interests::Many(interests), until)?;
    }
}
