//! The clock of a system is what a server of NTP on this machine says, and goes on when that lies.

use super::running::Running;
use anyhow::{Context, Result, ensure};
use std::net::UdpSocket;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

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
/// A server; its port. It is ahead by what the number says, and where that is 0 its answers are to questions that nobody asked.
fn serve(ahead: Arc<AtomicI64>) -> Result<u16> {
    let socket = UdpSocket::bind("127.0.0.1:0")?;
    let port = socket.local_addr()?.port();
    std::thread::spawn(move || {
        let mut question = [0; 512];
        while let Ok((count, from)) = socket.recv_from(&mut question) {
            let ahead = ahead.load(Ordering::Relaxed);
            if ahead == 0 && count >= PACKET {
                question[40] ^= 1;
            }
            if let Some(packet) = answer(&question[..count], if ahead == 0 { 2 * AHEAD } else { ahead }) {
                let _ = socket.send_to(&packet, from);
            }
        }
    });
    Ok(port)
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
    let ahead = Arc::new(AtomicI64::new(0));
    let port = serve(ahead.clone())?;
    let guest = Running::start(root, "timed", Vec::new(), None, |system| {
        let ntp = system.components.iter_mut().find(|component| component.name == "ntp");
        ntp.into_iter().for_each(|ntp| ntp.arguments.extend([format!("port={port}"), "period=1".into()]));
    })?;
    // Answers to no question are none.
    until(&guest, 0, 0)?;
    std::thread::sleep(std::time::Duration::from_secs(3));
    let before = guest.said().len();
    until(&guest, before, 0)?;
    ahead.store(AHEAD, Ordering::Relaxed);
    until(&guest, 0, AHEAD)?;
    // What is set stays when the server loses its mind.
    ahead.store(AHEAD + 86_400, Ordering::Relaxed);
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
