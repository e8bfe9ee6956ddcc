//! Processes that prepare and run Linux. None outlives this one.

use anyhow::{Result, anyhow, bail};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

/// A process, which ends with this value.
pub struct Running(pub Child);
impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a command without input. `package` has it, for the error if it is missing.
pub fn start(command: &mut Command, package: &str) -> Result<Running> {
    let name = command.get_program().to_string_lossy().into_owned();
    command.stdin(Stdio::null());
    // SAFETY: prctl is async-signal-safe; it makes the kernel end the process with us.
    unsafe {
        command.pre_exec(|| {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            Ok(())
        });
    }
    command.spawn().map(Running).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => anyhow!("{name} is missing: install {package}"),
        _ => anyhow!("{name} could not be started: {error}"),
    })
}

/// Runs a command without input; its output. An error has what it said.
pub fn run(command: &mut Command, package: &str) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let mut running = start(command.stdout(Stdio::piped()).stderr(Stdio::piped()), package)?;
    let (output, complaints) = (collect(running.0.stdout.take()), collect(running.0.stderr.take()));
    let status = running.0.wait()?;
    let (output, complaints) = (output.join().unwrap_or_default(), complaints.join().unwrap_or_default());
    if !status.success() {
        bail!("{name}: {status}\n{}", complaints.trim_end());
    }
    Ok(output)
}

/// Reads a stream to its end, in a thread of its own.
pub fn collect(from: Option<impl std::io::Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut from) = from {
            // What came before an error is worth having.
            let _ = from.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn an_error_has_what_the_command_said() {
        let error = run(Command::new("sh").args(["-c", "echo why >&2; exit 3"]), "dash").unwrap_err().to_string();
        assert!(error.contains("why") && error.contains('3'), "{error}");
    }
    #[test]
    fn a_missing_command_is_an_error_that_names_its_package() {
        let error = run(&mut Command::new("no-such-command"), "that-package").unwrap_err().to_string();
        assert_eq!(error, "no-such-command is missing: install that-package");
    }
}
