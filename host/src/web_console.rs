//! The web console from the outside: a system that runs with it, and the scripts of `tests/webconsole`, which ask it. For the tests and for
//! the campaign with a browser.

use crate::devices::Devices;
use crate::qemu::{Guest, Machine};
use crate::uninterrupted::uninterrupted;
use crate::{exec, system};
use anyhow::{Context, Result, bail, ensure};
use std::io::Read;
use std::path::Path;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The system, and the component of it that stands for one with a wild name.
const SYSTEM: &str = "network";
const MODEL: &str = "http";
/// The component that has random bytes.
const ENTROPY: &str = "entropy";
/// Names that are markup: of a component, and of a file.
const COMPONENT: &str = "<b>bold</b>";
const FILE: &str = "www/<b>bold<b>";
/// How long a boot may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A system that runs.
pub struct Running {
    port: u16,
    token: String,
    // Its end is the end of the machine.
    _keys: ChildStdin,
    _guest: Guest,
}
impl Running {
    /// Boots; waits until the console has said its token.
    pub fn start(root: &Path) -> Result<Running> {
        let (guest, keys, port, said) = boot(root, true)?;
        let line = wait(&said, "the web console is at ")?;
        let token = line.rsplit_once('#').with_context(|| line.clone())?.1.trim().to_string();
        ensure!(line.contains(&format!("http://127.0.0.1:{port}/#")), "another address was said: {line}");
        Ok(Running { port, token, _keys: keys, _guest: guest })
    }
    /// Has a script of `tests/webconsole` ask it; what the script says is the error.
    pub fn ask(&self, root: &Path, script: &str, more: &[&str]) -> Result<()> {
        let mut command = Command::new("python3");
        command.arg(root.join("tests/webconsole").join(script)).arg(self.port.to_string()).arg(&self.token).args(more);
        let output = command.output().context("python3 could not be started")?;
        let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
        ensure!(output.status.success(), "{script}:\n{said}");
        Ok(())
    }
}
/// Whether the system has a source of random bytes, without which there is no console to be asked.
pub fn has_entropy(root: &Path) -> Result<bool> {
    Ok(system::load(root, SYSTEM)?.components.iter().any(|c| c.name == ENTROPY))
}
/// Without a source of random bytes it says so, and does not start.
pub fn refuses_without_entropy(root: &Path) -> Result<()> {
    let (_guest, _keys, port, said) = boot(root, false)?;
    wait(&said, "has no token that nobody can guess")?;
    // The port is QEMU's: a connection is made, and ends.
    let mut stream = std::net::TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let _ = std::io::Write::write_all(&mut stream, b"GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    ensure!(uninterrupted(|| stream.read(&mut [0; 1])).unwrap_or(0) == 0, "somebody answers");
    Ok(())
}

/// What the console has said so far.
type Said = Arc<Mutex<String>>;
fn boot(root: &Path, entropy: bool) -> Result<(Guest, ChildStdin, u16, Said)> {
    let mut system = system::load(root, SYSTEM)?;
    let model = system.components.iter().find(|c| c.name == MODEL).context("a component to copy")?;
    let mut wild = model.clone();
    wild.name = COMPONENT.into();
    wild.arguments = vec!["port=81".into()];
    wild.opens.push("internet.listen.tcp.81".into());
    system.components.push(wild);
    if !entropy {
        system.components.retain(|c| c.name != ENTROPY);
    }
    let devices = Devices { net: vec!["tcp:0:8090".into()], ..Devices::default() };
    let forwards = devices.forwards()?;
    crate::devices::tell_outside(&mut system, &forwards);
    let files =
        vec![("www/index.html".into(), b"hello".to_vec()), (FILE.into(), b"<script>alert(1)</script>".to_vec())];
    let image = exec::make_image(root, &system, files)?;
    let machine = Machine { extra: devices.arguments(&system.components, &forwards), ..Machine::default() };
    let mut guest = Guest::start(&image, &machine, false, Stdio::piped())?;
    let keys = guest.stdin().context("the guest has no input")?;
    let mut from = guest.stdout().context("the guest has no output")?;
    let said = Said::default();
    let heard = said.clone();
    // It ends with the guest.
    std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(count @ 1..) = from.read(&mut buffer) {
            heard.lock().unwrap().push_str(&String::from_utf8_lossy(&buffer[..count]));
        }
    });
    Ok((guest, keys, forwards[0].host, said))
}
/// The line with `wanted` in it.
fn wait(said: &Said, wanted: &str) -> Result<String> {
    let end = Instant::now() + PATIENCE;
    loop {
        let text = said.lock().unwrap().replace('\r', "");
        if let Some(line) = text.split_inclusive('\n').find(|line| line.contains(wanted) && line.ends_with('\n')) {
            return Ok(line.to_string());
        }
        if Instant::now() > end {
            bail!("\"{wanted}\" was not said:\n{text}");
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}
