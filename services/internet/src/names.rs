//! Names of machines: what is known of them without asking anybody, and what the answers to the questions of one name come to.

use crate::address::told;
use abi::Error;
use abi::internet::{Found, family};
use core::net::IpAddr;
use smoltcp::config::DNS_MAX_RESULT_COUNT;
use smoltcp::time::{Duration, Instant};
use smoltcp::wire::{IpAddress, IpEndpoint};

/// How long the answer of one family is waited for when that of the other is there: a server that says nothing of one must not hold up who has the other (RFC 8305,
/// section 3, with patience for slow networks).
const DELAY: Duration = Duration::from_millis(300);

/// Addresses that came in an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answers([Option<IpAddress>; DNS_MAX_RESULT_COUNT]);
impl Answers {
    pub fn of(found: &[IpAddress]) -> Answers {
        let mut answers = Answers([None; DNS_MAX_RESULT_COUNT]);
        answers.0.iter_mut().zip(found).for_each(|(to, &from)| *to = Some(from));
        answers
    }
}
/// The families in which a name is asked for. `EINVAL`: that is none.
pub fn families(wanted: usize) -> Result<&'static [u16], Error> {
    match wanted as u16 {
        family::NONE => Ok(&[family::IPV4, family::IPV6]),
        family::IPV4 => Ok(&[family::IPV4]),
        family::IPV6 => Ok(&[family::IPV6]),
        _ => Err(Error::EINVAL),
    }
}
fn is_of(address: &IpAddr, families: &[u16]) -> bool {
    families.contains(if address.is_ipv4() { &family::IPV4 } else { &family::IPV6 })
}
/// What is said of a name without a question to anybody: numbers are themselves, and this machine is (RFC 6761, section 6.3). `None`: it is to be asked for;
/// `ENOENT`: it has no address in these families.
pub fn own(name: &str, families: &[u16]) -> Option<Result<Found, Error>> {
    let name = name.strip_suffix('.').unwrap_or(name);
    let last = name.rsplit('.').next().unwrap_or(name);
    let all: &[IpAddr] = match name.parse::<IpAddr>() {
        Ok(number) => &[number],
        Err(_) if last.eq_ignore_ascii_case("localhost") => {
            &[IpAddr::V4(core::net::Ipv4Addr::LOCALHOST), IpAddr::V6(core::net::Ipv6Addr::LOCALHOST)]
        }
        Err(_) => return None,
    };
    let mut found = Found::default();
    all.iter().filter(|address| is_of(address, families)).for_each(|&address| add(&mut found, address.into()));
    Some(if found.count > 0 { Ok(found) } else { Err(Error::ENOENT) })
}
fn add(found: &mut Found, address: IpAddress) {
    if let Some(to) = found.addresses.get_mut(found.count as usize) {
        *to = told(IpEndpoint::new(address, 0));
        found.count += 1;
    }
}
/// The questions of one name, in each of its families, and what has come of them.
#[derive(Default)]
pub struct Asked {
    answers: [Option<Result<Answers, Error>>; 2],
    count: usize,
    /// When the first address was there.
    first: Option<Instant>,
}
impl Asked {
    /// One more question; its place.
    pub fn add(&mut self) -> usize {
        self.count += 1;
        self.count - 1
    }
    pub fn is_open(&self, place: usize) -> bool {
        self.answers[place].is_none()
    }
    pub fn heard(&mut self, place: usize, answer: Result<Answers, Error>, now: Instant) {
        if answer.is_ok() {
            self.first.get_or_insert(now);
        }
        self.answers[place] = Some(answer);
    }
    /// Until when to wait for the rest; `None`: not any more.
    pub fn until(&self, now: Instant) -> Option<Option<Instant>> {
        let all = (0..self.count).all(|place| !self.is_open(place));
        let until = self.first.map(|first| first + DELAY);
        (!all && until.is_none_or(|until| now < until)).then_some(until)
    }
    /// All addresses. `ENOENT`: there are none; `ETIMEDOUT`: some could not be asked for now, and none were found.
    pub fn found(&self) -> Result<Found, Error> {
        let mut found = Found::default();
        let answers = self.answers.iter().flatten();
        answers.clone().flatten().flat_map(|answers| answers.0).flatten().for_each(|address| add(&mut found, address));
        match answers.filter_map(|answer| answer.err()).max_by_key(|&error| error != Error::ENOENT) {
            _ if found.count > 0 => Ok(found),
            Some(error) => Err(error),
            None => Err(Error::ETIMEDOUT),
        }
    }
}

#[cfg(test)]
#[path = "names_tests.rs"]
mod tests;
