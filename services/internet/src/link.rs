//! The card as the stack sees it: frames that the driver has put into a buffer, and one that goes out.

use crate::checksum;
use abi::network::{FRAME, SHORTEST};
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use fallible::TryPush;
use smoltcp::phy::{Checksum, Device, DeviceCapabilities, Medium, RxToken, TxToken};
use smoltcp::time::Instant;

/// Frames to this machine itself that wait to be taken.
const OWN: usize = 64;

/// Who takes frames to send.
pub trait Card {
    /// A buffer for one frame.
    fn buffer(&mut self) -> &mut [u8];
    /// Sends the first `bytes` of the buffer; for how many more there is room. `None`: nobody takes it.
    fn send(&mut self, bytes: usize) -> Option<usize>;
}
/// What goes out, and what is known of the room for it.
pub struct Outgoing<C> {
    pub card: C,
    /// Frames for which there is room.
    pub room: usize,
    pub sent: u64,
    /// Frames to this machine itself, which no card sends.
    pub own: VecDeque<Vec<u8>>,
}
impl<C: Card> Outgoing<C> {
    pub fn new(card: C) -> Outgoing<C> {
        Outgoing { card, room: 1, sent: 0, own: VecDeque::new() }
    }
    /// Keeps the frame that is in the card's buffer. One for which there is no room, or no memory, is lost, as on any network.
    fn keep_own(&mut self, bytes: usize) {
        let Outgoing { card, own, .. } = self;
        if own.len() < OWN
            && let Ok(mut frame) = fallible::zero_bytes(bytes)
        {
            frame.copy_from_slice(&card.buffer()[..bytes]);
            let _ = own.try_push(frame);
        }
    }
}
/// Whether the stack is to see a frame: it is one, and its checksum is right.
pub fn is_good(frame: &[u8]) -> bool {
    frame.len() >= SHORTEST && checksum::is_right(frame) && !pretends_to_be_own(frame)
}
/// Whether a frame from outside has an address of a machine's own, 127.0.0.0/8 or ::1 (RFC 1122, section 3.2.1.3; RFC 4291, section 2.5.3).
fn pretends_to_be_own(frame: &[u8]) -> bool {
    const LOCALHOST: [u8; 16] = core::net::Ipv6Addr::LOCALHOST.octets();
    match frame[12..14] {
        [0x08, 0x00] => [26, 30].iter().any(|&at| frame.get(at) == Some(&127)),
        [0x86, 0xdd] => [22, 38].iter().any(|&at| frame.get(at..at + 16) == Some(&LOCALHOST[..])),
        _ => false,
    }
}
/// The card for one look at the stack: with a frame that has come, or without.
pub struct Link<'a, C> {
    pub incoming: Option<&'a [u8]>,
    pub outgoing: &'a mut Outgoing<C>,
}
impl<'f, C: Card> Device for Link<'f, C> {
    type RxToken<'b>
        = Received<'f>
    where
        Self: 'b;
    type TxToken<'b>
        = Sending<'b, C>
    where
        Self: 'b;
    fn receive(&mut self, _: Instant) -> Option<(Received<'f>, Sending<'_, C>)> {
        // A frame whose answer finds no room is lost, as on any network.
        let frame = self.incoming.take()?;
        Some((Received(frame), Sending(self.outgoing)))
    }
    fn transmit(&mut self, _: Instant) -> Option<Sending<'_, C>> {
        (self.outgoing.room > 0).then_some(Sending(self.outgoing))
    }
    fn capabilities(&self) -> DeviceCapabilities {
        let mut capabilities = DeviceCapabilities::default();
        capabilities.medium = Medium::Ethernet;
        capabilities.max_transmission_unit = FRAME;
        // They are made and looked at here.
        capabilities.checksum.tcp = Checksum::None;
        capabilities.checksum.udp = Checksum::None;
        capabilities
    }
}
pub struct Received<'a>(&'a [u8]);
impl RxToken for Received<'_> {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, body: F) -> R {
        body(self.0)
    }
}
pub struct Sending<'a, C>(&'a mut Outgoing<C>);
impl<C: Card> TxToken for Sending<'_, C> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, bytes: usize, body: F) -> R {
        let frame = &mut self.0.card.buffer()[..bytes];
        let result = body(frame);
        checksum::fill(frame);
        if frame[..6] == frame[6..12] {
            // From this machine to itself.
            self.0.keep_own(bytes);
        } else if self.0.room > 0 {
            self.0.room = self.0.card.send(bytes).unwrap_or(0);
            self.0.sent += 1;
        }
        result
    }
}
