//! HTTPS as curl speaks it, and those who do not speak it.

use super::clients::output;
use super::http::{INDEX, files, is_ended, long};
use super::running::{PATIENCE, Running};
use anyhow::{Context, Result, ensure};
use manifest::System;
use std::io::{Read, Write};
use std::path::Path;
use std::time::{Duration, Instant};

pub const CERTIFICATE: &str = "tests/services/tls/certificate.pem";
pub const KEY: &str = "tests/services/tls/key.pem";
const ATTACKERS: &str = "tests/services/tls_attackers.py";
const OTHER: &str = "tests/services/tls/other.pem";

/// The system that serves by HTTPS alone, at the port that leads here, with this key.
pub fn secured(root: &Path, key: &str, change: impl FnOnce(&mut System)) -> Result<Running> {
    let mut all = files();
    for (path, name) in [(CERTIFICATE, "tls/certificate.pem"), (key, "tls/key.pem")] {
        all.push((name.into(), std::fs::read(root.join(path)).with_context(|| path.to_string())?));
    }
    Running::start(root, "secured", all, None, |system: &mut System| {
        system.components.retain(|component| component.name != "http" && component.name != "webconsole");
        for server in system.components.iter_mut().filter(|component| component.name == "https") {
            server.arguments.iter_mut().for_each(|argument| *argument = argument.replace("port=443", "port=80"));
            server.opens.push("internet.listen.tcp.80".into());
        }
        change(system);
    })
}
/// curl, which asks for nothing but what the certificate vouches for.
pub struct Curl<'a> {
    pub certificate: String,
    pub system: &'a Running,
}
impl Curl<'_> {
    fn url(&self, path: &str) -> String {
        format!("https://localhost:{}{path}", self.system.port)
    }
    pub fn get(&self, path: &str, more: &[&str]) -> Result<Vec<u8>> {
        let url = self.url(path);
        let arguments = [&["-s", "--ipv4", "-m", "20", "--cacert", &self.certificate, &url], more].concat();
        output("curl", &arguments, 0).with_context(|| self.system.last_said())
    }
    /// Asks until there is an answer.
    pub fn until_answered(&self) -> Result<()> {
        let deadline = Instant::now() + 2 * PATIENCE;
        loop {
            match self.get("/", &[]) {
                Ok(index) if index == INDEX => return Ok(()),
                Ok(index) => ensure!(Instant::now() < deadline, "{} bytes of the index", index.len()),
                Err(error) if Instant::now() >= deadline => return Err(error),
                Err(_) => {}
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

/// What curl asks over TLS is answered with the right bytes, by both versions; who speaks no TLS, or stops in the middle of it, is in nobody's way; and the
/// service is back when TCP/IP has ended.
pub fn answered(root: &Path) -> Result<()> {
    let mut system = secured(root, KEY, |_| {})?;
    let certificate = root.join(CERTIFICATE).display().to_string();
    let curl = Curl { certificate: certificate.clone(), system: &system };
    curl.until_answered()?;
    for version in [&["--tlsv1.3"][..], &["--tlsv1.2", "--tls-max", "1.2"]] {
        ensure!(curl.get("/data/long", version)? == long(), "the long file, {version:?}");
    }
    ensure!(curl.get("/data/long", &["-r", "1000-100999"])? == long()[1000..101_000], "a range");
    let status = curl.get("/nothing", &["-o", "/dev/null", "-w", "%{http_code} %{http_version}"])?;
    ensure!(status == b"404 1.1", "there is no such file: {}", String::from_utf8_lossy(&status));
    // One connection for two, and many at a time.
    let url = curl.url("/data/long");
    let connects = curl
        .get("/", &["-o", "/dev/null", "--cacert", &certificate, &url, "-o", "/dev/null", "-w", "%{num_connects} "])?;
    ensure!(connects == b"1 0 ", "connections for two files: {}", String::from_utf8_lossy(&connects));
    let crowd = curl.get("/?[1-40]", &["-Z", "--parallel-max", "8"])?;
    ensure!(crowd == INDEX.repeat(40), "a crowd: {} bytes", crowd.len());
    // 60: nobody vouches for it.
    output("curl", &["-s", "--ipv4", &curl.url("/")], 60)?;
    rude(&system)?;
    ensure!(curl.get("/", &[])? == INDEX, "the next one");
    system.kill("internet")?;
    Curl { certificate, system: &system }.until_answered()
}
/// They get no answer, and keep nothing.
fn rude(system: &Running) -> Result<()> {
    // Who speaks plainly is told that this is something else: an alert.
    let mut stream = system.connect()?;
    stream.write_all(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n")?;
    let mut answer = [0; 7];
    stream.read_exact(&mut answer)?;
    ensure!(matches!(answer, [21, 3, _, 0, 2, 2, _]), "who speaks plainly: {answer:?}");
    ensure!(is_ended(&stream), "who speaks plainly keeps the connection");
    // Some begin, and vanish, or say nothing more.
    let mut silent = Vec::new();
    for n in 0..11 {
        let mut stream = system.connect()?;
        stream.write_all(&[22, 3, 1, 1, 0, 1, 0, 0, 252, 3, 3][..1 + n % 11])?;
        if n % 4 == 0 {
            silent.push(stream);
        }
    }
    Ok(())
}
/// Those who are let in by TLS, or nearly, and do their worst, one after the other and as a crowd: others are answered, and the service is the same one at the end.
pub fn attacked(root: &Path) -> Result<()> {
    let system = secured(root, KEY, |_| {})?;
    let certificate = root.join(CERTIFICATE).display().to_string();
    Curl { certificate: certificate.clone(), system: &system }.until_answered()?;
    let folder = tempfile::tempdir()?;
    let index = folder.path().join("index");
    std::fs::write(&index, INDEX)?;
    let script = root.join(ATTACKERS).display().to_string();
    let said = output("python3", &[&script, &system.port.to_string(), &index.display().to_string(), &certificate], 0);
    let said = said.with_context(|| system.last_said())?;
    ensure!(said == b"all answered\n", "{}", String::from_utf8_lossy(&said));
    ensure!(!system.said().contains("starting https again"), "{}", system.last_said());
    Ok(())
}
/// What can not be a server's identity is refused, with the file's name, before anybody is let in.
pub fn identity(root: &Path) -> Result<()> {
    for (key, said) in [
        (OTHER, "tls/key.pem: key and certificate do not belong together"),
        (CERTIFICATE, "tls/key.pem: there is no key in it"),
        ("tests/services/tls/unknown/p521.pem", "tls/key.pem: its key is ECDSA on P-521; RSA of"),
        ("tests/services/tls/unknown/encrypted.pem", "tls/key.pem: the key in it is encrypted"),
    ] {
        secured(root, key, |_| {})?.until_said(0, |line| line.contains(said)).with_context(|| said.to_string())?;
    }
    let without = Running::start(root, "secured", files(), None, |_| {})?;
    without.until_said(0, |line| line.contains("https: tls/certificate.pem: no such name")).map(drop)
}
