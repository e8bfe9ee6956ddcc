//! The other end of the guest's cable, frame by frame: networks that QEMU's own does not have.

use crate::power_cuts::command_with;
use anyhow::{Result, ensure};
use std::ffi::OsStr;
use std::os::unix::net::UnixDatagram;
use std::path::Path;

/// Runs a program on a machine whose cable ends here; what it says. `answer` says what frames are sent for each that comes.
fn run(
    root: &Path,
    program: &str,
    arguments: &[&str],
    mut answer: impl FnMut(&[u8]) -> Vec<Vec<u8>> + Send + 'static,
) -> Result<String> {
    let folder = tempfile::tempdir()?;
    let (peer, guest) = (UnixDatagram::bind(folder.path().join("peer"))?, folder.path().join("guest"));
    // It ends with the test's process: who waits for no frame costs nothing.
    std::thread::spawn(move || {
        let mut frame = [0; 2048];
        while let Ok(count) = peer.recv(&mut frame) {
            // A frame for which there is no room is lost, as on any cable.
            answer(&frame[..count]).iter().for_each(|sent| _ = peer.send_to(sent, &guest));
        }
    });
    let net = format!("cable:{}", folder.path().display());
    let options = ["--system", "exec-devices", "--net", &net].into_iter().map(OsStr::new);
    let output = command_with(root, options, program, arguments)?.output()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    ensure!(output.status.success(), "{}: {said}", output.status);
    Ok(said)
}

/// Nobody answers anything. TCP/IP asks for routers and an address for some seconds, and what runs below its priority goes on all the while.
pub fn silent(root: &Path) -> Result<()> {
    let said = run(root, "tests/target/components/ticks.c", &["20"], |_| Vec::new())?;
    ensure!(said.contains("end"), "the program stands still: {said}");
    Ok(())
}
