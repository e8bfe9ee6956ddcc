//! Systems that serve, from the outside: HTTP from this machine, and what becomes of it when parts of the system are killed.

use super::Verdict;
use crate::devices::{Devices, Forward};
use crate::qemu::{Guest, Machine, end_with_us};
use crate::{disk, exec, system};
use anyhow::{Context, Result, bail, ensure};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How long an answer may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long a client waits before it tries again.
const MOMENT: Duration = Duration::from_millis(100);

/// A system that runs, with its port 80 at one of this machine's.
struct Running {
    port: u16,
    keys: ChildStdin,
    said: Arc<Mutex<String>>,
    // Last: it ends with this.
    _guest: Guest,
}
impl Running {
    fn start(root: &Path, name: &str, files: Vec<(String, Vec<u8>)>) -> Result<Running> {
        let system = system::load(root, name)?;
        let image = exec::make_image(root, &system, files)?;
        let devices = Devices { net: vec!["tcp:0:80".into()], ..Devices::default() };
        let forwards: Vec<Forward> = devices.forwards()?;
        let machine = Machine { extra: devices.arguments(&system, &forwards), ..Machine::default() };
        let mut guest = Guest::start(&image, &machine, false, Stdio::piped())?;
        let keys = guest.stdin().context("the guest has no input")?;
        let mut from = guest.stdout().context("the guest has no output")?;
        let said = Arc::new(Mutex::new(String::new()));
        let heard = said.clone();
        // It ends with the guest.
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = from.read(&mut buffer) {
                heard.lock().unwrap().push_str(&String::from_utf8_lossy(&buffer[..count]));
            }
        });
        let running = Running { port: forwards[0].host, keys, said, _guest: guest };
        running.until_answered("/")?;
        Ok(running)
    }
    fn said(&self) -> String {
        self.said.lock().unwrap().clone()
    }
    fn connect(&self) -> Result<TcpStream> {
        let stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(stream)
    }
    /// Asks until there is an answer.
    fn until_answered(&self, path: &str) -> Result<Answer> {
        let deadline = Instant::now() + 2 * PATIENCE;
        loop {
            let answer = self.connect().and_then(|stream| {
                stream.set_read_timeout(Some(Duration::from_secs(2)))?;
                ask(&stream, path, "")
            });
            match answer {
                Ok(answer) if answer.status == 200 => return Ok(answer),
                _ if Instant::now() < deadline => std::thread::sleep(MOMENT),
                answer => bail!("{path} is not answered: {:?}\n{}", answer.map(|answer| answer.status), self.said()),
            }
        }
    }
    /// Has the shell end the domain of a component.
    fn kill(&mut self, component: &str) -> Result<()> {
        let before = self.said().len();
        self.keys.write_all(b"domains\n")?;
        let line =
            self.until_said(before, |line| line.split_whitespace().nth(1) == Some(component) && line.ends_with('\n'))?;
        let number = line.split_whitespace().next().unwrap_or_default().to_string();
        let before = self.said().len();
        self.keys.write_all(format!("kill {number}\n").as_bytes())?;
        self.until_said(before, |line| line.contains(&format!("starting {component} again")))?;
        Ok(())
    }
    fn until_said(&self, from: usize, wanted: impl Fn(&str) -> bool) -> Result<String> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let said = self.said();
            if let Some(line) = said[from..].replace('\r', "").split_inclusive('\n').find(|line| wanted(line)) {
                return Ok(line.to_string());
            }
            if Instant::now() > deadline {
                bail!("that was never said:\n{said}");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}
#[derive(Debug)]
struct Answer {
    status: u16,
    head: String,
    body: Vec<u8>,
}
/// Sends a request, and reads the answer to it and no more.
fn ask(stream: &TcpStream, path: &str, more: &str) -> Result<Answer> {
    send(stream, &format!("GET {path} HTTP/1.1\r\nHost: h\r\n{more}\r\n"))?;
    answer(stream)
}
fn send(mut stream: &TcpStream, text: &str) -> Result<()> {
    Ok(stream.write_all(text.as_bytes())?)
}
fn answer(mut stream: &TcpStream) -> Result<Answer> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        ensure!(stream.read(&mut byte)? == 1, "the connection ended in the head: {}", String::from_utf8_lossy(&head));
        head.push(byte[0]);
    }
    let head = String::from_utf8(head)?;
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).context("an answer has a status")?;
    let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: ")?.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    stream.read_exact(&mut body)?;
    Ok(Answer { status, head, body })
}
/// Whether the other side has ended the connection.
fn is_ended(mut stream: &TcpStream) -> bool {
    matches!(stream.read(&mut [0]), Ok(0) | Err(_))
}

const INDEX: &[u8] = b"<h1>an appliance</h1>\n";
fn long() -> Vec<u8> {
    (0..150_000u32).map(|n| (n.wrapping_mul(2654435761) >> 24) as u8).collect()
}
fn files() -> Vec<(String, Vec<u8>)> {
    vec![("www/index.html".into(), INDEX.to_vec()), ("www/data/long".into(), long())]
}

/// What clients on this machine ask, is answered with the right bytes.
fn http(root: &Path) -> Result<()> {
    let system = Running::start(root, "network", files())?;
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
fn crowd(root: &Path) -> Result<()> {
    let system = Running::start(root, "network", files())?;
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
    // QEMU takes one at a time, and this machine's kernel drops what comes meanwhile for a second or more: so not all in one moment.
    let mut clients = Vec::new();
    for _ in 0..200 {
        std::thread::sleep(Duration::from_millis(8));
        let stream = system.connect()?;
        stream.set_read_timeout(Some(3 * PATIENCE))?;
        clients.push(stream);
    }
    for client in &clients {
        send(client, "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")?;
    }
    for (n, client) in clients.iter().enumerate() {
        let answer = answer(client).with_context(|| format!("client {n} of 200"))?;
        ensure!(answer.body == INDEX && is_ended(client), "client {n} of 200: {answer:?}");
    }
    drop(silent);
    ensure!(ask(&system.connect()?, "/", "")?.body == INDEX, "the next one");
    Ok(())
}
/// Each part is killed in the middle of a transfer: the client sees its connection end or go on, and the next ones are answered.
fn kills(root: &Path) -> Result<()> {
    let mut system = Running::start(root, "network", files())?;
    for component in ["network", "internet", "http", "files", "network"] {
        let stream = system.connect()?;
        send(&stream, &"GET /data/long HTTP/1.1\r\nHost: h\r\n\r\n".repeat(8))?;
        (&stream).read_exact(&mut [0; 5000])?;
        system.kill(component)?;
        drop(stream);
        let index = system.until_answered("/").with_context(|| format!("after {component} was killed"))?;
        ensure!(index.body == INDEX, "after {component} was killed: {index:?}");
    }
    Ok(())
}

/// A program that writes to a disk, each file synced before the next one.
const WRITER: &str = "tests/target/components/disk_writer.rs";
/// What it writes to file `n`.
fn numbered(n: usize) -> Vec<u8> {
    (0..20_000 + n).map(|at| (at * 7 + n) as u8).collect()
}
/// Runs the program with a disk.
fn with_disk(root: &Path, disk: &Path, arguments: &[&str]) -> Result<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["exec", "--timeout", "60", "--disk"]).arg(disk).arg(WRITER).args(arguments);
    command.env("PEBBLE_ROOT", root).current_dir(root);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    end_with_us(&mut command);
    Ok(command.spawn()?)
}
/// What a program has written is there after a reboot, for the next program and for this machine.
fn reboot(root: &Path) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("disk");
    disk::create(&file, 32)?;
    let said = with_disk(root, &file, &["write", "5"])?.wait_with_output()?;
    ensure!(said.status.success(), "writing: {}", String::from_utf8_lossy(&said.stdout));
    let said = with_disk(root, &file, &["read", "5"])?.wait_with_output()?;
    ensure!(said.status.success(), "reading: {}", String::from_utf8_lossy(&said.stdout));
    for n in 0..5 {
        ensure!(disk::with(&file, |volume| disk::get(volume, &format!("numbers/{n}")))? == numbered(n), "file {n}");
    }
    Ok(())
}
/// The machine's power is cut at some moments of a program that writes: the disk mounts each time, and has what was synced.
fn power_cuts(root: &Path) -> Result<()> {
    let folder = tempfile::tempdir()?;
    for moment in 0..10usize {
        let file = folder.path().join(format!("disk{moment}"));
        disk::create(&file, 32)?;
        let mut child = with_disk(root, &file, &["write", "200"])?;
        let mut lines = BufReader::new(child.stdout.take().context("no output")?).lines();
        let mut synced = 0;
        while synced <= 2 * moment {
            let line = lines.next().context("it ended before its time")??;
            synced = line.strip_prefix("synced ").with_context(|| line.clone())?.parse::<usize>()? + 1;
        }
        // Somewhere between two of them.
        std::thread::sleep(Duration::from_micros(moment as u64 * 7919 % 11_000));
        child.kill()?;
        child.wait()?;
        // What it said before it ended was synced, too. QEMU ends with the tool, and its output with it.
        synced += lines.map_while(|line| line.ok()).filter(|line| line.starts_with("synced ")).count();
        disk::with(&file, |volume| {
            (0..synced).try_for_each(|n| {
                let bytes = disk::get(volume, &format!("numbers/{n}"))?;
                ensure!(bytes == numbered(n), "file {n} of {synced} after cut {moment}: {} bytes", bytes.len());
                Ok(())
            })
        })
        .with_context(|| format!("cut {moment}"))?;
    }
    Ok(())
}

/// A test's name, and what it does.
type Test = (&'static str, fn(&Path) -> Result<()>);
const TESTS: [Test; 5] = [
    ("http_answers_with_the_right_bytes", http),
    ("http_answers_each_of_a_crowd", crowd),
    ("killed_parts_come_back", kills),
    ("what_is_on_the_disk_is_there_after_a_reboot", reboot),
    ("what_was_synced_is_there_after_power_cuts", power_cuts),
];

pub fn run(root: &Path, wanted: &dyn Fn(&str) -> bool) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    for (name, test) in TESTS {
        let name = format!("services::{name}");
        if wanted(&name) {
            let start = Instant::now();
            let failure = test(root).err().map(|e| format!("{e:#}"));
            let verdict = Verdict { name, failure, seconds: start.elapsed().as_secs_f64() };
            verdict.print();
            verdicts.push(verdict);
        }
    }
    verdicts
}
