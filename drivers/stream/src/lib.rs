//! A port of a virtio console (Virtual I/O Device 1.1, section 5.3), free of hardware: bytes in and out, and what the device may say.
//!
//! Nothing is lost on it: the device takes input from the host only where it has a buffer to put it, and gives buffers of output back
//! when the host has taken what is in them.
#![cfg_attr(not(test), no_std)]

extern crate alloc;

use alloc::vec::Vec;
use virtio::{Features, Hal, Lie, Place, Ring, Transport};

/// Bytes of a buffer, and how many there are, in each direction.
pub const BUFFER: usize = 4096;
pub const BUFFERS: usize = 8;
/// Numbers of the queues (section 5.3.2): those by which the device is talked to of its ports, and those of port number 1. Number 0 has
/// 0 and 1; to the driver, and from it.
const CONTROL_RECEIVE: u16 = 2;
const CONTROL_TRANSMIT: u16 = 3;
const RECEIVE: u16 = 4;
const TRANSMIT: u16 = 5;
/// Messages of the device that can wait to be read, and their bytes: some have a name behind them.
const MESSAGES: usize = 16;
const MESSAGE: usize = 256;
/// What messages say (section 5.3.6.2): the driver is ready; there is a port; the driver has it; somebody uses it.
const DEVICE_READY: u16 = 0;
const PORT_ADD: u16 = 1;
const PORT_READY: u16 = 3;
const PORT_OPEN: u16 = 6;

/// A message: port, what, value.
fn message(port: u32, event: u16, value: u16) -> [u8; 8] {
    let mut bytes = [0; 8];
    bytes[..4].copy_from_slice(&port.to_le_bytes());
    bytes[4..6].copy_from_slice(&event.to_le_bytes());
    bytes[6..].copy_from_slice(&value.to_le_bytes());
    bytes
}

/// What the device is told, and says, of its ports.
struct Control<H: Hal> {
    receive: Ring<H, MESSAGES>,
    transmit: Ring<H, MESSAGES>,
    free: Vec<Place>,
}
impl<H: Hal> Control<H> {
    fn new(registers: &mut impl Transport) -> Result<Control<H>, Lie> {
        let (mut receive, places) = Ring::new(registers, CONTROL_RECEIVE, MESSAGE)?;
        let (mut transmit, free) = Ring::new(registers, CONTROL_TRANSMIT, MESSAGE)?;
        for place in places {
            receive.lend(place, MESSAGE, true)?;
        }
        transmit.interrupt(false);
        Ok(Control { receive, transmit, free: Vec::from(free) })
    }
    /// Tells the device; it takes no more than a few messages in all.
    fn tell(&mut self, registers: &mut impl Transport, what: &[u8; 8]) -> Result<(), Lie> {
        while let Some((place, _)) = self.transmit.take()? {
            self.free.push(place);
        }
        let mut place = self.free.pop().ok_or(Lie::Queue)?;
        self.transmit.buffer(&mut place)[..what.len()].copy_from_slice(what);
        self.transmit.lend(place, what.len(), false)?;
        self.transmit.notify(registers);
        Ok(())
    }
    /// What the device says next.
    fn next(&mut self, registers: &mut impl Transport) -> Result<Option<[u8; 8]>, Lie> {
        let Some((mut place, told)) = self.receive.take()? else { return Ok(None) };
        let what = *self.receive.buffer(&mut place).first_chunk().ok_or(Lie::Queue)?;
        if told < what.len() {
            return Err(Lie::Length { told, room: MESSAGE });
        }
        self.receive.lend(place, MESSAGE, true)?;
        self.receive.notify(registers);
        Ok(Some(what))
    }
}

/// Port number 1.
pub struct Port<H: Hal, T: Transport> {
    registers: T,
    control: Control<H>,
    receive: Ring<H, BUFFERS>,
    transmit: Ring<H, BUFFERS>,
    /// Places for output.
    free: Vec<Place>,
    /// The device has said that there is the port.
    added: bool,
}
impl<H: Hal, T: Transport> Port<H, T> {
    /// Resets the device, and tells it that there is a driver. [`Lie::Queue`]: it is one that has no such ports.
    pub fn new(mut registers: T) -> Result<Port<H, T>, Lie> {
        let features = registers.begin_init(Features::PORTS | Features::VERSION_1);
        if !features.contains(Features::PORTS) {
            return Err(Lie::Queue);
        }
        let mut control = Control::new(&mut registers)?;
        let (mut receive, places) = Ring::new(&mut registers, RECEIVE, BUFFER)?;
        let (mut transmit, free) = Ring::new(&mut registers, TRANSMIT, BUFFER)?;
        for place in places {
            receive.lend(place, BUFFER, true)?;
        }
        transmit.interrupt(false);
        registers.finish_init();
        control.receive.notify(&mut registers);
        control.tell(&mut registers, &message(u32::MAX, DEVICE_READY, 1))?;
        Ok(Port { registers, control, receive, transmit, free: Vec::from(free), added: false })
    }
    /// Takes the device's interrupt back.
    pub fn acknowledge(&mut self) {
        self.registers.ack_interrupt();
    }
    /// Hears what the device says of its ports, and opens number 1 when it is there; whether it is.
    pub fn is_open(&mut self) -> Result<bool, Lie> {
        const ADD: [u8; 8] = {
            let number = abi::console::PORT_NUMBER.to_le_bytes();
            let event = PORT_ADD.to_le_bytes();
            [number[0], number[1], number[2], number[3], event[0], event[1], 0, 0]
        };
        while let Some(what) = self.control.next(&mut self.registers)? {
            // The value of that message means nothing. What is said of whom the host has at the other end, the host says itself.
            if what[..6] == ADD[..6] && !self.added {
                self.added = true;
                for event in [PORT_READY, PORT_OPEN] {
                    self.control.tell(&mut self.registers, &message(abi::console::PORT_NUMBER, event, 1))?;
                }
                self.receive.notify(&mut self.registers);
            }
        }
        Ok(self.added)
    }
    /// Gives what has arrived to `each`, a buffer after the other.
    pub fn receive(&mut self, mut each: impl FnMut(&[u8])) -> Result<(), Lie> {
        let mut any = false;
        while let Some((mut place, told)) = self.receive.take()? {
            each(&self.receive.buffer(&mut place)[..told]);
            self.receive.lend(place, BUFFER, true)?;
            any = true;
        }
        if any {
            self.receive.notify(&mut self.registers);
        }
        Ok(())
    }
    fn reclaim(&mut self) -> Result<(), Lie> {
        while let Some((place, _)) = self.transmit.take()? {
            self.free.push(place);
        }
        Ok(())
    }
    /// Sends what `fill` puts into a buffer, as many bytes as it says, not 0; what it says beside. `None`: the device has all buffers,
    /// and interrupts when it gives one back.
    pub fn send<R>(&mut self, fill: impl FnOnce(&mut [u8]) -> (usize, R)) -> Result<Option<R>, Lie> {
        if self.free.is_empty() {
            self.reclaim()?;
        }
        if self.free.is_empty() {
            self.transmit.interrupt(true);
            // It may have given back some just before it was to interrupt for that.
            self.reclaim()?;
        }
        let Some(mut place) = self.free.pop() else { return Ok(None) };
        self.transmit.interrupt(false);
        let (bytes, result) = fill(self.transmit.buffer(&mut place));
        self.transmit.lend(place, bytes, false)?;
        self.transmit.notify(&mut self.registers);
        Ok(Some(result))
    }
    /// Whether the host has taken all that was sent; the device interrupts when it has taken more.
    pub fn is_drained(&mut self) -> Result<bool, Lie> {
        self.transmit.interrupt(true);
        self.reclaim()?;
        let drained = self.free.len() == BUFFERS;
        if drained {
            self.transmit.interrupt(false);
        }
        Ok(drained)
    }
}

#[cfg(test)]
#[path = "port_tests.rs"]
mod tests;
