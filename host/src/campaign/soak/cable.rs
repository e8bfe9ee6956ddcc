//! The guest's cable, whose other end is a network of this kernel's that nobody else has: frames are lost on it, late and repeated.

use anyhow::{Context, Result, bail, ensure};
use outage::Random;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use std::fs::{File, OpenOptions};
use std::io::{Error, ErrorKind, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Of so many frames, one is lost; one comes twice; one is late, so that what is sent behind it overtakes it.
const LOST: usize = 50;
const TWICE: usize = 200;
const LATE: usize = 50;
/// How long a frame is on its way, and how many milliseconds longer, at most, if it is late.
const WAY: Duration = Duration::from_millis(10);
const LONGER: usize = 25;
/// What has no room at its end is tried again after so long.
const AGAIN: Duration = Duration::from_millis(1);
/// The longest frame of Ethernet, without its checksum.
const FRAME: usize = 1514;
const DEVICE: &str = "cable";
/// In a frame's bytes 12 and 13.
const ARP: [u8; 2] = [8, 6];

/// Ports of this side whose frames no longer come through: of a peer that has lost its power, or has gone where no radio reaches.
#[derive(Clone, Default)]
pub struct Gone(Arc<Mutex<HashSet<u16>>>);
impl Gone {
    pub fn leave(&self, port: u16) {
        self.0.lock().expect("no peer has died with it").insert(port);
    }
    pub fn come_back(&self, port: u16) {
        self.0.lock().expect("no peer has died with it").remove(&port);
    }
    fn has(&self, frame: &[u8]) -> bool {
        ports(frame).is_some_and(|ports| {
            let gone = self.0.lock().expect("no peer has died with it");
            ports.iter().any(|port| gone.contains(port))
        })
    }
}
/// The two ports of a frame of TCP over IPv4, whose header has no options.
fn ports(frame: &[u8]) -> Option<[u16; 2]> {
    const IPV4: [u8; 2] = [8, 0];
    const PLAIN: u8 = 0x45;
    const TCP: u8 = 6;
    if frame.get(12..14)? != IPV4 || *frame.get(14)? != PLAIN || *frame.get(23)? != TCP {
        return None;
    }
    let port = |at| Some(u16::from_be_bytes([*frame.get(at)?, *frame.get(at + 1)?]));
    Some([port(34)?, port(36)?])
}

pub struct Cable {
    ended: Arc<AtomicBool>,
    carrier: Option<JoinHandle<()>>,
}
impl Drop for Cable {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        self.carrier.take().map(JoinHandle::join);
    }
}
impl Cable {
    /// Puts this thread, and all that it starts, in a network of its own, where `address` (with its mask) is this machine's, and the guest is at the
    /// other end of the cable whose sockets are in `folder`.
    pub fn new(folder: &Path, address: &str, gone: &Gone, seed: u64) -> Result<Cable> {
        own_network()?;
        let tap = tap()?;
        ip(&["address", "add", address, "dev", DEVICE])?;
        ip(&["link", "set", DEVICE, "up"])?;
        let end = UnixDatagram::bind(folder.join("peer"))?;
        end.set_nonblocking(true)?;
        let ended = Arc::new(AtomicBool::new(false));
        let carrier = Carrier {
            tap,
            end,
            guest: folder.join("guest"),
            gone: gone.clone(),
            chance: Random(seed),
            later: BinaryHeap::new(),
            number: 0,
            ended: ended.clone(),
        };
        Ok(Cable { ended, carrier: Some(std::thread::spawn(move || carrier.carry())) })
    }
}
/// A namespace of networks, and one of users for who is not root.
fn own_network() -> Result<()> {
    // SAFETY: they ask for numbers, and change what this thread's kernel calls see.
    let (user, group) = unsafe { (libc::getuid(), libc::getgid()) };
    let spaces = if user == 0 { libc::CLONE_NEWNET } else { libc::CLONE_NEWNET | libc::CLONE_NEWUSER };
    // SAFETY: as above.
    if unsafe { libc::unshare(spaces) } != 0 {
        bail!(
            "a network of its own: {}: root may have one, and others where the kernel lets them",
            Error::last_os_error()
        );
    }
    if user != 0 {
        std::fs::write("/proc/thread-self/setgroups", "deny")?;
        std::fs::write("/proc/thread-self/uid_map", format!("0 {user} 1"))?;
        std::fs::write("/proc/thread-self/gid_map", format!("0 {group} 1"))?;
    }
    Ok(())
}
fn ip(arguments: &[&str]) -> Result<()> {
    let done = Command::new("ip").args(arguments).output().context("ip is missing: install the package iproute2")?;
    ensure!(done.status.success(), "ip {}: {}", arguments.join(" "), String::from_utf8_lossy(&done.stderr));
    Ok(())
}
/// The kernel's end: a device whose frames we read and write.
fn tap() -> Result<File> {
    const TUN: &str = "/dev/net/tun";
    let tap = OpenOptions::new().read(true).write(true).custom_flags(libc::O_NONBLOCK).open(TUN).context(TUN)?;
    // SAFETY: all of it may be zero.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(DEVICE.bytes()) {
        *to = from as libc::c_char;
    }
    request.ifr_ifru.ifru_flags = (libc::IFF_TAP | libc::IFF_NO_PI) as i16;
    // SAFETY: the request is of the type that these take, and the descriptor is open.
    let made = unsafe { libc::ioctl(tap.as_raw_fd(), libc::TUNSETIFF as _, &mut request) } == 0;
    ensure!(made, "{TUN}: {}", Error::last_os_error());
    Ok(tap)
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum To {
    Guest,
    Us,
}
/// What is on its way: the fields that decide who comes first are first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Sent {
    at: Instant,
    number: u64,
    to: To,
    frame: Vec<u8>,
}
struct Carrier {
    tap: File,
    end: UnixDatagram,
    guest: PathBuf,
    gone: Gone,
    chance: Random,
    later: BinaryHeap<Reverse<Sent>>,
    number: u64,
    ended: Arc<AtomicBool>,
}
impl Carrier {
    fn carry(mut self) {
        let mut frame = [0; FRAME];
        while !self.ended.load(Ordering::Relaxed) {
            self.wait();
            if let Ok(count @ 1..) = self.tap.read(&mut frame) {
                self.send(&frame[..count], To::Guest);
            }
            if let Ok(count @ 1..) = self.end.recv(&mut frame) {
                self.send(&frame[..count], To::Us);
            }
            self.deliver();
        }
    }
    /// Until a frame comes, or one that is on its way is there.
    fn wait(&self) {
        const LONGEST: Duration = Duration::from_millis(100);
        let due = self.later.peek().map(|Reverse(first)| first.at.saturating_duration_since(Instant::now()));
        let most = due.unwrap_or(LONGEST).min(LONGEST).as_micros().div_ceil(1000);
        let of = |fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
        let mut both = [of(self.tap.as_raw_fd()), of(self.end.as_raw_fd())];
        // SAFETY: two entries, as the second argument says.
        unsafe { libc::poll(both.as_mut_ptr(), 2, most as libc::c_int) };
    }
    fn once_in(&mut self, n: usize) -> bool {
        self.chance.below(n) == 0
    }
    fn send(&mut self, frame: &[u8], to: To) {
        // Who asks for an address and hears nothing three times is told that nobody is there, by this kernel: that is none of the guest's.
        let asks = frame.get(12..14) == Some(&ARP);
        if self.gone.has(frame) || !asks && self.once_in(LOST) {
            return;
        }
        for _ in 0..1 + self.once_in(TWICE) as usize {
            let longer = if self.once_in(LATE) { self.chance.below(LONGER) as u64 } else { 0 };
            let at = Instant::now() + WAY + Duration::from_millis(longer);
            self.number += 1;
            self.later.push(Reverse(Sent { at, number: self.number, to, frame: frame.to_vec() }));
        }
    }
    fn deliver(&mut self) {
        while self.later.peek().is_some_and(|Reverse(first)| first.at <= Instant::now()) {
            let Some(Reverse(first)) = self.later.pop() else { return };
            let done = match first.to {
                To::Guest => self.end.send_to(&first.frame, &self.guest),
                To::Us => self.tap.write(&first.frame),
            };
            if done.is_err_and(|error| error.kind() == ErrorKind::WouldBlock) {
                self.later.push(Reverse(Sent { at: Instant::now() + AGAIN, ..first }));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    /// A frame of TCP from one port to another.
    fn frame(from: u16, to: u16) -> Vec<u8> {
        let mut frame = vec![0; 54];
        frame[12] = 8;
        frame[14] = 0x45;
        frame[23] = 6;
        frame[34..36].copy_from_slice(&from.to_be_bytes());
        frame[36..38].copy_from_slice(&to.to_be_bytes());
        frame
    }
    #[test]
    fn who_is_gone_neither_says_nor_hears_anything() {
        let gone = Gone::default();
        gone.leave(20_000);
        assert!(gone.has(&frame(20_000, 7)) && gone.has(&frame(7, 20_000)) && !gone.has(&frame(7, 8)));
        let mut datagram = frame(20_000, 7);
        datagram[23] = 17;
        assert!(!gone.has(&datagram) && !gone.has(&frame(20_000, 7)[..36]));
        gone.come_back(20_000);
        assert!(!gone.has(&frame(20_000, 7)));
    }
}
