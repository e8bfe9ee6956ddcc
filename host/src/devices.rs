//! What is plugged into QEMU's machine beyond what it always has: each at a place of its own, where a manifest finds it.

use abi::console::{PORT_DEVICE, PORT_NUMBER};
use anyhow::{Context, Result, bail};
use manifest::{Component, System};
use std::io::ErrorKind;
use std::net::{TcpListener, UdpSocket};
use std::os::fd::RawFd;
use std::path::{Path, PathBuf};

/// Places of virtio devices (`hw/riscv/virt.c`).
/// The card is at virtio_mmio@10001000, the disk at virtio_mmio@10002000.
const NETWORK: usize = 0;
const DISK: usize = 1;
const ENTROPY: (&str, usize) = ("virtio_mmio@10003000", 2);
/// [`PORT_DEVICE`].
const PORT: usize = 3;
/// Devices are as the current version of their specification says.
const MODERN: [&str; 2] = ["-global", "virtio-mmio.force-legacy=false"];

/// The image that is told where it is reached.
const CONSOLE: &str = "webconsole";

/// A network of which somebody else is the other end.
const CABLE: &str = "cable:";
/// QEMU's argument for it.
fn cable_to(folder: &Path) -> String {
    let end = |name| folder.join(name).display().to_string().replace(',', ",,");
    let (guest, peer) = (end("guest"), end("peer"));
    format!("dgram,id=net,local.type=unix,local.path={guest},remote.type=unix,remote.path={peer}")
}

/// What the command line says.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct Devices {
    /// A network card on QEMU's own network, and a port of this machine's loopback interface that leads to one of the guest's:
    /// tcp:HOST:GUEST or udp:HOST:GUEST (host port 0: any that is free, which is said); "user" for none. May be given several times.
    /// cable:FOLDER in place of all that: frames go as datagrams to the socket FOLDER/peer, and come from there to FOLDER/guest
    #[arg(long, value_name = "FORWARD")]
    pub net: Vec<String>,
    /// A disk: a file that `./pebble disk create` has made
    #[arg(long, value_name = "FILE")]
    pub disk: Option<PathBuf>,
    /// Logs what the disk is asked to write, and each flush, in this file, which has to be there: in the form of Linux's dm-log-writes
    #[arg(long, value_name = "FILE", requires = "disk")]
    pub disk_log: Option<PathBuf>,
}
/// A port of this machine that leads to the guest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forward {
    pub udp: bool,
    pub host: u16,
    pub guest: u16,
}
impl Devices {
    /// Whether anything is plugged in.
    pub fn any(&self) -> bool {
        !self.net.is_empty() || self.disk.is_some()
    }
    /// The ports that lead to the guest, those that were asked for as 0 filled in.
    pub fn forwards(&self) -> Result<Vec<Forward>> {
        self.net
            .iter()
            .filter(|text| *text != "user" && !text.starts_with(CABLE))
            .map(|text| Forward::parse(text)?.with_host_port())
            .collect()
    }
    /// What is plugged in is there.
    pub fn check(&self) -> Result<()> {
        for (option, file, else_) in [
            ("--disk", &self.disk, "`./pebble disk create FILE` makes one"),
            ("--disk-log", &self.disk_log, "it has to be there: `touch FILE`"),
        ] {
            let Some(file) = file else { continue };
            let name = file.display();
            match std::fs::OpenOptions::new().read(true).write(true).open(file) {
                Ok(opened) if option == "--disk" && opened.metadata().is_ok_and(|m| m.is_file() && m.len() == 0) => {
                    bail!("{option} {name}: the file is empty; {else_}")
                }
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    bail!("{option} {name}: there is no such file; {else_}")
                }
                Err(error) => bail!("{option} {name}: it can not be opened for reading and writing: {error}"),
            }
        }
        Ok(())
    }
    /// QEMU's arguments for a machine that runs these components.
    pub fn arguments(&self, components: &[Component], forwards: &[Forward]) -> Vec<String> {
        let has = |place: &str| components.iter().any(|c| c.devices.iter().any(|device| device == place));
        let mut arguments = Vec::new();
        if !self.net.is_empty() {
            let forwards: String = forwards.iter().map(|forward| format!(",{}", forward.argument())).collect();
            let cable = self.net.iter().find_map(|text| text.strip_prefix(CABLE));
            let network = match cable {
                Some(folder) => cable_to(Path::new(folder)),
                None => format!("user,id=net{forwards}"),
            };
            arguments.extend(["-netdev".into(), network]);
            let device = format!("virtio-net-device,netdev=net,bus=virtio-mmio-bus.{}", NETWORK);
            arguments.extend(["-device".into(), device]);
        }
        if let Some(disk) = &self.disk {
            // A comma in a name is written twice.
            let name = |file: &Path| file.display().to_string().replace(',', ",,");
            let what = match &self.disk_log {
                None => format!("format=raw,file={}", name(disk)),
                Some(log) => format!(
                    "driver=blklogwrites,file.driver=file,file.filename={},log.driver=file,log.filename={}",
                    name(disk),
                    name(log)
                ),
            };
            arguments.extend(["-drive".into(), format!("if=none,id=disk,{what}")]);
            let device = format!("virtio-blk-device,drive=disk,bus=virtio-mmio-bus.{}", DISK);
            arguments.extend(["-device".into(), device]);
        }
        if has(ENTROPY.0) {
            arguments.extend(["-object".into(), "rng-random,id=rng,filename=/dev/urandom".into()]);
            let device = format!("virtio-rng-device,rng=rng,bus=virtio-mmio-bus.{}", ENTROPY.1);
            arguments.extend(["-device".into(), device]);
        }
        if !arguments.is_empty() {
            arguments.extend(MODERN.map(String::from));
        }
        arguments
    }
}
/// Whether some component of the system drives the port that programs' standard streams go through.
pub fn has_port(system: &System) -> bool {
    system.components.iter().any(|component| component.devices.iter().any(|device| device == PORT_DEVICE))
}
/// QEMU's arguments for that port, whose other end is a socket that QEMU inherits.
pub fn port_arguments(socket: RawFd) -> Vec<String> {
    let console = format!("virtio-serial-device,max_ports={},bus=virtio-mmio-bus.{PORT}", PORT_NUMBER + 1);
    let port = format!("virtserialport,chardev=port,nr={PORT_NUMBER}");
    let socket = format!("socket,id=port,fd={socket}");
    let own = ["-chardev", &socket, "-device", &console, "-device", &port];
    own.into_iter().chain(MODERN).map(String::from).collect()
}
/// Tells the web console, which has an argument `port=`, under which address it is reached from this machine.
pub fn tell_outside(system: &mut System, forwards: &[Forward]) {
    for component in system.components.iter_mut().filter(|c| c.image == CONSOLE) {
        let port = component.arguments.iter().find_map(|argument| argument.strip_prefix("port="));
        let forward = forwards.iter().find(|forward| !forward.udp && port == Some(&forward.guest.to_string()));
        component.arguments.extend(forward.map(|forward| format!("outside=127.0.0.1:{}", forward.host)));
    }
}
impl Forward {
    fn parse(text: &str) -> Result<Forward> {
        let wrong = || format!("--net {text}: it is tcp:HOST:GUEST, udp:HOST:GUEST or user");
        let parts: Vec<&str> = text.split(':').collect();
        let [protocol, host, guest] = parts[..] else { bail!(wrong()) };
        let udp = match protocol {
            "tcp" => false,
            "udp" => true,
            _ => bail!(wrong()),
        };
        let guest = guest.parse().ok().filter(|port| *port > 0).with_context(wrong)?;
        Ok(Forward { udp, host: host.parse().ok().with_context(wrong)?, guest })
    }
    fn with_host_port(self) -> Result<Forward> {
        if self.host != 0 {
            return Ok(self);
        }
        // QEMU binds it a moment later; nobody else asks for a port by number.
        let host = match self.udp {
            true => UdpSocket::bind("127.0.0.1:0")?.local_addr()?.port(),
            false => TcpListener::bind("127.0.0.1:0")?.local_addr()?.port(),
        };
        eprintln!("pebble: port {host} of this machine leads to port {} of the guest", self.guest);
        Ok(Forward { host, ..self })
    }
    fn argument(self) -> String {
        let protocol = if self.udp { "udp" } else { "tcp" };
        format!("hostfwd={protocol}:127.0.0.1:{}-:{}", self.host, self.guest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_that_is_not_there_or_no_file_or_empty_is_refused_in_words() {
        let folder = tempfile::tempdir().unwrap();
        let said = |name: &str| {
            let devices = Devices { disk: Some(folder.path().join(name)), ..Devices::default() };
            devices.check().unwrap_err().to_string()
        };
        assert!(said("none").contains("none: there is no such file; `./pebble disk create"));
        assert!(said(".").contains("can not be opened for reading and writing"));
        std::fs::write(folder.path().join("empty"), "").unwrap();
        assert!(said("empty").contains("the file is empty"));
    }
    #[test]
    fn a_forward_is_read() {
        let forward = Forward::parse("udp:5000:53").unwrap();
        assert_eq!(forward, Forward { udp: true, host: 5000, guest: 53 });
        assert_eq!(forward.argument(), "hostfwd=udp:127.0.0.1:5000-:53");
    }
    #[test]
    fn what_is_no_forward_is_refused() {
        for text in ["", "tcp", "tcp:1", "tcp:1:2:3", "sctp:1:2", "tcp:x:80", "tcp:80:0", "tcp:1:99999"] {
            assert!(Forward::parse(text).unwrap_err().to_string().contains("tcp:HOST:GUEST"), "{text}");
        }
    }
    #[test]
    fn the_web_console_is_told_where_it_is_reached() {
        let text = "name = \"x\"\n[[component]]\nname = \"w\"\nimage = \"webconsole\"\narguments = [\"port=8090\"]";
        let mut system: System = toml::from_str(text).unwrap();
        let forwards = ["tcp:1:80", "udp:2:8090", "tcp:3:8090"].map(|text| Forward::parse(text).unwrap());
        tell_outside(&mut system, &forwards);
        assert_eq!(system.components[0].arguments, ["port=8090", "outside=127.0.0.1:3"]);
    }
    #[test]
    fn a_machine_without_options_has_nothing_more() {
        let system: System = toml::from_str("name = \"x\"").unwrap();
        assert!(Devices::default().arguments(&system.components, &[]).is_empty());
    }
}
