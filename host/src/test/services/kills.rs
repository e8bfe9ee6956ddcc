//! Parts of a system that are killed while they work: each client sees an error that it can handle, and the next one is answered.

use super::http::{Answer, INDEX, files, length, long, send, serving, until_answered};
use super::running::{PATIENCE, Running};
use crate::disk;
use crate::power_cuts::with_disk;
use anyhow::{Context, Result, ensure};
use std::io::{ErrorKind, Read};
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

/// Long answers that a client asks for at once: more than lies on the way to it.
const ANSWERS: usize = 40;

/// All that still comes: whether the connection came to its end, and not to the end of patience. Where TCP/IP itself went, the other side
/// has forgotten the connection, and says so when it is asked again.
fn rest(mut stream: &TcpStream, said: &mut Vec<u8>) -> Result<()> {
    /// How long to listen before that.
    const SILENCE: Duration = Duration::from_secs(4);
    let is_over = |stream: &mut &TcpStream, said: &mut Vec<u8>| match stream.read_to_end(said) {
        Err(error) => !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut),
        Ok(_) => true,
    };
    stream.set_read_timeout(Some(SILENCE))?;
    if is_over(&mut stream, said) {
        return Ok(());
    }
    // It may end meanwhile.
    let _ = send(stream, "GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    stream.set_read_timeout(Some(PATIENCE))?;
    ensure!(is_over(&mut stream, said), "neither bytes nor an end came");
    Ok(())
}
/// How many whole answers with the file are in what came; all of it must be right, as far as it goes. A request that came while nobody could
/// answer it is told so, and the next one may be answered.
fn whole(mut said: &[u8]) -> Result<usize> {
    let long = long();
    let mut whole = 0;
    for count in 0..ANSWERS {
        let Some(end) = said.windows(4).position(|four| four == b"\r\n\r\n") else { break };
        let (head, rest) = said.split_at(end + 4);
        let head = str::from_utf8(head)?;
        let is_refusal = head.starts_with("HTTP/1.1 503");
        ensure!(is_refusal || head.starts_with("HTTP/1.1 200"), "answer {count} is another one: {head}");
        let length = length(head).with_context(|| format!("answer {count} has no length: {head}"))?;
        ensure!(is_refusal || length == long.len(), "answer {count} has {length} bytes");
        let (body, next) = rest.split_at(rest.len().min(length));
        ensure!(is_refusal || long.starts_with(body), "answer {count} has other bytes");
        if body.len() < length {
            break;
        }
        whole += usize::from(!is_refusal);
        said = next;
    }
    Ok(whole)
}
/// Kills each of the components in the middle of a transfer. Of those of `unnoticed` the client sees nothing.
pub fn each(mut system: Running, components: &[&str], unnoticed: &[&str]) -> Result<()> {
    for component in components {
        let killed = || format!("{component} was killed");
        let stream = system.connect()?;
        let request = |end: &str| format!("GET /data/long HTTP/1.1\r\nHost: h\r\n{end}\r\n");
        send(&stream, &(request("").repeat(ANSWERS - 1) + &request("Connection: close\r\n")))?;
        let mut said = vec![0; 5000];
        (&stream).read_exact(&mut said)?;
        system.kill(component)?;
        rest(&stream, &mut said).with_context(|| format!("{}\n{}", killed(), system.last_said()))?;
        let answers = whole(&said).with_context(killed)?;
        ensure!(answers == ANSWERS || !unnoticed.contains(component), "{}: {answers} answers of {ANSWERS}", killed());
        let index: Answer = until_answered(&system, "/").with_context(killed)?;
        ensure!(index.body == INDEX, "{}: {index:?}", killed());
    }
    Ok(())
}
pub fn memory(root: &Path) -> Result<()> {
    each(serving(root)?, &["network", "internet", "http", "files", "network"], &["network"])
}
/// The same with the files on a disk.
pub fn disk(root: &Path) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let disk = folder.path().join("disk");
    disk::create(&disk, 32)?;
    disk::with(&disk, |volume| files().iter().try_for_each(|(name, bytes)| disk::put(volume, bytes, name)))?;
    let system = Running::start(root, "network", Vec::new(), Some(disk), |system| {
        let http = system.components.iter_mut().find(|component| component.name == "http");
        http.expect("the system has a server").arguments = vec!["root=disk/www".into()];
    })?;
    until_answered(&system, "/")?;
    each(system, &["block", "disk", "block", "network", "internet"], &["block", "network"])
}
/// A program writes, and kills the driver and the file system meanwhile: it sees errors of theirs and no other, and what was synced is
/// there, then and after a reboot.
pub fn writes(root: &Path) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("disk");
    disk::create(&file, 32)?;
    let said = with_disk(root, &file, "tests/target/components/disk_killer.rs", &[])?.wait_with_output()?;
    let text = String::from_utf8_lossy(&said.stdout);
    ensure!(said.status.success(), "{}: {text}", said.status);
    disk::with(&file, |volume| {
        for line in text.lines().filter_map(|line| line.strip_prefix("synced ")) {
            let bytes = disk::get(volume, &format!("kept/{line}"))?;
            ensure!(bytes == format!("the words of {line}\n").repeat(500).into_bytes(), "{line} is not as it was");
        }
        Ok(())
    })
}
