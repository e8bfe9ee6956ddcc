//! How the console of a system is connected with this side: which driver it has, and how that speaks.

use abi::console::{FRAMED_INPUT, FRAMED_OUTPUT, INIT_SIGNAL, INTERRUPTS, PORT_DEVICE};
use manifest::System;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connection {
    /// By the serial port: somebody types, and wants to see it.
    Typed,
    /// By the serial port, in the form of [`abi::console`].
    Serial,
    /// By the port of a virtio console, in the same form: some hundred times as fast, and only in QEMU.
    Port,
}
impl Connection {
    /// Has the console of a system be so. One that has another driver than the system's own stays as it is.
    pub fn make(self, system: &mut System) {
        for console in system.components.iter_mut().filter(|component| component.image == "console") {
            match self {
                Connection::Typed => {
                    console.arguments.extend([FRAMED_OUTPUT.into(), INTERRUPTS.into()]);
                    console.opens.push(INIT_SIGNAL.into());
                }
                Connection::Serial => console.arguments.push(FRAMED_INPUT.into()),
                Connection::Port => {
                    (console.image, console.path) = ("stream".into(), "stream".into());
                    console.devices = vec![PORT_DEVICE.into()];
                    console.opens.push("memory.dma".into());
                    // The device's buffers, of which the serial port has none.
                    console.limits.memory = console.limits.memory.map(|percent| percent + 1);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::devices::has_port;
    fn connected(how: Connection, image: &str) -> System {
        let text = format!("name = \"x\"\n[[component]]\nname = \"c\"\nimage = \"{image}\"\ndevices = [\"serial\"]");
        let mut system: System = toml::from_str(&text).unwrap();
        how.make(&mut system);
        system
    }
    #[test]
    fn who_types_is_at_the_serial_port() {
        let system = connected(Connection::Typed, "console");
        assert_eq!((system.components[0].devices[0].as_str(), has_port(&system)), ("serial", false));
    }
    #[test]
    fn a_port_has_its_own_driver() {
        let system = connected(Connection::Port, "console");
        assert_eq!((system.components[0].image.as_str(), has_port(&system)), ("stream", true));
    }
    #[test]
    fn another_driver_of_the_console_stays() {
        let system = connected(Connection::Port, "own");
        assert_eq!((system.components[0].image.as_str(), has_port(&system)), ("own", false));
    }
}
