//! What a client on this machine does with the servers of a guest, over QEMU's user network, and what that costs the guest.

use super::counter::{Counter, median};
use crate::datagrams;
use crate::uninterrupted::uninterrupted;
use anyhow::{Context, Result, ensure};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(20);
/// Batches of which the median is taken.
const BATCHES: usize = 7;
/// For how long the guest is left alone before a batch.
const REST: Duration = Duration::from_millis(20);
/// For how long the first answer is waited for at a time, and in all.
const MOMENT: Duration = Duration::from_millis(500);
const BOOT: Duration = Duration::from_secs(120);
/// Frames of which the median is taken.
const FRAMES: usize = 101;
/// KiB of a bulk transfer.
const BULK: usize = 4096;

/// Ports of this machine that lead to the guest's servers.
#[derive(Clone, Copy, Debug)]
pub struct Ports {
    pub udp: u16,
    pub tcp: u16,
    pub sink: u16,
    pub source: u16,
    pub http: u16,
}
/// Operations, and what one of each costs.
pub type Costs = Vec<(&'static str, u64)>;

/// Instructions of one operation, or of one of its `units`: the median of batches of so many.
fn cost(counter: &Counter, count: usize, units: usize, mut operation: impl FnMut() -> Result<()>) -> Result<u64> {
    (0..count).try_for_each(|_| operation())?;
    let mut batches = Vec::new();
    for _ in 0..BATCHES {
        std::thread::sleep(REST);
        let before = counter.count()?;
        (0..count).try_for_each(|_| operation())?;
        batches.push((counter.count()? - before) / (count * units) as u64);
    }
    median(batches).context("no batches")
}
fn connect(port: u16) -> Result<TcpStream> {
    let stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    Ok(stream)
}

/// Instructions from a frame, which finds the guest idle, to the mark that its receiver makes.
fn arrival(counter: &Counter, mut send: impl FnMut() -> Result<()>) -> Result<u64> {
    let mut costs = Vec::new();
    for _ in 0..FRAMES {
        let before = counter.idle()?;
        send()?;
        costs.push(counter.marked()?.checked_sub(before).context("its receiver makes no mark")?);
    }
    median(costs).context("no frames")
}
/// Instructions from the machine's start to the first answer of HTTP's.
pub fn first_answer(counter: &Counter, ports: &Ports) -> Result<(&'static str, u64)> {
    let request = b"GET /1k HTTP/1.1\r\nHost: pebble\r\nConnection: close\r\n\r\n";
    let ask = || -> Result<()> {
        let mut stream = connect(ports.http)?;
        stream.set_read_timeout(Some(MOMENT))?;
        stream.write_all(request)?;
        answer(&mut stream, 1024)
    };
    let deadline = Instant::now() + BOOT;
    while let Err(error) = ask() {
        ensure!(Instant::now() < deadline, "it never answered: {error:#}");
        std::thread::sleep(REST);
    }
    Ok(("boot to the first answered request", counter.count()?))
}
/// Datagrams that are sent back.
pub fn echoes(counter: &Counter, ports: &Ports) -> Result<Costs> {
    let socket = datagrams::to(ports.udp, PATIENCE)?;
    let echoed = |bytes: &[u8]| cost(counter, 300, 1, || datagrams::echo(&socket, bytes));
    Ok(vec![("UDP echo 64 B", echoed(&[b'x'; 64])?), ("UDP echo 1 KiB", echoed(&[b'x'; 1024])?)])
}
/// Datagrams and streams.
pub fn packets(counter: &Counter, ports: &Ports) -> Result<Costs> {
    let socket = datagrams::to(ports.udp, PATIENCE)?;
    let mut costs =
        vec![("frame to application, UDP 64 B", arrival(counter, || datagrams::echo(&socket, &[b'x'; 64]))?)];
    costs.extend(echoes(counter, ports)?);
    let mut stream = connect(ports.tcp)?;
    let mut echo = || -> Result<()> {
        stream.write_all(&[b'x'; 64])?;
        Ok(stream.read_exact(&mut [0; 64])?)
    };
    costs.push(("TCP echo 64 B", cost(counter, 300, 1, &mut echo)?));
    let bytes = vec![b'y'; BULK * 1024];
    let push = || -> Result<()> {
        let mut stream = connect(ports.sink)?;
        stream.write_all(&bytes)?;
        stream.shutdown(Shutdown::Write)?;
        // It says so when it has read all.
        Ok(stream.read_exact(&mut [0])?)
    };
    costs.push(("TCP receive, per KiB", cost(counter, 1, BULK, push)?));
    let mut stream = connect(ports.source)?;
    let mut buffer = vec![0; BULK * 1024];
    let mut pull = || -> Result<()> {
        stream.write_all(&(BULK as u64).to_le_bytes())?;
        Ok(stream.read_exact(&mut buffer)?)
    };
    costs.push(("TCP send, per KiB", cost(counter, 1, BULK, &mut pull)?));
    Ok(costs)
}
/// Reads one answer of HTTP, which must be 200.
fn answer(stream: &mut TcpStream, bytes: usize) -> Result<()> {
    let mut said = Vec::new();
    let mut buffer = [0; 65536];
    let end = loop {
        if let Some(end) = said.windows(4).position(|four| four == b"\r\n\r\n") {
            break end + 4;
        }
        let count = uninterrupted(|| stream.read(&mut buffer))?;
        ensure!(count > 0, "the connection ended");
        said.extend_from_slice(&buffer[..count]);
    };
    ensure!(said.windows(5).take(12).any(|five| five == b" 200 "), "{}", String::from_utf8_lossy(&said[..end]));
    let mut left = (end + bytes).checked_sub(said.len()).context("the answer is longer")?;
    while left > 0 {
        let count = uninterrupted(|| stream.read(&mut buffer))?;
        ensure!((1..=left).contains(&count), "the answer has another length");
        left -= count;
    }
    Ok(())
}
/// Files of 1 and of 100 KiB by HTTP.
pub fn http(counter: &Counter, ports: &Ports) -> Result<Costs> {
    let request = |path: &str, more: &str| format!("GET {path} HTTP/1.1\r\nHost: pebble\r\n{more}\r\n").into_bytes();
    let kept = |path: &str, bytes: usize, count: usize| {
        let mut stream = connect(ports.http)?;
        let request = request(path, "");
        cost(counter, count, 1, || {
            stream.write_all(&request)?;
            answer(&mut stream, bytes)
        })
    };
    let new = || {
        let request = request("/1k", "Connection: close\r\n");
        cost(counter, 100, 1, || {
            let mut stream = connect(ports.http)?;
            stream.write_all(&request)?;
            answer(&mut stream, 1024)?;
            ensure!(uninterrupted(|| stream.read(&mut [0]))? == 0, "the connection did not end");
            Ok(())
        })
    };
    Ok(vec![
        ("HTTP GET 1 KiB, keep-alive", kept("/1k", 1024, 200)?),
        ("HTTP GET 1 KiB, a new connection each", new()?),
        ("HTTP GET 100 KiB, keep-alive", kept("/100k", 102_400, 40)?),
    ])
}
/// The same by HTTPS, as curl asks: what a file more on the same connection costs, and what a connection with one does.
pub fn https(counter: &Counter, port: u16, certificate: &Path) -> Result<Costs> {
    let get = |path: &str, count: usize| -> Result<u64> {
        let before = counter.count()?;
        let mut curl = Command::new("curl");
        curl.args(["-s", "-S", "-f", "--ipv4", "-m", "60", "-o", "/dev/null", "--cacert"]).arg(certificate);
        let asked = curl.arg(format!("https://localhost:{port}{path}?[1-{count}]")).stdin(Stdio::null()).output();
        let asked = asked.context("curl could not be started")?;
        ensure!(asked.status.success(), "curl: {}", String::from_utf8_lossy(&asked.stderr));
        Ok(counter.count()? - before)
    };
    let deadline = Instant::now() + BOOT;
    while let Err(error) = get("/1k", 1) {
        ensure!(Instant::now() < deadline, "it never answered: {error:#}");
        std::thread::sleep(REST);
    }
    let kept = |path: &str, count: usize| {
        let mut batches = Vec::new();
        for _ in 0..BATCHES {
            std::thread::sleep(REST);
            let one = get(path, 1)?;
            batches.push(get(path, count + 1)?.saturating_sub(one) / count as u64);
        }
        median(batches).context("no batches")
    };
    Ok(vec![
        ("HTTPS GET 1 KiB, keep-alive", kept("/1k", 200)?),
        ("HTTPS GET 1 KiB, a new connection each", cost(counter, 20, 1, || get("/1k", 1).map(drop))?),
        ("HTTPS GET 100 KiB, keep-alive", kept("/100k", 40)?),
    ])
}
