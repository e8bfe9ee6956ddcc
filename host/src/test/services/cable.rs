//! The other end of the guest's cable, frame by frame: networks that QEMU's own does not have.

use crate::power_cuts::command_with;
use anyhow::{Result, ensure};
use std::ffi::OsStr;
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Runs a program on a machine whose cable ends here; what it says. `answer` says what frames are sent for each that comes.
pub fn run(
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
    let sent = Arc::new(Mutex::new((0, 0)));
    let seen = sent.clone();
    let said = run(root, "tests/target/components/ticks.c", &["20"], move |frame| {
        let (solicitations, discovers) = &mut *seen.lock().expect("no test has died");
        *solicitations += is_router_solicitation(frame) as usize;
        *discovers += is_dhcp_discover(frame) as usize;
        Vec::new()
    })?;
    let lines: Vec<&str> = said.lines().map(str::trim).collect();
    for line in (0..20).map(|n| n.to_string()).chain(["end".to_string()]) {
        ensure!(lines.contains(&line.as_str()), "the program stands still before {line}: {said}");
    }
    let (solicitations, discovers) = *sent.lock().expect("no test has died");
    ensure!(solicitations >= 3, "{solicitations} times a router was asked for");
    ensure!(discovers >= 1, "no address was asked for");
    Ok(())
}
/// Whether a frame is of IPv6 and asks for routers (RFC 4861, section 4.1).
fn is_router_solicitation(frame: &[u8]) -> bool {
    const ICMP: u8 = 58;
    frame.get(12..14) == Some(&[0x86, 0xdd]) && frame.get(20) == Some(&ICMP) && frame.get(54) == Some(&133)
}
/// Whether a frame is of IPv4 and looks for a server of DHCP: the option of its kind says so (RFC 2132, section 9.6).
fn is_dhcp_discover(frame: &[u8]) -> bool {
    const UDP: u8 = 17;
    let is_to_server = frame.get(23) == Some(&UDP) && frame.get(36..38) == Some(&67u16.to_be_bytes());
    let has_kind = |options: &[u8]| options.windows(3).any(|option| option == [53, 1, 1]);
    frame.get(12..14) == Some(&[8, 0]) && is_to_server && frame.get(282..).is_some_and(has_kind)
}
