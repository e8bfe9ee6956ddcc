//! The compiler, as the gatekeeper runs it: with fixed arguments and no environment, in a folder that has the extension's source and nothing else, within
//! bounds of memory, time and output. What it was made to do by a source it does not do beyond these: that is a refusal, as is its crash.

use crate::flags::FIXED;
use crate::sandbox::{self, Bounds};
use crate::sysroot::Toolchain;
use anyhow::{Context, Result, bail};
use std::fs::{self, File};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// What one run of the compiler may use. An honest extension of a thousand lines takes some seconds and 700 MiB of addresses, half of them the compiler's own code.
pub const BOUNDS: Bounds = Bounds { memory: 1 << 30, processor: 10, clock: 120, output: 64 << 20 };

/// The file of [`Crate::Program`].
pub const PROGRAM: &str = "program.rs";

/// How a run ended.
pub enum End {
    Well,
    /// It found errors, and its messages say which.
    Errors,
    /// It did not come to an end of its own.
    Refused(String),
}
pub struct Run {
    pub end: End,
    /// Its messages, a line of JSON each.
    pub messages: String,
    /// What it printed.
    pub output: String,
}

/// What is compiled in a workshop.
#[derive(Clone, Copy, Debug)]
pub enum Crate<'c> {
    /// What a stranger wrote: its file.
    Extension(&'c str),
    /// What an interface's declaration became.
    Interface(&'c str),
    /// Entries around the extension: what is linked.
    Program,
}
/// A folder with a copy of the source, for as long as it is looked at.
pub struct Workshop<'t> {
    toolchain: &'t Toolchain,
    folder: tempfile::TempDir,
    /// The interfaces that are compiled: crates that the next ones may name.
    given: Vec<String>,
}
impl<'t> Workshop<'t> {
    /// `files` by their names in the extension's folder.
    pub fn new(toolchain: &'t Toolchain, files: &[(String, String)]) -> Result<Workshop<'t>> {
        let folder = tempfile::Builder::new().prefix("extension").tempdir()?;
        let source = folder.path().join("source");
        for (name, text) in files {
            let path = source.join(name);
            fs::create_dir_all(path.parent().context("a file is in a folder")?)?;
            fs::write(&path, text).with_context(|| path.display().to_string())?;
        }
        Ok(Workshop { toolchain, folder, given: Vec::new() })
    }
    /// Writes a file of ours beside the source.
    pub fn write(&self, name: &str, text: &str) -> Result<()> {
        let path = self.path(name);
        fs::write(&path, text).with_context(|| path.display().to_string())
    }
    /// Compiles an interface, which whatever is compiled from then on may name.
    pub fn give(&mut self, interface: &exports::Interface) -> Result<()> {
        let name = &interface.name;
        self.write(&format!("{name}.rs"), &interface.crate_source())?;
        let library = self.library(name);
        let run = self.run(Crate::Interface(name), &["--emit=link", "-o", &library.to_string_lossy()])?;
        if !matches!(run.end, End::Well) {
            bail!("what the interface {name} becomes can not be compiled: {}", run.messages);
        }
        self.given.push(name.clone());
        Ok(())
    }
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
    /// What the interface of that name is compiled to.
    fn library(&self, interface: &str) -> PathBuf {
        self.path(&format!("lib{}.rlib", exports::crate_name(interface)))
    }
    fn command(&self, what: Crate, arguments: &[&str]) -> Command {
        let Toolchain { rustc, sysroot, target, .. } = self.toolchain;
        let (name, kind, file) = match what {
            Crate::Extension(root) => ("extension".into(), "lib", root.into()),
            Crate::Interface(name) => (exports::crate_name(name), "lib", self.path(&format!("{name}.rs"))),
            Crate::Program => ("program".into(), "bin", self.path(PROGRAM)),
        };
        let mut command = Command::new(rustc);
        // Its unstable options are needed; that no feature of the language is one of them says `-Zallow-features=`.
        command.env_clear().env("RUSTC_BOOTSTRAP", "1").env("TMPDIR", self.folder.path());
        command.current_dir(self.path("source"));
        command.arg(format!("--crate-name={name}")).arg(format!("--crate-type={kind}")).args(FIXED);
        command.arg("--target").arg(target).arg("--sysroot").arg(sysroot);
        for given in &self.given {
            command.arg("--extern").arg(format!("{given}={}", self.library(given).display()));
        }
        command.arg("-L").arg(format!("dependency={}", self.folder.path().display()));
        command.args(arguments).arg(file);
        command
    }
    /// Runs the compiler over a crate; an error is one of this machine.
    pub fn run(&self, what: Crate, arguments: &[&str]) -> Result<Run> {
        let [output, messages] = ["output", "messages"].map(|name| self.path(name));
        let mut command = self.command(what, arguments);
        command.stdin(Stdio::null()).stdout(File::create(&output)?).stderr(File::create(&messages)?);
        command.process_group(0);
        let toolchain = [&self.toolchain.rustc, &self.toolchain.sysroot, &self.toolchain.target];
        sandbox::confine(&mut command, &toolchain.map(PathBuf::as_path), self.folder.path(), &BOUNDS)?;
        let mut child = command.spawn().with_context(|| format!("{}", command.get_program().display()))?;
        let status = wait(&mut child)?;
        let read = |path| fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        Ok(Run { end: end(status), messages: read(&messages)?, output: read(&output)? })
    }
}
/// Waits for a process, which is ended with all that it has started when its time is over: nothing, then.
fn wait(child: &mut Child) -> Result<Option<ExitStatus>> {
    let over = Instant::now() + Duration::from_secs(BOUNDS.clock);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() > over {
            // SAFETY: kill has no memory of ours; the group is that of a child that was not waited for, so it is nobody else's.
            unsafe { libc::kill(-(child.id() as i32), libc::SIGKILL) };
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(3));
    }
}
fn end(status: Option<ExitStatus>) -> End {
    let Some(status) = status else {
        return End::Refused(format!("the compiler was not done with it after {} s", BOUNDS.clock));
    };
    match (status.code(), status.signal()) {
        (Some(0), _) => End::Well,
        (Some(1), _) => End::Errors,
        (_, Some(libc::SIGXCPU | libc::SIGKILL)) => {
            End::Refused(format!("the compiler was not done with it after {} s of processor time", BOUNDS.processor))
        }
        (_, Some(libc::SIGXFSZ)) => End::Refused(format!("what it becomes is larger than {} bytes", BOUNDS.output)),
        (_, Some(libc::SIGABRT)) => {
            End::Refused(format!("the compiler gave up, as it does where {} bytes are not enough", BOUNDS.memory))
        }
        _ => End::Refused(format!("the compiler crashed ({status})")),
    }
}
