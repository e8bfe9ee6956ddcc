//! A client of NTP: asks a server for the time, and sets the clock by it. Arguments: `server=` (an address, or a name), `port=123`,
//! `period=1024`, the seconds between two questions. A server that does not answer is asked less and less, and what one says of how often it is to
//! be asked is obeyed (its kiss codes): half as often for good, or no more.
//!
//! It is not believed in all: see `ntp_logic`. Who can answer in the server's place can set the clock once, as with every client of NTP
//! that has no key.
#![no_std]
#![no_main]

use abi::internet::{Interest, event};
use core::net::{IpAddr, SocketAddr};
use core::pin::pin;
use core::task::{Context, Poll, Waker};
use ntp_logic::{Decision, Outcome, Pace, Trust, WORTH_SAYING};
use pebble::Result;
use pebble::interfaces::types::Moment;
use pebble::interfaces::{clock, time};
use pebble::internet::UdpSocket;
use pebble::time::TIMEBASE;
use sntpc::{KissOfDeathCode, NtpContext, NtpTimestampGenerator, NtpUdpSocket};

pebble::program!(main);

/// Milliseconds that an answer may take.
const PATIENCE: usize = 5_000;
const NANOSECONDS: u64 = 1_000_000_000;

fn now() -> Result<u64> {
    clock::time().map(|time| time.0 as u64)
}
/// The time when something was asked or answered.
#[derive(Clone, Copy, Default)]
struct Stamp(u64);
impl NtpTimestampGenerator for Stamp {
    fn init(&mut self) {
        self.0 = now().unwrap_or(0);
    }
    fn timestamp_sec(&self) -> u64 {
        self.0 / NANOSECONDS
    }
    fn timestamp_subsec_micros(&self) -> u32 {
        (self.0 % NANOSECONDS / 1000) as u32
    }
}
/// A socket whose calls are done when they return.
struct Socket(UdpSocket);
impl NtpUdpSocket for Socket {
    async fn send_to(&self, bytes: &[u8], to: SocketAddr) -> sntpc::Result<usize> {
        self.0.send_to(bytes, to).map_err(|_| sntpc::Error::Network)
    }
    async fn recv_from(&self, to: &mut [u8]) -> sntpc::Result<(usize, SocketAddr)> {
        let node = self.0.node().map_err(|_| sntpc::Error::Network)?;
        let mut wanted = [Interest { node, wanted: event::READ, ready: 0 }];
        match pebble::internet::poll(&mut wanted, PATIENCE) {
            Ok(1..) => self.0.receive_from(to).map_err(|_| sntpc::Error::Network),
            _ => Err(sntpc::Error::Network),
        }
    }
}
/// Microseconds that the server's clock is ahead, or what came of it else.
fn asked(server: SocketAddr) -> core::result::Result<i64, Outcome> {
    let socket = Socket(UdpSocket::bind(0).map_err(|_| Outcome::Nothing)?);
    let question = pin!(sntpc::get_time(server, &socket, NtpContext::new(Stamp::default())));
    match question.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(Ok(answer)) => Ok(answer.offset),
        Poll::Ready(Err(sntpc::Error::KissOfDeath(code))) => Err(match code {
            KissOfDeathCode::Rate => Outcome::TooOften,
            KissOfDeathCode::Deny | KissOfDeathCode::Rstr => Outcome::Denied,
            _ => Outcome::Nothing,
        }),
        // Nothing in it waits but for the socket's calls.
        _ => Err(Outcome::Nothing),
    }
}
fn address(server: &str) -> Result<IpAddr> {
    server.parse().or_else(|_| pebble::internet::resolve(server, false))
}
/// Asks once, and sets the clock.
fn adjust(server: &str, port: u16, trust: &mut Trust) -> Result<Outcome> {
    let offset = match asked(SocketAddr::new(address(server)?, port)) {
        Ok(offset) => offset,
        Err(outcome) => return Ok(outcome),
    };
    match trust.decide(now()?, offset) {
        Decision::Set(moment) => {
            time::set(Moment(moment as usize))?;
            if offset.unsigned_abs() >= WORTH_SAYING {
                pebble::println!("pebble: ntp: {} put the clock forward by {} ms", server, offset / 1000);
            }
        }
        Decision::Refuse => {
            pebble::println!(
                "pebble: ntp: {} is {} ms ahead of the clock, which is not believed",
                server,
                offset / 1000
            );
        }
    }
    Ok(Outcome::Answered)
}
fn main(env: &pebble::Env) -> i32 {
    let find = |key: &str| (1..env.len()).find_map(|n| env.argument(n)?.strip_prefix(key)?.strip_prefix('='));
    let Some(server) = find("server") else {
        pebble::println!("pebble: ntp: it has no argument \"server=\"");
        return 1;
    };
    let (Ok(port), Ok(period)) =
        (find("port").unwrap_or("123").parse(), find("period").unwrap_or("1024").parse::<u32>())
    else {
        pebble::println!("pebble: ntp: its argument \"port=\" is no port, or \"period=\" no number of seconds");
        return 1;
    };
    let (mut trust, mut pace) = (Trust::default(), Pace::new(period));
    loop {
        // Without a card, or its name, there is no server.
        let outcome = adjust(server, port, &mut trust).unwrap_or(Outcome::Nothing);
        let Some(wait) = pace.after(outcome) else {
            pebble::println!("pebble: ntp: {server} does not want to be asked, and is asked no more");
            return 0;
        };
        if outcome == Outcome::TooOften {
            pebble::println!("pebble: ntp: {server} wants to be asked less often: every {wait} s");
        }
        pebble::time::wait(wait * TIMEBASE);
    }
}
