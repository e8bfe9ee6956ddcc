//! Sockets and paths of the disk as a C program has them, seen from this machine.

use super::running::{PATIENCE, free_port};
use crate::datagrams;
use crate::disk;
use crate::power_cuts::run_with_disk;
use anyhow::{Context, Result, ensure};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;

const PROGRAM: &str = "tests/target/components/sockets.c";
/// What the program may do stands in this manifest.
const SYSTEM: &str = "exec-limited";

/// Answers one client with what it says, by the loopback address of one version of IP; 0: this machine has none.
fn answers(address: &str) -> Result<u16> {
    let Ok(listener) = TcpListener::bind((address, 0)) else { return Ok(0) };
    let port = listener.local_addr()?.port();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept()?;
        std::io::copy(&mut stream.try_clone()?, &mut stream)
    });
    Ok(port)
}
fn connect(port: u16) -> Result<TcpStream> {
    let stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    Ok(stream)
}

pub fn program(root: &Path) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("disk");
    disk::create(&file, 32)?;
    let (stream, datagrams) = (free_port(false)?, free_port(true)?);
    let ports = [answers("127.0.0.1")?.to_string(), answers("::1")?.to_string()];
    let net = [format!("tcp:{stream}:7000"), format!("udp:{datagrams}:7001")];
    let options = ["--system", SYSTEM, "--net", &net[0], "--net", &net[1]];
    let mut child = run_with_disk(root, &file, &options, PROGRAM, &[&ports[0], &ports[1]])?;
    let mut lines = BufReader::new(child.stdout.take().context("no output")?).lines();
    let mut said = String::new();
    let result = (|| {
        while !said.ends_with("ready\n") {
            said += &(lines.next().context("it ended early")?? + "\n");
        }
        let mut clients = (0..6).map(|_| connect(stream)).collect::<Result<Vec<_>>>()?;
        let long: Vec<u8> = (0..60_000u32).map(|n| (n.wrapping_mul(2654435761) >> 24) as u8).collect();
        for (n, client) in clients.iter_mut().enumerate() {
            let bytes = &long[n * 7000..][..7000];
            client.write_all(bytes)?;
            let mut back = vec![0; bytes.len()];
            client.read_exact(&mut back).with_context(|| format!("client {n}"))?;
            ensure!(back == bytes, "client {n} hears something else");
        }
        let socket = datagrams::to(datagrams, PATIENCE)?;
        [&long[..1], &long[..1400], &long[..1472]].into_iter().try_for_each(|bytes| datagrams::echo(&socket, bytes))?;
        clients.truncate(5);
        connect(stream)?.write_all(b"end")?;
        for line in lines.by_ref() {
            said += &(line? + "\n");
        }
        Ok(())
    })();
    let status = child.wait()?;
    result.with_context(|| said.clone())?;
    ensure!(status.success(), "{status}: {said}");
    for line in ["the disk has what was written", "talked to 10.0.2.2", "the rest is refused"] {
        ensure!(said.contains(line), "it does not say \"{line}\": {said}");
    }
    ensure!(ports[1] == "0" || said.contains("talked to fec0::2"), "nothing by IPv6: {said}");
    let log = disk::with(&file, |volume| disk::get(volume, "log"))?;
    ensure!(log.len() == 6 * 7000 + 3 && log.ends_with(b"end"), "{} bytes are on the disk", log.len());
    Ok(())
}

/// A program and its children take all sockets and open files of the disk that their account may have.
pub fn exhausted(root: &Path) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("disk");
    disk::create(&file, 32)?;
    let net = format!("tcp:{}:7000", free_port(false)?);
    let options = ["--system", "exec-devices", "--net", &net];
    let child = run_with_disk(root, &file, &options, "tests/target/components/exhaust_devices.c", &[])?;
    let output = child.wait_with_output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.success() && said.contains("taken and given back"), "{}: {said}", output.status);
    Ok(())
}

/// Each driver is replaced while a program uses it, which sees no error and loses nothing: lines that it prints neither.
pub fn drivers(root: &Path) -> Result<()> {
    /// How many times each.
    const ROUNDS: &str = "4";
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("disk");
    disk::create(&file, 32)?;
    let echo = answers("127.0.0.1")?.to_string();
    let net = format!("tcp:{}:7000", free_port(false)?);
    let options = ["--system", "drivers", "--net", &net];
    let child = run_with_disk(root, &file, &options, "tests/target/components/drivers.c", &[&echo, ROUNDS])?;
    let output = child.wait_with_output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.success() && said.contains("all drivers were replaced"), "{}: {said}", output.status);
    let numbers = said.lines().filter_map(|line| line.strip_prefix("line ")).map(|number| number.parse());
    let mut count = 0;
    for number in numbers {
        ensure!(number == Ok(count), "line {count} is not where it was to be: {said}");
        count += 1;
    }
    ensure!(said.contains(&format!("{count} lines\n")), "of its lines, {count} are there: {said}");
    Ok(())
}
