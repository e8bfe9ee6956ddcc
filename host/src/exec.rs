//! `./pebble run` and `./pebble exec`.

use crate::build::{self, Recipe, Source};
use crate::connection::Connection;
use crate::core_file::Core;
use crate::debug::Session;
use crate::foreign::Foreign;
pub use crate::options::{Isolation, On, Options, form};
use crate::profile::Profile;
use crate::qemu::{Console, Machine, Outcome};
use crate::{calls, devices, extension, fault_domain, places, qemu, rtl, strict_machine, system, terminal, update};
use anyhow::{Context, Result, bail};
use image::{Image, Parts};
use manifest::System;
use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// Exit codes of `exec` that are not the program's.
pub const BREACH: u8 = 123;
pub const TIMED_OUT: u8 = 124;
pub const NOT_BOOTED: u8 = 125;
pub const FAULTED: u8 = 126;
/// As of a program that writes to a pipe that nobody reads: 128 and the number of `SIGPIPE`.
pub const BROKEN: u8 = 141;
/// As of a program that `SIGINT` ended, and `SIGQUIT`.
pub const INTERRUPTED: u8 = 130;
pub const QUIT: u8 = 131;

/// What the program's file is called for a host of its own.
const HOSTED: &str = "program.fault-domain";

/// Builds the image of a system.
pub fn make_image(root: &Path, system: &System, mut files: Vec<(String, Vec<u8>)>) -> Result<Image> {
    files.extend(extension::files(root, system, &files)?);
    let (nucleus, programs) = build::build(root, &build::sources(&system.components))?;
    files.extend(update::files(root, system, &nucleus, &files)?);
    lay_out(system, &nucleus, programs, files)
}
fn lay_out(system: &System, nucleus: &[u8], programs: build::Programs, files: Vec<(String, Vec<u8>)>) -> Result<Image> {
    let parts = Parts { system, nucleus, programs, files, sstc: true, cycles_per_time: 0, ram_bytes: 0 };
    Ok(image::build(&parts)?)
}

/// How a system is looked at while it runs.
pub struct Watched<'a> {
    pub gdb: bool,
    pub profile: Option<&'a Path>,
    pub core: Option<&'a Path>,
}
/// Gives every shell of a system an argument more.
fn tell_shells(system: &mut manifest::System, argument: &str) {
    let shells = system.components.iter_mut().filter(|component| component.image == "shell");
    shells.for_each(|shell| shell.arguments.push(argument.into()));
}
/// Boots a system with its console on this terminal, or on standard input and output where input comes from elsewhere: the end
/// of it halts a system with a shell.
pub fn run(
    root: &Path,
    name: &str,
    watched: &Watched,
    file: &[String],
    devices: &devices::Devices,
    megabytes: usize,
) -> Result<ExitCode> {
    devices.check()?;
    let megabytes = memory(megabytes)?;
    let mut system = system::load(root, name)?;
    let typed = std::io::stdin().is_terminal();
    if !typed {
        Connection::Port.make(&mut system);
        tell_shells(&mut system, "end-halts");
    }
    if !std::io::stdout().is_terminal() {
        tell_shells(&mut system, "plain");
    }
    let forwards = devices.forwards()?;
    devices::tell_outside(&mut system, &forwards);
    let (nucleus, programs) = build::build(root, &build::sources(&system.components))?;
    system::check(root, name, &programs)?;
    let profile = watched.profile.map(|to| Profile::of(to, &nucleus, &programs, None).map(Arc::new)).transpose()?;
    let core = watched.core.map(|to| Core::of(to, &nucleus, &programs, None).map(Arc::new)).transpose()?;
    let mut files = files(file)?;
    files.extend(extension::files(root, &system, &files)?);
    files.extend(update::files(root, &system, &nucleus, &files)?);
    let image = lay_out(&system, &nucleus, programs, files)?;
    let extra = devices.arguments(&system.components, &forwards);
    let _settings = terminal::Settings::keep();
    let console = if typed { Console::Terminal } else { Console::Streams };
    let debug = watched.gdb.then(|| Session::of(root, &build::sources(&system.components))).transpose()?;
    let outcome = qemu::run(
        &image,
        &Machine { megabytes, debug, core, profile, extra, port: devices::has_port(&system), ..Machine::default() },
        console,
    )?;
    Ok(report(outcome, false))
}

/// A system around a program with all that it is made of, from which images are laid out.
pub struct Built {
    system: System,
    nucleus: Vec<u8>,
    programs: build::Programs,
    files: Vec<(String, Vec<u8>)>,
    on: On,
    /// The program is a file for the main component, which hosts it, and is named to that one.
    hosted: bool,
    /// The pattern of what is traced, and the program's name.
    calls: Option<(String, String)>,
}
impl Built {
    /// With these files, too.
    pub fn with_files(mut self, files: Vec<(String, Vec<u8>)>) -> Built {
        self.files.extend(files);
        self
    }
    /// The image whose program has these arguments.
    pub fn image(&self, arguments: &[String]) -> Result<Image> {
        let mut system = self.system.clone();
        let file = self.hosted.then(|| HOSTED.to_string());
        let all: Vec<String> = file.into_iter().chain(arguments.iter().cloned()).collect();
        let all = match &self.calls {
            Some((pattern, program)) => calls::arguments(pattern, program, &all)?,
            None => all,
        };
        system.components.iter_mut().filter(|c| c.main).for_each(|c| c.arguments = all.clone());
        let parts = Parts {
            system: &system,
            nucleus: &self.nucleus,
            programs: self.programs.clone(),
            files: self.files.clone(),
            sstc: self.on.sstc(),
            cycles_per_time: self.on.cycles_per_time(),
            ram_bytes: 0,
        };
        Ok(image::build(&parts)?)
    }
    /// The program's ELF file, wherever it is.
    pub fn main_program(&self) -> Option<&[u8]> {
        let file = self.files.iter().find(|(name, _)| name == HOSTED).filter(|_| self.hosted);
        file.map(|(_, bytes)| bytes.as_slice()).or_else(|| self.program("program"))
    }
    /// The ELF file of a component of the system.
    pub fn program(&self, name: &str) -> Option<&[u8]> {
        self.programs.get(name).map(Vec::as_slice)
    }
    /// The ELF file of the component with this name, or of one whose image is called so, which another has started.
    fn program_of(&self, name: &str) -> Option<&[u8]> {
        let component = self.system.components.iter().find(|component| component.name == name);
        self.program(component.map_or(name, |component| &component.image))
    }
}
/// The image of the system that `exec` runs a program in.
pub fn program_image(root: &Path, options: &Options, connection: Connection) -> Result<Image> {
    build_program(root, options, connection)?.image(&options.arguments)
}
/// Builds the system that `exec` runs a program in.
pub fn build_program(root: &Path, options: &Options, connection: Connection) -> Result<Built> {
    let mut source = options.source()?;
    // The sources in the block of the system's program are the program's, whichever it is.
    let system = system::load(root, options.system())?;
    if let Some(block) = system.components.iter().find(|c| c.main) {
        source.recipe.add(Recipe::of(block).from(root));
    }
    build_program_of(root, options, source, connection)
}
/// The same of a program that is made of `source`.
pub fn build_program_of(root: &Path, options: &Options, mut source: Source, connection: Connection) -> Result<Built> {
    let mut system = system::load(root, options.system())?;
    connection.make(&mut system);
    let mut files = files(&options.file)?;
    files.extend(extension::files(root, &system, &files)?);
    let Some(program) = system.components.iter_mut().find(|c| c.main) else {
        bail!("system \"{}\" has no component with `main = true` for the program", options.system());
    };
    program.image = "program".into();
    let own = options.program_name();
    let other = std::mem::replace(&mut program.name, own.clone());
    let hosted = options.host.is_some();
    match (options.isolation, &options.host) {
        (Isolation::Sfi, Some(host)) => {
            let sandbox = options.sandbox();
            let program = fault_domain::build(root, &source, &sandbox.options())?;
            files.push((HOSTED.into(), image::loaded_part(&program).to_vec()));
            source = host.as_str().into();
        }
        (Isolation::Sfi, None) => {
            if let Some((key, why)) = system::why_no_fault_domain(program) {
                bail!("--isolation sfi: the program's block in system \"{}\" has {key}: {why}", options.system());
            }
            program.isolation = manifest::Isolation::Sfi;
            (program.loads, program.matching, program.form) = (options.loads, options.matching, options.form);
            source.sandbox = build::Sandbox::of(program);
        }
        (Isolation::Supervisor, None) if options.sandbox() == build::Sandbox::default() => {
            if let Some((key, why)) = system::why_not_in_supervisor_mode(program) {
                bail!(
                    "--isolation supervisor: the program's block in system \"{}\" has {key}: {why}",
                    options.system()
                );
            }
            program.isolation = manifest::Isolation::Supervisor;
        }
        (Isolation::Domain, None) if options.sandbox() == build::Sandbox::default() => {}
        (Isolation::Domain | Isolation::Supervisor, _) => {
            bail!("--loads, --matching, --form, --host: they are for --isolation sfi")
        }
    }
    system.components.iter_mut().filter(|c| c.task == other).for_each(|c| c.task = own.clone());
    if let Some(pattern) = &options.calls {
        calls::trace(root, &mut system, pattern, &own)?;
    }
    let mut sources = build::sources(&system.components);
    sources.insert("program".into(), source);
    let (nucleus, programs) = build::build(root, &sources)?;
    system::check(root, options.system(), &programs)?;
    files.extend(update::files(root, &system, &nucleus, &files)?);
    let calls = options.calls.clone().map(|pattern| (pattern, own));
    Ok(Built { system, nucleus, programs, files, on: options.on, hosted, calls })
}
/// The files that `--file HOST:GUEST` names, by their names in the system.
fn files(pairs: &[String]) -> Result<Vec<(String, Vec<u8>)>> {
    let read = |pair: &String| {
        let (host, guest) = pair.split_once(':').with_context(|| format!("--file {pair}: it is HOST:GUEST"))?;
        if guest.is_empty() || guest.len() >= abi::nucleus::NAMELEN || !guest.bytes().all(|b| b.is_ascii_graphic()) {
            bail!("--file {pair}: a name in the system is 1 to 63 printable characters");
        }
        if guest.ends_with('/') || guest.split('/').any(|name| name == "..") {
            bail!("--file {pair}: a name in the system does not end in / and has no ..");
        }
        let bytes = std::fs::read(host).with_context(|| format!("--file {pair}: {host}"))?;
        Ok((guest.to_string(), bytes))
    };
    pairs.iter().map(read).collect()
}
/// What `--memory` says, in MiB.
fn memory(megabytes: usize) -> Result<usize> {
    if !(32..=1024).contains(&megabytes) {
        bail!("--memory {megabytes}: it is between 32 and 1024 MiB");
    }
    Ok(megabytes)
}
/// The machine that `options` ask for.
pub fn machine(options: &Options) -> Result<Machine> {
    let timeout = match options.timeout {
        Some(seconds) if seconds.is_finite() && seconds > 0.0 => Some(Duration::from_secs_f64(seconds)),
        Some(seconds) => bail!("--timeout {seconds}: it is a number of seconds above 0"),
        None => None,
    };
    let megabytes = memory(options.memory)?;
    let extra = options.icount.map_or(Vec::new(), |shift| vec!["-icount".into(), format!("shift={shift},sleep=off")]);
    Ok(Machine { megabytes, timeout, extra, ..Machine::default() })
}

/// What gdb is told of the program and of the system around it.
pub fn debug_session(root: &Path, options: &Options, connection: Connection) -> Result<Session> {
    if options.on != On::Qemu {
        bail!("--gdb: only QEMU waits for gdb");
    }
    let mut system = system::load(root, options.system())?;
    connection.make(&mut system);
    let mut sources = build::sources(system.components.iter().filter(|c| !c.main));
    sources.insert(options.program_name(), options.source()?);
    Session::of(root, &sources)
}
/// Runs a program in its own domain.
pub fn exec(root: &Path, options: &Options) -> Result<ExitCode> {
    let mut machine = machine(options)?;
    if options.masked.is_some() && options.on != On::Strict {
        bail!("--masked: only the strict machine says for how long interrupts are off");
    }
    if options.devices.any() && options.on != On::Qemu {
        bail!("--net, --disk: only QEMU's machine has a network card and a disk");
    }
    let typed = std::io::stdin().is_terminal();
    let connection = match options.on {
        _ if typed => Connection::Typed,
        On::Qemu => Connection::Port,
        On::Rtl | On::Strict => Connection::Serial,
    };
    let mut system = system::load(root, options.system())?;
    connection.make(&mut system);
    machine.port = devices::has_port(&system);
    options.devices.check()?;
    machine.extra.extend(options.devices.arguments(&system.components, &options.devices.forwards()?));
    let built = build_program(root, options, connection)?;
    let image = built.image(&options.arguments)?;
    watched(root, options, (&built, connection), &mut machine)?;
    let settings = terminal::Settings::keep();
    if typed && options.on == On::Qemu {
        settings.pass_interrupts_on();
    }
    let console = if typed { Console::Typed } else { Console::Streams };
    let mut outcome = run_on(root, options, (&image, &machine), console)?;
    let hosted = options.isolation == Isolation::Sfi;
    if let (Some(program), Some(log)) = (built.main_program().filter(|_| hosted), &mut outcome.log) {
        log.text = places::with_names(&log.text, program, &std::env::current_dir()?);
    }
    if let Some(log) = &mut outcome.log {
        log.text = places::with_places(&log.text, &std::env::current_dir()?, |name| built.program_of(name));
    }
    Ok(report(outcome, true))
}
/// Has `machine` watched as `options` say: by a profiler, for a core file, by gdb.
fn watched(
    root: &Path,
    options: &Options,
    (built, connection): (&Built, Connection),
    machine: &mut Machine,
) -> Result<()> {
    if let Some(to) = &options.profile {
        if options.on != On::Qemu {
            bail!("--profile: only of QEMU's machine are samples taken");
        }
        let main = options.program_name();
        machine.profile = Some(Arc::new(Profile::of(to, &built.nucleus, &built.programs, Some(&main))?));
    }
    if let Some(to) = &options.core_file {
        if options.on != On::Qemu {
            bail!("--core-file: only QEMU's machine is watched");
        }
        let main = options.program_name();
        machine.core = Some(Arc::new(Core::of(to, &built.nucleus, &built.programs, Some(&main))?));
    }
    if options.gdb {
        machine.debug = Some(debug_session(root, options, connection)?);
    }
    Ok(())
}
/// Boots an image on the machine that `options` say.
fn run_on(root: &Path, options: &Options, (image, machine): (&Image, &Machine), console: Console) -> Result<Outcome> {
    let outcome = match options.on {
        On::Qemu => qemu::run(image, machine, console)?,
        On::Rtl => {
            let core = rtl::Machine::read(root, &options.core)?;
            let model = rtl::build_model(root, &core)?;
            let cycles = machine.timeout.map_or(0, |time| (time.as_nanos() / rtl::NANOSECONDS_PER_CYCLE) as u64);
            let latencies = options.latency.unwrap_or(core.latencies[0]);
            let settings = rtl::Settings { latencies, timeout_cycles: cycles, trace: options.trace.clone() };
            rtl::run(&model, image, &settings, console)?
        }
        On::Strict => strict_machine::run(image, machine, strict_machine::settings(options.slices), console)?,
    };
    if let (Some(file), Some(masked)) = (&options.masked, &outcome.masked) {
        let list = strict_machine::list_masked(image, machine, strict_machine::settings(options.slices), masked)?;
        std::fs::write(file, list).with_context(|| file.display().to_string())?;
        eprintln!(
            "pebble: interrupts were off for at most {} instructions, which {} has",
            masked.instructions,
            file.display()
        );
    }
    Ok(outcome)
}

/// The exit code that an outcome stands for.
pub fn status(outcome: &Outcome, program: bool) -> u8 {
    use abi::system::ended;
    match &outcome.log {
        _ if outcome.breach.is_some() => BREACH,
        _ if outcome.timed_out => TIMED_OUT,
        _ if outcome.heard.interrupted => INTERRUPTED,
        _ if terminal::quit() => QUIT,
        _ if outcome.broken => BROKEN,
        Some(log) if log.booted => match log.ended {
            ended::EXIT => log.status as u8,
            ended::FAULT | ended::KILLED => FAULTED,
            _ if program => NOT_BOOTED,
            _ => 0,
        },
        _ => NOT_BOOTED,
    }
}
/// Says on standard error what the system log has, and what went wrong.
fn report(outcome: Outcome, program: bool) -> ExitCode {
    let status = status(&outcome, program);
    if let Some(log) = outcome.log.as_ref().filter(|_| program) {
        eprint!("{}", Foreign::lines(&log.text));
    }
    if let Some(breach) = &outcome.breach {
        eprintln!("pebble: {}", Foreign::lines(&breach.to_string()));
    }
    match status {
        TIMED_OUT if outcome.timed_out => eprintln!("pebble: the program was stopped when its time was over"),
        NOT_BOOTED if !outcome.log.as_ref().is_some_and(|l| l.booted) => {
            eprint!("{}", Foreign::lines(&String::from_utf8_lossy(&outcome.heard.firmware)));
            eprintln!("pebble: the system did not boot");
        }
        _ => {}
    }
    ExitCode::from(status)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(pair: &str) -> String {
        format!("{:#}", files(&[pair.to_string()]).unwrap_err())
    }
    #[test]
    fn only_the_strict_machine_counts_masked_instructions() {
        let options = Options { masked: Some("list".into()), ..Options::default() };
        let said = exec(Path::new("."), &Options { memory: 128, ..options }).unwrap_err().to_string();
        assert!(said.starts_with("--masked: only the strict machine"), "{said}");
    }
    #[test]
    fn a_file_of_the_host_is_read() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "text").unwrap();
        let read = files(&[format!("{}:data/a.txt", file.path().display())]).unwrap();
        assert_eq!(read, [("data/a.txt".to_string(), b"text".to_vec())]);
    }
    #[test]
    fn a_file_without_a_name_in_the_system_is_refused() {
        assert!(refused("/etc/hostname").contains("HOST:GUEST"));
        assert!(refused("/etc/hostname:").contains("1 to 63"));
    }
    #[test]
    fn a_name_in_the_system_that_is_too_long_or_not_printable_is_refused() {
        assert!(refused(&format!("/etc/hostname:{}", "x".repeat(64))).contains("1 to 63"));
        assert!(refused("/etc/hostname:a b").contains("1 to 63"));
    }
    #[test]
    fn a_name_in_the_system_that_is_a_directorys_or_has_two_points_is_refused() {
        assert!(refused("/etc/hostname:data/").contains("end in /"));
        assert!(refused("/etc/hostname:data/../a").contains("no .."));
    }
    #[test]
    fn a_file_that_the_host_does_not_have_is_refused() {
        assert!(refused("/nonexistent/x:a").contains("/nonexistent/x"));
    }
}
