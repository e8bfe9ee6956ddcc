//! Services whose memory ends at each of their allocations by turns (`tests/failing`): none of them ends, who asks sees an error that says so
//! or the right answer, and nothing that was synced is lost.

use super::http::{INDEX, ask, files, long, until_answered};
use super::running::Running;
use super::tls;
use crate::power_cuts::{command_with, command_with_disk};
use crate::{build, disk};
use anyhow::{Context, Result, bail, ensure};
use manifest::System;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Files that are written to the disk, and as many of each other thing that it is asked: so many that a dozen requests in a row without memory from
/// their n-th allocation on follow each other for each n that they have.
const FILES: usize = 200;

/// A service with such a heap; its ELF file.
fn built(root: &Path, service: &str) -> Result<PathBuf> {
    let _alone = build::alone(root, build::Part::Tree)?;
    build::compile_member(root, "failing", &format!("failing_{service}"))
}
/// The numbers of what was said of the failures of `service` last: the first is how many there were.
fn failures(said: &str, service: &str) -> Result<Vec<usize>> {
    let prefix = format!("pebble: {service}: ");
    // Its last line may have come in part.
    let mut lines = said.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    let line = lines.rfind(|line| line.contains(&prefix) && line.contains("allocations failed"));
    let line = line.with_context(|| format!("{service} says nothing of its failures:\n{said}"))?;
    let line = &line[line.find(&prefix).unwrap_or(0)..];
    Ok(line.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok()).collect())
}
/// That of a component that keeps something: all that its requests ask for failed, and they had no more than half of it. Requests that a test does not
/// make may take more.
fn reserve_is_enough(failures: &[usize]) -> Result<()> {
    let [_, _, cycles, most, all] = failures[..] else { bail!("these numbers are not a reserve's: {failures:?}") };
    ensure!(cycles > 0 && most <= all / 2, "{cycles} times over, requests took up to {most} bytes of {all}");
    Ok(())
}
fn nobody_ended(said: &str) -> Result<()> {
    let ended = said.lines().find(|line| line.contains(" was stopped") || line.contains(" again"));
    ensure!(ended.is_none(), "{}\n{said}", ended.unwrap_or_default());
    Ok(())
}

/// A program has the disk do all that it can do.
pub fn disk(root: &Path) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("disk");
    disk::create(&file, 32)?;
    let system = folder.path().join("failing.toml");
    let text = std::fs::read_to_string(root.join("systems/exec-devices.toml"))?;
    let image = format!("name = \"disk\"\nimage = {:?}\n", built(root, "disk")?);
    let include = format!("include = {:?}", root.join("systems/boot.toml"));
    std::fs::write(&system, text.replace("include = \"boot.toml\"", &include).replace("name = \"disk\"\n", &image))?;
    let options = ["--system", system.to_str().context("a path")?];
    let program = "tests/target/components/disk_without_memory.rs";
    let mut command = command_with_disk(root, &file, &options, program, &[&FILES.to_string()])?;
    let output = command.stderr(Stdio::piped()).output()?;
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{}: {said}", output.status);
    nobody_ended(&said)?;
    let failures = failures(&said, "disk")?;
    ensure!(failures[0] >= 256, "few allocations failed: {said}");
    reserve_is_enough(&failures)?;
    disk::with(&file, |volume| {
        for n in 0..FILES {
            let bytes = disk::get(volume, &format!("kept/{n}"))?;
            ensure!(bytes == format!("the words of {n}\n").repeat(500).into_bytes(), "{n} is not as it was");
        }
        Ok(())
    })
}

/// Components are started, and started again, while one of five of init's allocations fails.
pub fn init(root: &Path) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let boot = std::fs::read_to_string(root.join("systems/boot.toml"))?;
    let image = format!("name = \"init\"\nimage = {:?}\n", built(root, "init")?);
    std::fs::write(folder.path().join("boot.toml"), boot.replace("name = \"init\"\n", &image))?;
    let system = folder.path().join("init.toml");
    std::fs::copy(root.join("tests/failing/init.toml"), &system)?;
    let options = ["--system".as_ref(), system.as_os_str()].into_iter();
    let mut command = command_with(root, options, "tests/target/components/init_without_memory.c", &[])?;
    let output = command.stderr(Stdio::piped()).output()?;
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success() && said.contains("times there was no memory"), "{}: {said}", output.status);
    Ok(())
}

/// A host makes a fault domain while its n-th allocation fails, for every n.
pub fn fault_domain(root: &Path) -> Result<()> {
    let program = built(root, "fault_domain")?;
    let mut command = command_with(root, [].into_iter(), program.to_str().context("a path")?, &[])?;
    let output = command.stderr(Stdio::piped()).output()?;
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{}: {said}", output.status);
    Ok(())
}

/// Something that clients from outside ask for, with so many lines more in its head, and what they get where there is the memory for it.
struct Question {
    path: &'static str,
    more: String,
    status: u16,
    is_right: fn(&[u8]) -> bool,
}
impl Question {
    fn new(path: &'static str, more: &str, status: u16, is_right: fn(&[u8]) -> bool) -> Question {
        Question { path, more: more.into(), status, is_right }
    }
}
/// How long clients ask at most, and how many failures they want to see.
const PATIENCE: Duration = Duration::from_secs(120);
const WANTED: usize = 256;
/// How long to wait behind one that is not answered.
const MOMENT: Duration = Duration::from_millis(10);

/// Has `service` of the system be the one whose memory ends.
fn replace(system: &mut System, service: &str, image: &Path) {
    let found = system.components.iter_mut().find(|component| component.name == service);
    let component = found.expect("the system has it");
    (component.image, component.path) = (format!("failing-{service}"), image.display().to_string());
}
/// Asks until enough allocations of `service` have failed: each question is answered as it must be, with 503, or its connection ends.
fn asked(system: &Running, service: &str, questions: &[Question]) -> Result<()> {
    let deadline = Instant::now() + PATIENCE;
    let mut answered = vec![0; questions.len()];
    for n in 0.. {
        let place = n % questions.len();
        let Question { path, more, status, is_right } = &questions[place];
        // A connection for which there is no memory ends without an answer.
        match system.connect().and_then(|stream| ask(&stream, path, more)) {
            Ok(answer) if answer.status == *status => {
                ensure!(is_right(&answer.body), "{path}: {} other bytes", answer.body.len());
                answered[place] += 1;
            }
            Ok(answer) => ensure!(answer.status == 503, "{path}: {}", answer.status),
            Err(_) => std::thread::sleep(MOMENT),
        }
        let count = failures(&system.said(), service).map_or(0, |failures| failures[0]);
        if count >= WANTED && answered.iter().all(|&count| count > 0) {
            return Ok(());
        }
        ensure!(
            Instant::now() < deadline,
            "{answered:?} of {n} were answered, {count} allocations of {service} failed"
        );
    }
    Ok(())
}
/// Clients from outside ask while the memory of `service` ends; what it says of that.
fn network(
    root: &Path,
    service: &str,
    change: impl FnOnce(&mut System),
    questions: impl FnOnce(&Running) -> Result<Vec<Question>>,
) -> Result<Vec<usize>> {
    let image = built(root, service)?;
    let system = Running::start(root, "network", files(), None, |system| {
        change(system);
        replace(system, service, &image);
    })?;
    until_answered(&system, "/")?;
    asked(&system, service, &questions(&system)?).with_context(|| system.last_said())?;
    until_answered(&system, "/")?;
    let said = system.said().replace('\r', "");
    nobody_ended(&said)?;
    failures(&said, service)
}
/// What an HTTP server for files is asked.
fn for_files(_: &Running) -> Result<Vec<Question>> {
    let is_index = |body: &[u8]| body == INDEX;
    Ok(vec![
        Question::new("/", "", 200, is_index),
        Question::new("/data/long", "", 200, |body| body == long()),
        Question::new("/nothing", "", 404, |_| true),
        Question::new("/index.html", &format!("X-Long: {}\r\n", "x".repeat(7000)), 200, is_index),
    ])
}
pub fn internet(root: &Path) -> Result<()> {
    network(root, "internet", |_| {}, for_files).map(drop)
}
pub fn http(root: &Path) -> Result<()> {
    reserve_is_enough(&network(root, "http", |_| {}, for_files)?)
}
/// The same by TLS, where clients are curl's.
pub fn https(root: &Path) -> Result<()> {
    let image = built(root, "https")?;
    let system = tls::secured(root, tls::KEY, |system| replace(system, "https", &image))?;
    let certificate = root.join(tls::CERTIFICATE).display().to_string();
    let curl = tls::Curl { certificate, system: &system };
    curl.until_answered()?;
    let deadline = Instant::now() + PATIENCE;
    let mut answered = [0; 3];
    let said = || system.said().replace('\r', "");
    for n in 0.. {
        let (path, right) = [("/", INDEX.to_vec()), ("/data/long", long()), ("/nothing", Vec::new())][n % 3].clone();
        // A connection for which there is no memory ends without an answer, or with 503.
        if let Ok(answer) = curl.get(path, &["-f"]) {
            ensure!(answer == right, "{path}: {} other bytes", answer.len());
            answered[n % 3] += 1;
        } else if path == "/nothing" {
            answered[n % 3] += 1;
        }
        let numbers = failures(&said(), "https").unwrap_or_default();
        if numbers.first().is_some_and(|&count| count >= WANTED)
            && numbers.get(2) > Some(&0)
            && answered.iter().all(|&n| n > 0)
        {
            break;
        }
        ensure!(Instant::now() < deadline, "{answered:?} of {n} were answered: {numbers:?}\n{}", system.last_said());
    }
    curl.until_answered()?;
    nobody_ended(&said())?;
    reserve_is_enough(&failures(&said(), "https")?)
}
/// Who has the token asks for everything that the web console shows.
pub fn webconsole(root: &Path) -> Result<()> {
    let alone_at_its_port = |system: &mut System| {
        system.components.retain(|component| component.name != "http");
        let console = system.components.iter_mut().find(|component| component.name == "webconsole");
        let console = console.expect("the system has it");
        console.arguments = vec!["port=80".into()];
        console.opens.push("internet.listen.tcp.80".into());
    };
    let for_a_console = |system: &Running| {
        let line = system.until_said(0, |line| line.contains("its token is "))?;
        let token = line.rsplit(' ').next().unwrap_or_default().trim();
        let known = format!("Authorization: Bearer {token}\r\n");
        let names_itself = |body: &[u8]| String::from_utf8_lossy(body).contains("\"name\":\"webconsole\"");
        Ok(vec![
            Question::new("/api/state", &known, 200, names_itself),
            Question::new("/api/log", &known, 200, |_| true),
            Question::new("/api/files/www/data/long", &known, 200, |body| body == &long()[..64 << 10]),
            Question::new("/api/files/www", &known, 200, |body| String::from_utf8_lossy(body).contains("index.html")),
            Question::new("/api/state", "", 401, |_| true),
            Question::new("/console.js", "", 200, |body| body.len() > 10_000),
        ])
    };
    reserve_is_enough(&network(root, "webconsole", alone_at_its_port, for_a_console)?)
}
