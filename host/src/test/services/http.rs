//! HTTP as the tests speak it, and what the server must answer.

use super::running::{PATIENCE, Running};
use anyhow::{Context, Result, bail, ensure};
use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant};

#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}
/// Sends a request, and reads the answer to it and no more.
pub fn ask(stream: &TcpStream, path: &str, more: &str) -> Result<Answer> {
    send(stream, &format!("GET {path} HTTP/1.1\r\nHost: h\r\n{more}\r\n"))?;
    answer(stream)
}
pub fn send(mut stream: &TcpStream, text: &str) -> Result<()> {
    Ok(stream.write_all(text.as_bytes())?)
}
pub fn answer(mut stream: &TcpStream) -> Result<Answer> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        // A read that has a time may end without a byte when this machine was stopped meanwhile; this one begins again.
        let read = stream.read_exact(&mut byte);
        read.with_context(|| format!("the connection ended in the head: {}", String::from_utf8_lossy(&head)))?;
        head.push(byte[0]);
    }
    let head = String::from_utf8(head)?;
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).context("an answer has a status")?;
    let mut body = vec![0; length(&head).unwrap_or(0)];
    stream.read_exact(&mut body)?;
    Ok(Answer { status, head, body })
}
/// Bytes of the body behind `head`, where it says so.
pub fn length(head: &str) -> Option<usize> {
    head.lines().find_map(|line| line.strip_prefix("Content-Length: ")?.parse().ok())
}
/// Whether the other side has ended the connection.
pub fn is_ended(mut stream: &TcpStream) -> bool {
    stream.read_exact(&mut [0]).is_err()
}

pub const INDEX: &[u8] = b"<h1>an appliance</h1>\n";
/// The index of a folder.
pub const FOLDER: &[u8] = b"<h1>a folder</h1>\n";
pub fn long() -> Vec<u8> {
    (0..150_000u32).map(|n| (n.wrapping_mul(2654435761) >> 24) as u8).collect()
}
pub fn files() -> Vec<(String, Vec<u8>)> {
    let files = [("index.html", INDEX.to_vec()), ("data/long", long()), ("50%/index.html", FOLDER.to_vec())];
    files.into_iter().map(|(name, bytes)| (format!("www/{name}"), bytes)).collect()
}

/// The system that serves files from memory.
pub fn serving(root: &Path) -> Result<Running> {
    let system = Running::start(root, "network", files(), None, |_| {})?;
    until_answered(&system, "/")?;
    Ok(system)
}
/// Asks until there is an answer.
pub fn until_answered(system: &Running, path: &str) -> Result<Answer> {
    /// How long to wait before it is asked again.
    const MOMENT: Duration = Duration::from_millis(100);
    let deadline = Instant::now() + 2 * PATIENCE;
    loop {
        let answer = system.connect().and_then(|stream| {
            stream.set_read_timeout(Some(Duration::from_secs(2)))?;
            ask(&stream, path, "")
        });
        match answer {
            Ok(answer) if answer.status == 200 => return Ok(answer),
            _ if Instant::now() < deadline => std::thread::sleep(MOMENT),
            answer => bail!("{path} is not answered: {:?}\n{}", answer.map(|answer| answer.status), system.last_said()),
        }
    }
}

/// What clients on this machine ask, is answered with the right bytes.
pub fn bytes(root: &Path) -> Result<()> {
    right_bytes(&serving(root)?)
}
pub fn right_bytes(system: &Running) -> Result<()> {
    let stream = system.connect()?;
    // One connection, many requests.
    for _ in 0..20 {
        let index = ask(&stream, "/", "")?;
        ensure!(index.body == INDEX && index.head.contains("text/html"), "the index: {index:?}");
        let all = ask(&stream, "/data/long", "")?;
        ensure!(all.body == long(), "{} bytes of the long file", all.body.len());
    }
    let part = ask(&stream, "/data/long", "Range: bytes=1000-100999\r\n")?;
    ensure!(part.status == 206 && part.body == long()[1000..101_000], "a range: {}", part.head);
    let tag = part.head.lines().find_map(|line| line.strip_prefix("ETag: ")).context("an answer has a tag")?;
    ensure!(ask(&stream, "/data/long", &format!("If-None-Match: {tag}\r\n"))?.status == 304, "it has not changed");
    ensure!(ask(&stream, "/nothing", "")?.status == 404, "there is no such file");
    ensure!(part.head.contains(" GMT\r\n") && part.head.contains("\r\nDate: "), "the time: {}", part.head);
    ensure!(ask(&stream, "/50%25/", "")?.body == FOLDER, "a name with a sign that means others");
    let moved = ask(&stream, "/50%?x", "")?;
    ensure!(moved.status == 301 && moved.head.contains("\r\nLocation: /50%25/?x\r\n"), "{}", moved.head);
    ensure!(ask(&stream, "/data/long/", "")?.status == 404, "a file is no folder");
    send(&stream, "HEAD / HTTP/1.1\r\nHost: h\r\n\r\nGET /nothing HTTP/1.1\r\nHost: h\r\n\r\n")?;
    let mut head = [0; 12];
    (&stream).read_exact(&mut head)?;
    ensure!(&head == b"HTTP/1.1 200", "a head alone");
    // What is no request, or too much of one, ends its connection with a word.
    for (bad, status) in [("\0\0\0\r\n\r\n".to_string(), 400), (format!("GET /{} HTTP/1.1\r\n", "a".repeat(9000)), 431)]
    {
        let stream = system.connect()?;
        send(&stream, &bad)?;
        ensure!(answer(&stream)?.status == status && is_ended(&stream), "{status} for what is no request");
    }
    Ok(())
}
/// Many clients at once, some of which vanish, say nothing, or never read: each of the others is answered, and so is the next one.
pub fn crowd(root: &Path) -> Result<()> {
    const CLIENTS: usize = 200;
    /// Of these so many at a time: with those before, fewer than may wait (192) to be served, also where the machine has no time for any of them.
    const AT_ONCE: usize = 160;
    let system = serving(root)?;
    let mut silent = Vec::new();
    for n in 0..20 {
        let stream = system.connect()?;
        match n % 3 {
            0 => send(&stream, "GET /data/lo")?,
            // Never reads what it asks for.
            1 => (0..20).try_for_each(|_| send(&stream, "GET /data/long HTTP/1.1\r\nHost: h\r\n\r\n"))?,
            _ => {}
        }
        // Some vanish, the others stay.
        if n >= 12 {
            silent.push(stream);
        }
    }
    // QEMU takes one at a time, and this machine's kernel drops what comes meanwhile for a second or more: so not all in one moment. Each asks
    // as it comes, for on a busy machine the last comes when the first would have been silent for longer than the server bears.
    let mut clients = VecDeque::new();
    let mut answered = 0;
    let mut next_is_answered = |clients: &mut VecDeque<TcpStream>| -> Result<()> {
        let Some(client) = clients.pop_front() else { return Ok(()) };
        let answer = answer(&client).with_context(|| format!("client {answered} of {CLIENTS}"))?;
        ensure!(answer.body == INDEX && is_ended(&client), "client {answered} of {CLIENTS}: {answer:?}");
        answered += 1;
        Ok(())
    };
    for _ in 0..CLIENTS {
        if clients.len() == AT_ONCE {
            next_is_answered(&mut clients)?;
        }
        std::thread::sleep(Duration::from_millis(8));
        let stream = system.connect()?;
        stream.set_read_timeout(Some(3 * PATIENCE))?;
        send(&stream, "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")?;
        clients.push_back(stream);
    }
    while !clients.is_empty() {
        next_is_answered(&mut clients)?;
    }
    drop(silent);
    ensure!(ask(&system.connect()?, "/", "")?.body == INDEX, "the next one");
    Ok(())
}
/// Who keeps all connections that the server has, and asks nothing more, has the next client wait for a moment, not until its time is over.
pub fn give_way(root: &Path) -> Result<()> {
    /// More than the server has places for; how long a connection without a request lasts there, but for a third.
    const KEPT: usize = 40;
    const LATEST: Duration = Duration::from_secs(10);
    let system = serving(root)?;
    let mut kept = Vec::new();
    for _ in 0..KEPT {
        let stream = system.connect()?;
        stream.set_read_timeout(Some(2 * PATIENCE))?;
        ensure!(ask(&stream, "/", "")?.body == INDEX, "one that stays is answered");
        kept.push(stream);
    }
    let begun = Instant::now();
    ensure!(ask(&system.connect()?, "/data/long", "")?.body == long(), "the next one is answered");
    ensure!(begun.elapsed() < LATEST, "the next one has waited for {:?}", begun.elapsed());
    // The last of those that stay has its place still.
    ensure!(ask(&kept[KEPT - 1], "/", "")?.body == INDEX, "one that has just asked keeps its connection");
    Ok(())
}
