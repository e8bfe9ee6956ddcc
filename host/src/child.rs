//! Processes that must not outlive this one.

use crate::inputs;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Makes the kernel end the command's process with this one, whose notes are this one's.
pub fn end_with_us(command: &mut Command) {
    inputs::within(command);
    // SAFETY: prctl is async-signal-safe.
    unsafe {
        command.pre_exec(|| {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            Ok(())
        });
    }
}
