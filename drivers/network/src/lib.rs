//! A virtio network card (Virtual I/O Device 1.1, section 5.1), free of hardware: frames in and out, and what the card may say.
#![cfg_attr(not(test), no_std)]

extern crate alloc;

use abi::network::{FRAME, LEAD, RECORD_HEAD, SHORTEST, record_bytes};
use alloc::vec::Vec;
use virtio::{Features, Hal, Lie, Place, Ring, Transport};

/// Frames that can be on their way, in each direction.
pub const FRAMES: usize = 64;
/// Bytes of a buffer: a frame and the header before it.
const BUFFER: usize = 2048;
/// Numbers of the card's queues.
const RECEIVE: u16 = 0;
const TRANSMIT: u16 = 1;
/// Bytes before each frame (section 5.1.6), which are zeros: nothing is offloaded. A legacy card leaves out the last two.
const HEADER: usize = 12;
const LEGACY_HEADER: usize = 10;
/// Bytes of a buffer that are left out, so that frames lie in their words as they do at clients.
const GAP: usize = (LEAD + 16 - HEADER) % 8;

/// A card.
pub struct Card<H: Hal, T: Transport> {
    registers: T,
    address: [u8; 6],
    header: usize,
    receive: Ring<H, FRAMES>,
    transmit: Ring<H, FRAMES>,
    /// Places for frames to send.
    free: Vec<Place>,
    /// Somebody waits for a place.
    wanted: bool,
}
impl<H: Hal, T: Transport> Card<H, T> {
    /// Resets the card and makes it ready to receive.
    pub fn new(mut registers: T) -> Result<Card<H, T>, Lie> {
        let features = registers.begin_init(Features::ADDRESS | Features::VERSION_1);
        let header = if features.contains(Features::VERSION_1) { HEADER } else { LEGACY_HEADER };
        let mut address = [0; 6];
        for (n, byte) in address.iter_mut().enumerate() {
            *byte = registers.read_config_space(n).map_err(|_| Lie::Answer(0))?;
        }
        if address[0] & 1 != 0 {
            // One card's address is no group's.
            return Err(Lie::Answer(address[0]));
        }
        let (mut receive, places) = Ring::with_gap(&mut registers, RECEIVE, BUFFER, GAP)?;
        let (mut transmit, free) = Ring::with_gap(&mut registers, TRANSMIT, BUFFER, GAP)?;
        for place in places {
            receive.lend(place, BUFFER - GAP, true)?;
        }
        transmit.interrupt(false);
        registers.finish_init();
        receive.notify(&mut registers);
        Ok(Card { registers, address, header, receive, transmit, free: Vec::from(free), wanted: false })
    }
    pub fn address(&self) -> [u8; 6] {
        self.address
    }
    /// Takes the card's interrupt back.
    pub fn acknowledge(&mut self) {
        self.registers.ack_interrupt();
    }
    /// Puts frames that have arrived into `out`, as [`abi::network`] says; how many bytes they take there.
    pub fn receive(&mut self, out: &mut [u8]) -> Result<usize, Lie> {
        let mut filled = 0;
        while filled + record_bytes(FRAME) <= out.len() {
            let Some((mut place, told)) = self.receive.take()? else { break };
            let frame = told.checked_sub(self.header).filter(|bytes| (SHORTEST..=FRAME).contains(bytes));
            let bytes = frame.ok_or(Lie::Length { told, room: self.header + FRAME })?;
            let record = &mut out[filled..];
            record[..size_of::<u64>()].copy_from_slice(&(bytes as u64).to_le_bytes());
            record[RECORD_HEAD..][..bytes].copy_from_slice(&self.receive.buffer(&mut place)[self.header..][..bytes]);
            filled += record_bytes(bytes);
            self.receive.lend(place, BUFFER - GAP, true)?;
        }
        if filled > 0 {
            self.receive.notify(&mut self.registers);
        }
        Ok(filled)
    }
    /// Whether there is room for a frame again, which somebody waits for.
    pub fn room_again(&mut self) -> Result<bool, Lie> {
        if !self.wanted {
            return Ok(false);
        }
        self.reclaim()?;
        if self.free.is_empty() {
            return Ok(false);
        }
        self.wanted = false;
        self.transmit.interrupt(false);
        Ok(true)
    }
    fn reclaim(&mut self) -> Result<(), Lie> {
        while let Some((place, _)) = self.transmit.take()? {
            self.free.push(place);
        }
        Ok(())
    }
    /// Sends a frame; for how many more there is room. `None`: there was none for it, and [`Card::room_again`] will say when there is.
    pub fn send(&mut self, frame: &[u8]) -> Result<Option<usize>, Lie> {
        if self.free.len() <= FRAMES / 2 {
            self.reclaim()?;
        }
        let Some(mut place) = self.free.pop() else { return Ok(None) };
        let header = self.header;
        let buffer = self.transmit.buffer(&mut place);
        buffer[..header].fill(0);
        buffer[header..][..frame.len()].copy_from_slice(frame);
        self.transmit.lend(place, header + frame.len(), false)?;
        self.transmit.notify(&mut self.registers);
        if self.free.is_empty() {
            self.wanted = true;
            self.transmit.interrupt(true);
            // It may have given back some just before it was to interrupt for that.
            self.room_again()?;
        }
        Ok(Some(self.free.len()))
    }
}

#[cfg(test)]
#[path = "card_tests.rs"]
mod tests;
