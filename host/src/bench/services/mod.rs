//! `./pebble bench services`: what the disk, the network and HTTP cost the whole machine, in instructions, idle left out, every part in a
//! domain of its own. Programs in `apps/bench/services` are the servers and use the files; clients are on this machine.

mod clients;
mod counter;
mod linux;

use super::row::Row;
use crate::connection::Connection;
use crate::devices::{Devices, Forward};
use crate::exec::{self, Options};
use crate::qemu::{Guest, Machine};
use crate::{disk, extension, system};
use anyhow::{Context, Result, ensure};
use clients::Ports;
use counter::Counter;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{ChildStdout, Stdio};
use std::time::Duration;

/// The systems that are measured, by what their rows are called: with a domain for each part, and with all of them in supervisor mode.
const SYSTEMS: [(&str, &str); 2] = [("bench-services", "pebble"), ("bench-services-supervisor", "pebble-supervisor")];
/// The one with HTTPS, and who it says that it is.
const SECURED: &str = "secured";
const CERTIFICATE: &str = "tests/services/tls/certificate.pem";
const KEY: &str = "tests/services/tls/key.pem";
const RESPONDER: &str = "apps/bench/services/responder.rs";
/// The system with a linker, what its rows are called, its program, and the extension that this has linked in, by its path in the image.
const EXTENDED: (&str, &str) = ("bench-extended", "pebble-extension");
const LINKING: &str = "apps/bench/services/linking.rs";
const EXTENSION: &str = "apps/extensions/udp_echo.rs";
const LINKED: &str = "extension.ext";
const STORAGE: &str = "apps/bench/services/storage.rs";
/// The guest's ports: of datagrams, then of streams.
const UDP: u16 = 7;
const TCP: [u16; 4] = [8, 9, 10, 80];
/// What is HTTP's on every machine, by its name and size.
const FILES: [(&str, usize); 2] = [("www/1k", 1024), ("www/100k", 102_400)];
/// What the programs say when they have begun, and when all is over.
const READY: &str = "ready";
/// How long the operations on files may take.
const PATIENCE: Duration = Duration::from_secs(600);
/// MiB of the disk.
const DISK: u64 = 64;

/// The operations on files, by the numbers of their marks.
const STORED: &[(usize, &str)] = &[
    (10, "read 4 KiB cached, disk"),
    (11, "write 4 KiB cached, disk"),
    (12, "overwrite 4 KiB and sync, disk"),
    (14, "append 4 KiB and sync, disk"),
    (15, "create, close, unlink, disk"),
    (17, "read 4 KiB from the disk"),
    (20, "read 4 KiB, memory"),
    (21, "write 4 KiB, memory"),
    (22, "create, close, unlink, memory"),
];

/// All rows of Linux, in the same way: of HTTP, lighttpd's are Linux's, and nginx's stand beside them.
pub use linux::measure as measure_linux;

/// All rows of Pebble.
pub fn measure(root: &Path) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (system, called) in SYSTEMS {
        eprintln!("pebble: measuring services, system \"{system}\"");
        for (operation, value) in network(root, system)?.into_iter().chain(storage(root, system)?) {
            rows.push(row(operation, value, called));
        }
    }
    eprintln!("pebble: measuring services, system \"{}\"", EXTENDED.0);
    rows.extend(extended(root)?.into_iter().map(|(operation, value)| row(operation, value, EXTENDED.1)));
    eprintln!("pebble: measuring services, system \"{SECURED}\"");
    rows.extend(secured(root)?.into_iter().map(|(operation, value)| row(operation, value, SYSTEMS[0].1)));
    Ok(rows)
}
fn row(operation: &str, value: u64, system: &str) -> Row {
    Row {
        table: "services".into(),
        operation: operation.into(),
        measure: "machine".into(),
        value,
        unit: "instructions".into(),
        platform: Some("qemu".into()),
        system: system.into(),
        ..Row::default()
    }
}
/// What HTTP serves.
fn files() -> Vec<(String, Vec<u8>)> {
    let text = |bytes| b"0123456789abcde\n".iter().copied().cycle().take(bytes).collect();
    FILES.iter().map(|&(name, bytes)| (name.into(), text(bytes))).collect()
}
/// The card, with ports that lead to the guest's servers: those of streams as given.
fn card(streams: &[u16]) -> Devices {
    let net = streams.iter().map(|port| format!("tcp:0:{port}")).chain([format!("udp:0:{UDP}")]).collect();
    Devices { net, ..Devices::default() }
}
/// The ports of this machine that lead to the guest's, HTTP's that of one of its servers.
fn ports(forwards: &[Forward], http: u16) -> Ports {
    let host = |guest: u16| forwards.iter().find(|forward| forward.guest == guest).map_or(0, |forward| forward.host);
    let [tcp, sink, source, _] = TCP.map(host);
    Ports { udp: host(UDP), tcp, sink, source, http: host(http) }
}
/// Waits until a guest says that it is ready. What else it says is read with the guest's end.
fn until_ready(console: impl Read + Send + 'static) -> Result<()> {
    let mut lines = BufReader::new(console).lines();
    let mut said = String::new();
    loop {
        let line = lines.next().with_context(|| format!("it is not ready:\n{said}"))??;
        if line.contains(READY) {
            break;
        }
        said += &(line + "\n");
    }
    // It ends with the guest.
    std::thread::spawn(move || lines.for_each(drop));
    Ok(())
}
/// What each operation on files costs, by the marks of a guest that has done them.
fn stored(counter: &Counter, who: &str) -> Result<clients::Costs> {
    let marks = counter.marks()?;
    let mut costs = Vec::new();
    for &(number, operation) in STORED {
        let values: Vec<u64> = marks.iter().filter(|(mark, _)| *mark == number).map(|(_, value)| *value).collect();
        ensure!(!values.is_empty(), "{who} measured no \"{operation}\"");
        costs.push((operation, counter::median(values).context("no values")?));
    }
    Ok(costs)
}
/// Boots the system with a program; its console is for [`until_ready`].
fn boot(
    root: &Path,
    (system, program): (&str, &str),
    files: Vec<(String, Vec<u8>)>,
    devices: &Devices,
    counter: &Counter,
) -> Result<(Guest, ChildStdout, Ports)> {
    let options = Options { system: system.into(), file_name: root.join(program), ..Options::default() };
    let image = exec::build_program(root, &options, Connection::Typed)?.with_files(files).image(&[])?;
    let forwards = devices.forwards()?;
    let mut extra = devices.arguments(&system::load(root, system)?.components, &forwards);
    extra.extend(counter.arguments());
    let mut guest = Guest::start(&image, &Machine { extra, ..Machine::default() }, false, Stdio::null())?;
    let console = guest.stdout().context("the guest has no output")?;
    Ok((guest, console, ports(&forwards, TCP[3])))
}
fn network(root: &Path, system: &str) -> Result<clients::Costs> {
    let counter = Counter::new(root)?;
    let (_guest, console, ports) = boot(root, (system, RESPONDER), files(), &card(&TCP), &counter)?;
    let mut costs = vec![clients::first_answer(&counter, &ports).context(RESPONDER)?];
    until_ready(console).context(RESPONDER)?;
    costs.extend(clients::http(&counter, &ports)?);
    costs.extend(clients::packets(&counter, &ports)?);
    Ok(costs)
}
/// Datagrams that an extension of TCP/IP's sends back.
fn extended(root: &Path) -> Result<clients::Costs> {
    let counter = Counter::new(root)?;
    let file = extension::signed(root, &root.join(EXTENSION), &[])?;
    let (_guest, console, ports) =
        boot(root, (EXTENDED.0, LINKING), vec![(LINKED.into(), file)], &card(&[]), &counter)?;
    until_ready(console).context(LINKING)?;
    clients::echoes(&counter, &ports)
}
fn secured(root: &Path) -> Result<clients::Costs> {
    let mut files = files();
    for (name, path) in [("tls/certificate.pem", CERTIFICATE), ("tls/key.pem", KEY)] {
        files.push((name.into(), std::fs::read(root.join(path)).with_context(|| path.to_string())?));
    }
    let system = system::load(root, SECURED)?;
    let image = exec::make_image(root, &system, files)?;
    let devices = Devices { net: vec!["tcp:0:443".into()], ..Devices::default() };
    let forwards = devices.forwards()?;
    let counter = Counter::new(root)?;
    let mut extra = devices.arguments(&system.components, &forwards);
    extra.extend(counter.arguments());
    let _guest = Guest::start(&image, &Machine { extra, ..Machine::default() }, false, Stdio::null())?;
    clients::https(&counter, forwards[0].host, &root.join(CERTIFICATE))
}
fn storage(root: &Path, system: &str) -> Result<clients::Costs> {
    let counter = Counter::new(root)?;
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("disk");
    disk::create(&file, DISK)?;
    let (guest, console, _) =
        boot(root, (system, STORAGE), files(), &Devices { disk: Some(file), ..Devices::default() }, &counter)?;
    until_ready(console).context(STORAGE)?;
    guest.ended(PATIENCE)?;
    stored(&counter, STORAGE)
}
