//! The clock of a system is what a server of NTP on this machine says, and goes on when that lies.

use super::running::{PATIENCE, Running};
use anyhow::{Context, Result, ensure};
use std::net::UdpSocket;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Seconds between 1900, where NTP counts from, and 1970.
const ERA: u64 = 2_208_988_800;
/// Bytes of a packet (RFC 5905, figure 8).
const PACKET: usize = 48;
/// Seconds that this machine's clock is behind the server's: so the guest's, which begins as this one, is set by far.
const AHEAD: i64 = 400 * 86_400;
/// Seconds that the guest may be off while this machine is busy.
const SLACK: i64 = 10;

fn now() -> Result<i64> {
    Ok(SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs() as i64)
}
/// What the server does.
#[derive(Clone, Copy)]
enum Manner {
    /// It answers what nobody has asked.
    Deaf,
    /// It is ahead of this machine by so many seconds.
    Ahead(i64),
    /// It says this code, as an answer, or to what nobody has asked.
    Kiss(&'static [u8; 4], bool),
}
/// Answers as a server of stratum 1 that is ahead of this machine by so many seconds.
fn answer(question: &[u8], ahead: i64) -> Option<[u8; PACKET]> {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    let seconds = time.as_secs().checked_add_signed(ahead)? + ERA;
    let fraction = (u64::from(time.subsec_nanos()) << 32) / 1_000_000_000;
    let stamp = ((seconds << 32) | fraction).to_be_bytes();
    let mut packet = [0; PACKET];
    // No leap second, version 4, a server; stratum 1; a precision of a microsecond.
    (packet[0], packet[1], packet[3]) = (0b00_100_100, 1, -20i8 as u8);
    packet[12..16].copy_from_slice(b"TEST");
    packet[16..24].copy_from_slice(&stamp);
    packet[24..32].copy_from_slice(question.get(40..48)?);
    packet[32..40].copy_from_slice(&stamp);
    packet[40..48].copy_from_slice(&stamp);
    Some(packet)
}
/// What the server says to a question.
fn said_to(question: &[u8], manner: Manner) -> Option<[u8; PACKET]> {
    let (ahead, is_answer) = match manner {
        Manner::Deaf => (2 * AHEAD, false),
        Manner::Ahead(ahead) => (ahead, true),
        Manner::Kiss(_, is_answer) => (2 * AHEAD, is_answer),
    };
    let mut packet = answer(question, ahead)?;
    packet[24] ^= u8::from(!is_answer);
    if let Manner::Kiss(code, _) = manner {
        // No clock (leap indicator 3), stratum 0 (RFC 5905, section 7.4).
        (packet[0], packet[1]) = (0b11_100_100, 0);
        packet[12..16].copy_from_slice(code);
    }
    Some(packet)
}
/// A server on this machine.
struct Server {
    port: u16,
    manner: Arc<Mutex<Manner>>,
    /// When it was asked.
    asked: Arc<Mutex<Vec<Instant>>>,
}
impl Server {
    fn start(manner: Manner) -> Result<Server> {
        let socket = UdpSocket::bind("127.0.0.1:0")?;
        let port = socket.local_addr()?.port();
        let server = Server { port, manner: Arc::new(Mutex::new(manner)), asked: Arc::default() };
        let (manner, asked) = (server.manner.clone(), server.asked.clone());
        std::thread::spawn(move || {
            let mut question = [0; 512];
            while let Ok((count, from)) = socket.recv_from(&mut question) {
                asked.lock().unwrap().push(Instant::now());
                let manner = *manner.lock().unwrap();
                if let Some(packet) = said_to(&question[..count], manner) {
                    let _ = socket.send_to(&packet, from);
                }
            }
        });
        Ok(server)
    }
    fn does(&self, manner: Manner) {
        *self.manner.lock().unwrap() = manner;
    }
    /// A system that asks it every second.
    fn guest(&self, root: &Path) -> Result<Running> {
        Running::start(root, "timed", Vec::new(), None, |system| {
            let ntp = system.components.iter_mut().find(|component| component.name == "ntp");
            ntp.into_iter().for_each(|ntp| ntp.arguments.extend([format!("port={}", self.port), "period=1".into()]));
        })
    }
}
/// The seconds since 1970 in a line of the program's.
fn said(line: &str) -> Option<i64> {
    line.split_once(", ")?.1.strip_suffix(" seconds since 1970\n")?.parse().ok()
}
/// Waits until the guest says that it is `ahead` of this machine.
fn until(guest: &Running, from: usize, ahead: i64) -> Result<()> {
    let right = |line: &str| said(line).zip(now().ok()).is_some_and(|(said, now)| (said - now - ahead).abs() <= SLACK);
    guest.until_said(from, right).map(|_| ()).with_context(|| format!("it is never {ahead} s ahead"))
}
pub fn clock(root: &Path) -> Result<()> {
    let server = Server::start(Manner::Deaf)?;
    let guest = server.guest(root)?;
    // Answers to no question are none.
    until(&guest, 0, 0)?;
    std::thread::sleep(Duration::from_secs(3));
    let before = guest.said().len();
    until(&guest, before, 0)?;
    server.does(Manner::Ahead(AHEAD));
    until(&guest, 0, AHEAD)?;
    // What is set stays when the server loses its mind.
    server.does(Manner::Ahead(AHEAD + 86_400));
    let before = guest.said().len();
    guest.until_said(before, |line| line.contains("which is not believed"))?;
    let before = guest.said().len();
    until(&guest, before, AHEAD)?;
    ensure!(
        guest.said().matches("put the clock forward").count() == 1,
        "it was set more than once:\n{}",
        guest.last_said()
    );
    Ok(())
}
/// A server that says how often it is to be asked is obeyed, where that answers a question: half as often at each such word, and no more at last.
pub fn kisses(root: &Path) -> Result<()> {
    let server = Server::start(Manner::Kiss(b"DENY", false))?;
    let guest = server.guest(root)?;
    let asked = || server.asked.lock().unwrap().clone();
    let until_asked = |count: usize| {
        let end = Instant::now() + PATIENCE;
        while asked().len() < count {
            ensure!(Instant::now() < end, "it was asked {} times:\n{}", asked().len(), guest.last_said());
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    };
    // Words that answer nothing are nobody's: it is asked again, after longer and longer waits.
    until_asked(3)?;
    let gaps: Vec<Duration> = asked().windows(2).map(|pair| pair[1] - pair[0]).collect();
    // Waits that do not grow come to two seconds.
    ensure!(gaps[0] + gaps[1] > Duration::from_millis(2500), "it waits for {gaps:?}, where 1 and 2 s are meant");
    server.does(Manner::Kiss(b"RATE", true));
    guest.until_said(0, |line| line.contains("less often: every 2 s"))?;
    server.does(Manner::Kiss(b"RSTR", true));
    guest.until_said(0, |line| line.contains("is asked no more"))?;
    let before = asked().len();
    std::thread::sleep(Duration::from_secs(3));
    ensure!(asked().len() == before, "it was asked again");
    ensure!(!guest.said().contains("put the clock"), "a server without a clock has set it:\n{}", guest.last_said());
    Ok(())
}
