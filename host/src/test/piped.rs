//! `./pebble run` and `./pebble exec` between pipes: the tool itself is run.

use super::{Job, Own, Wanted};
use crate::child::end_with_us;
use crate::connection::Connection;
use crate::exec::Options;
use crate::qemu::Console;
use crate::{copying, exec, qemu, system};
use anyhow::{Context, Result, bail};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const SYSTEM: &str = "piped";

/// How long a system may take to boot, answer and halt.
const PATIENCE: Duration = Duration::from_secs(60);

/// Name, what is in the pipe, and parts of what must come out, in this order. The machine must halt by itself.
const TESTS: &[(&str, &str, &[&str])] = &[
    ("the_first_byte_arrives", "help\n", &["pebble> help\n", "this list", "stops the machine"]),
    ("the_end_of_input_halts_the_machine", "", &["lists the commands"]),
    ("a_last_line_without_an_end_is_executed", "echo one\necho two", &["\none\n", "\ntwo\n"]),
    ("the_end_lasts_for_the_shell_after_a_program_that_read_one", "run lines\nx\n", &["read: x\n", "end of input\n"]),
];

/// Bytes that are copied through the machine: more than wait anywhere, and each value of a byte.
const BYTES: usize = 200_000;
const MANY: u64 = 16 << 20;

/// A program that copies its input loses nothing of it, though it starts late; what it says of it comes out apart.
fn copies(root: &Path) -> Result<()> {
    copying::copy(root, MANY, 1, 1)
}
/// The same by the serial port, which is for machines that have no other.
fn copies_by_the_serial_port(root: &Path) -> Result<()> {
    let input: Vec<u8> = (0..BYTES as u32).map(|n| (n.wrapping_mul(2654435761) >> 24) as u8).collect();
    let options = Options {
        system: "exec".into(),
        memory: 128,
        timeout: Some(120.0),
        file_name: root.join(copying::PROGRAM),
        ..Options::default()
    };
    let image = exec::program_image(root, &options, Connection::Serial)?;
    let heard = qemu::run(&image, &exec::machine(&options)?, Console::Captured(Some(input.clone())))?.heard;
    let (said, errors) = (heard.output, String::from_utf8_lossy(&heard.errors));
    if let Some(at) = (0..input.len().max(said.len())).find(|&at| input.get(at) != said.get(at)) {
        bail!("{} bytes came out of {}, different from {at} on", said.len(), input.len());
    }
    if errors != format!("{BYTES} bytes\n") {
        bail!("standard error:\n{errors}");
    }
    Ok(())
}
/// Samples are taken in all domains, and each has the calls that led there, through portals too.
fn profiles(root: &Path) -> Result<()> {
    const PROGRAM: &str = "tests/target/components/busy.c";
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("stacks");
    let to = file.to_str().context("the path")?;
    let (_, errors, status) = exec(root, &["--profile", to, PROGRAM], Vec::new(), usize::MAX)?;
    let stacks = std::fs::read_to_string(&file)?;
    let has = |parts: &[&str]| {
        stacks.lines().any(|stack| {
            let mut rest = stack;
            parts.iter().all(|part| rest.find(part).map(|at| rest = &rest[at + part.len()..]).is_some())
        })
    };
    let wanted: [&[&str]; 3] =
        [&["busy;", "main;", "outer;", "inner "], &["busy;", "main;", ";files;"], &["portal code "]];
    match wanted.iter().find(|parts| !has(parts)) {
        None if status == Some(0) => Ok(()),
        None => bail!("status {status:?}: {errors}"),
        Some(parts) => bail!("no sample has {parts:?}, status {status:?}: {errors}\n{stacks}"),
    }
}
/// `--calls` shows what a program calls on standard error, and changes nothing else: its arguments, output and status are what they are.
fn shows_calls(root: &Path) -> Result<()> {
    let words = ["--calls", "files.o*", "tests/target/components/arguments.c", "one", "two words", "it's"];
    let (said, errors, status) = exec(root, &words, Vec::new(), usize::MAX)?;
    let said = String::from_utf8_lossy(&said);
    if said != "one\ntwo words\nit's\n" || status != Some(3) {
        bail!("status {status:?}: {said}{errors}");
    }
    if !errors.contains("arguments (")
        || !errors.contains(": files.open(path: \"t\", flags: ")
        || errors.contains("files.status")
    {
        bail!("the calls are told so: {errors}");
    }
    Ok(())
}
/// Domains that end while they wait for the console, because nobody takes what they write or nothing is there to read, do not keep
/// others from it.
fn kills(root: &Path) -> Result<()> {
    let mut child = tool(root, &["tests/target/components/killed_at_the_console.c"])?;
    let mut to = child.stdin.take().context("no input")?;
    let mut from = child.stdout.take().context("no output")?;
    let mut errors = BufReader::new(child.stderr.take().context("no errors")?);
    // Long enough for the writer to fill everything and to be killed.
    std::thread::sleep(Duration::from_secs(3));
    let reader = std::thread::spawn(move || {
        let mut said = Vec::new();
        from.read_to_end(&mut said).map(|_| said)
    });
    let mut line = String::new();
    while line != "ready\n" {
        line.clear();
        if errors.read_line(&mut line)? == 0 {
            bail!("it was never ready");
        }
    }
    to.write_all(b"the line")?;
    let status = child.wait()?;
    let said = reader.join().unwrap_or_else(|_| Ok(Vec::new()))?;
    if !said.ends_with(b"x\nthe line") || !status.success() {
        bail!("{status}, {} bytes, which end with {:?}", said.len(), said.last_chunk::<16>());
    }
    Ok(())
}
/// A program that waits with `poll` is told when input comes, when it ends, and when nobody takes its output any more.
fn polls(root: &Path) -> Result<()> {
    const PROGRAM: &str = "tests/target/components/polls.c";
    let mut child = tool(root, &[PROGRAM])?;
    let mut to = child.stdin.take().context("no input")?;
    let mut from = BufReader::new(child.stdout.take().context("no output")?);
    let mut hear = |wanted: &str| -> Result<()> {
        let mut line = String::new();
        from.read_line(&mut line)?;
        if line == wanted { Ok(()) } else { bail!("{line:?}, not {wanted:?}") }
    };
    hear("nothing yet\n")?;
    for line in ["one\n", "and two\n"] {
        to.write_all(line.as_bytes())?;
        hear(&format!("came: {line}"))?;
    }
    drop(to);
    hear("ended\n")?;
    let status = child.wait()?;
    if !status.success() {
        bail!("{status}");
    }
    let (_, errors, status) = exec(root, &[PROGRAM, "output"], Vec::new(), 2)?;
    if !errors.contains("broken") || status != Some(0) {
        bail!("status {status:?}, standard error:\n{errors}");
    }
    Ok(())
}
/// Whatever is started again while its input is piped in, by a shell that reads it, the shell has each line once, in order; and a status.
fn restarts(root: &Path) -> Result<()> {
    const LINES: usize = 40;
    const NAMES: [&str; 6] = ["console", "files", "clock", "capabilities", "shell", "console"];
    let mut input = String::new();
    for (n, name) in NAMES.iter().enumerate() {
        let lines = (n * LINES..(n + 1) * LINES).map(|line| format!("echo line {line} of many that are waiting\n"));
        input.extend(lines);
        input += &format!("restart {name}\n");
    }
    let mut pieces = [input.as_bytes(), b"exit 7"].into_iter();
    let (said, status) = converse(root, |_| pieces.next())?;
    let heard: Vec<&str> = said.lines().filter_map(|line| line.strip_prefix("line ")).collect();
    let wanted = (0..NAMES.len() * LINES).map(|line| format!("{line} of many that are waiting"));
    match wanted.zip(heard.iter().copied().chain(std::iter::repeat("nothing"))).find(|(wanted, heard)| wanted != heard)
    {
        Some((wanted, heard)) => bail!("\"{heard}\" came for \"{wanted}\", status {status:?}:\n{said}"),
        None if heard.len() == NAMES.len() * LINES && status == Some(7) => Ok(()),
        None => bail!("{} lines, status {status:?}:\n{said}", heard.len()),
    }
}
/// The same for programs, in C and in Rust, in the middle of whose input the console dies: bytes of all values, which come slowly.
fn restarts_of_readers(root: &Path) -> Result<()> {
    const PIECE: usize = 3000;
    /// Pieces that come when the console has been started again.
    const LATER: usize = 20;
    let piece: Vec<u8> = (0..PIECE).map(|n| (n * 7 + n / 256) as u8).collect();
    for reader in ["copy > out; wc -c out", "wc -c"] {
        let commands = format!("sleep 0.2 && kill console &\n{reader}\n");
        let (mut sent, mut later) = (0, 0);
        let (said, status) = converse(root, |said| {
            sent += 1;
            later += said.contains("starting console again") as usize;
            if sent == 1 { Some(commands.as_bytes()) } else { (later <= LATER).then_some(&piece[..]) }
        })?;
        // The commands, and the end.
        let count = (PIECE * (sent - 2)).to_string();
        if !said.contains(&format!("\n{count}")) || status != Some(0) {
            bail!("{reader}: status {status:?}, no \"{count}\":\n{said}");
        }
    }
    Ok(())
}
/// Where the console is not started again, the machine stops, rather than waits for what nobody can say.
fn stops(root: &Path) -> Result<()> {
    let kills = b"kill console\n".repeat(6);
    let mut pieces = [&kills[..], b"halt\n"].into_iter();
    let (said, status) = converse(root, |_| pieces.next())?;
    if status == Some(1) { Ok(()) } else { bail!("status {status:?}:\n{said}") }
}
/// Pipes to the shell what `next` gives, which sees what came out so far, with a moment between two pieces; all that came out, and the status.
fn converse<'a>(root: &Path, mut next: impl FnMut(&str) -> Option<&'a [u8]>) -> Result<(String, Option<i32>)> {
    exec::make_image(root, &system::load(root, SYSTEM)?, Vec::new())?;
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["run", SYSTEM]).env("PEBBLE_ROOT", root).current_dir(root);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    end_with_us(&mut command);
    let mut child = command.spawn()?;
    let (mut from, mut to) = (child.stdout.take().context("no output")?, child.stdin.take().context("no input")?);
    let heard = Arc::new(Mutex::new(Vec::new()));
    let text = |heard: &Mutex<Vec<u8>>| -> String {
        String::from_utf8_lossy(&heard.lock().unwrap_or_else(|e| e.into_inner())).replace('\r', "")
    };
    let keeps = heard.clone();
    let reader = std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(count @ 1..) = from.read(&mut buffer) {
            keeps.lock().unwrap_or_else(|e| e.into_inner()).extend_from_slice(&buffer[..count]);
        }
    });
    let end = Instant::now() + PATIENCE;
    while Instant::now() < end
        && let Some(piece) = next(&text(&heard))
    {
        // Where nobody takes it, too little comes out.
        let _ = to.write_all(piece);
        std::thread::sleep(Duration::from_millis(20));
    }
    drop(to);
    let status = until_end(&mut child)?;
    let _ = reader.join();
    Ok((text(&heard), status.and_then(|status| status.code())))
}
/// Waits until the tool has ended; `None`: it runs on, and is ended.
fn until_end(child: &mut Child) -> Result<Option<std::process::ExitStatus>> {
    let end = Instant::now() + PATIENCE;
    loop {
        match child.try_wait()? {
            None if Instant::now() < end => std::thread::sleep(Duration::from_millis(20)),
            None => {
                child.kill()?;
                child.wait()?;
                return Ok(None);
            }
            status => return Ok(status),
        }
    }
}
/// A program whose output nobody takes any more is told.
fn breaks(root: &Path) -> Result<()> {
    let input = b"a line of many\n".repeat(1 << 14);
    let (_, errors, status) = exec(root, &["tests/target/components/copy.c"], input, 100)?;
    if !errors.contains("Broken pipe") || status != Some(1) {
        bail!("status {status:?}, standard error:\n{errors}");
    }
    Ok(())
}
/// Who goes on writing all the same is ended by `SIGPIPE`, or handles it.
fn ends(root: &Path) -> Result<()> {
    const PROGRAM: &str = "tests/target/components/yes.c";
    let runs: [(&[&str], i32); 3] = [(&[PROGRAM], 141), (&[PROGRAM, "h"], 13), (&["--isolation", "sfi", PROGRAM], 141)];
    for (arguments, wanted) in runs {
        let (said, errors, status) = exec(root, arguments, Vec::new(), 100)?;
        if said.len() != 100 || status != Some(wanted) {
            bail!("{arguments:?}: status {status:?}, standard error:\n{errors}");
        }
    }
    Ok(())
}
/// A fault's report says where in the source it was, in C and, inlined functions included, in Rust; and in C in a fault domain.
fn places(root: &Path) -> Result<()> {
    const MATCHED: [&str; 3] = ["--isolation", "sfi", "--matching"];
    const PLACES: [(&[&str], &str, &str); 3] = [
        (&[], "fault_null_pointer.c", " (main at tests/target/fault_null_pointer.c:6)\n"),
        (&[], "fault_panic.rs", ", in pebble::panic_on_console at lib/pebble/src/lib.rs:"),
        (
            &MATCHED,
            "sfi_matching_names_the_store.c",
            "of its program, store+0xc at tests/target/sfi_matching_names_the_store.c:12)\n",
        ),
    ];
    for (options, file, place) in PLACES {
        let path = format!("tests/target/{file}");
        let words = [options, &[&path]].concat();
        let (_, errors, status) = exec(root, &words, Vec::new(), usize::MAX)?;
        if status != Some(crate::exec::FAULTED.into()) || !errors.contains(place) {
            bail!("{file}: status {status:?}, no \"{}\" in:\n{errors}", place.escape_default());
        }
    }
    Ok(())
}
/// The tool that runs a program, between pipes.
fn tool(root: &Path, arguments: &[&str]) -> Result<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["exec", "--timeout", "120"]).args(arguments).env("PEBBLE_ROOT", root);
    command.current_dir(root).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    end_with_us(&mut command);
    Ok(command.spawn()?)
}
/// Runs a program with all of `input`, and takes at most `most` bytes of its output; that, its standard error, its status.
fn exec(root: &Path, arguments: &[&str], input: Vec<u8>, most: usize) -> Result<(Vec<u8>, String, Option<i32>)> {
    let mut child = tool(root, arguments)?;
    let mut to = child.stdin.take().context("no input")?;
    // It ends when all is written, or when nobody takes it any more.
    let feeder = std::thread::spawn(move || drop(to.write_all(&input)));
    let mut said = Vec::new();
    let mut from = child.stdout.take().context("no output")?;
    while said.len() < most {
        let mut buffer = vec![0; 65536.min(most - said.len())];
        match from.read(&mut buffer)? {
            0 => break,
            count => said.extend_from_slice(&buffer[..count]),
        }
    }
    drop(from);
    let outcome = child.wait_with_output()?;
    let _ = feeder.join();
    Ok((said, String::from_utf8_lossy(&outcome.stderr).into_owned(), outcome.status.code()))
}

const OWN: &[Own] = &[
    ("redirections_lead_to_files_of_the_disk_and_from_there", redirects_to_the_disk),
    ("whatever_is_restarted_each_line_is_executed_once", restarts),
    ("a_console_that_dies_loses_nothing_of_a_program_s_input", restarts_of_readers),
    ("without_a_console_the_machine_stops", stops),
    ("a_profile_has_the_stacks_of_all_domains", profiles),
    ("calls_of_portals_are_shown_beside_the_program", shows_calls),
    ("sixteen_megabytes_come_out_as_they_went_in", copies),
    ("every_byte_of_standard_input_arrives_by_the_serial_port", copies_by_the_serial_port),
    ("who_is_killed_at_the_console_keeps_nobody_from_it", kills),
    ("poll_waits_for_standard_input_its_end_and_a_broken_output", polls),
    ("a_fault_is_told_with_function_file_and_line", places),
    ("who_writes_on_though_nobody_takes_it_is_ended", ends),
    ("a_program_is_told_that_nobody_takes_its_output", breaks),
];

pub fn jobs<'a>(root: &'a Path, wanted: Wanted) -> Vec<Job<'a>> {
    let named = TESTS.iter().map(|(name, input, parts)| (format!("piped::{name}"), input, parts));
    let named = named.filter(|(name, ..)| wanted(name));
    let mut jobs: Vec<Job> =
        named.map(|(name, input, parts)| Job::of(name, move || pipe(root, input, parts))).collect();
    jobs.extend(super::own("piped", OWN, root, wanted));
    jobs
}
/// Redirections lead to files of the disk and from there, both sides at once; what can not be is said with the file's name.
fn redirects_to_the_disk(root: &Path) -> Result<()> {
    const LINES: usize = 3000;
    let folder = tempfile::tempdir()?;
    let (disk, text) = (folder.path().join("disk"), folder.path().join("text"));
    crate::disk::create(&disk, 32)?;
    std::fs::write(&text, "eight by\n".repeat(LINES))?;
    let name = |path: &Path| path.to_str().map(String::from).context("the path");
    let file = format!("{}:text", name(&text)?);
    let input = "cat text > disk/a; wc disk/a\nwc < disk/a; time cat < disk/a | wc\necho one >> disk/a; tail -n 1 disk/a\n\
        sort < disk/a > disk/b; wc disk/b\nwc < disk/none\ncat text > disk/none/a; echo status $?\n\
        echo cat text > disk/s; . disk/s | wc\ncat nothing &> disk/e; cat disk/e\n";
    let counted = format!("{LINES}    {}   {}", 2 * LINES, 9 * LINES);
    let sorted = format!("{}    {}   {} disk/b", LINES + 1, 2 * LINES + 1, 9 * LINES + 4);
    let from_disk = format!("{counted} disk/a");
    let parts: [&str; 8] =
        [&from_disk, &counted, &counted, "\none\n", &sorted, "status 1\n", &counted, "cat: nothing: no such name\n"];
    pipe_with(root, &["network", "--disk", &name(&disk)?, "--file", &file], input, &parts)
}
fn pipe(root: &Path, input: &str, parts: &[&str]) -> Result<()> {
    pipe_with(root, &[SYSTEM], input, parts)
}
/// Runs the tool with `words`, whose first is the system, and looks for `parts` in what it prints, which has nothing in it that is for a terminal.
fn pipe_with(root: &Path, words: &[&str], input: &str, parts: &[&str]) -> Result<()> {
    // Built here, so that the time that this takes does not count.
    exec::make_image(root, &system::load(root, words[0])?, Vec::new())?;
    let mut command = Command::new(std::env::current_exe()?);
    command
        .arg("run")
        .args(words)
        .env("PEBBLE_ROOT", root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    end_with_us(&mut command);
    let mut child = command.spawn()?;
    let mut from = child.stdout.take().context("no output")?;
    child.stdin.take().context("no input")?.write_all(input.as_bytes())?;
    let reader = std::thread::spawn(move || {
        let mut said = Vec::new();
        from.read_to_end(&mut said).map(|_| String::from_utf8_lossy(&said).replace('\r', ""))
    });
    let status = until_end(&mut child)?;
    let said = reader.join().unwrap_or_else(|_| Ok(String::new()))?;
    if said.contains('\x1b') {
        bail!("an escape sequence, and no terminal:\n{}", said.escape_debug());
    }
    let mut rest = said.as_str();
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else { bail!("no \"{}\" in:\n{said}", part.escape_default()) };
        rest = after;
    }
    match status {
        Some(status) if status.success() => Ok(()),
        Some(status) => bail!("{status}:\n{said}"),
        None => bail!("the machine ran on:\n{said}"),
    }
}
