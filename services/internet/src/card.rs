//! The driver of the card, as the stack sends by it.

use abi::network::{FRAME, LEAD, SHORTEST};
use alloc::boxed::Box;
use internet_logic::Card;
use pebble::Result;
use pebble::interfaces::network;
use pebble::interfaces::types::Alleged;
use pebble::portal::in_page;
use pebble::sync::Mutex;

/// One frame, which a window shows.
#[repr(align(2048))]
struct Frame([u8; 2048]);
const _: () = assert!(LEAD + FRAME <= 2048);
/// A frame that lay in two pages. Extensions' stacks have no room for it.
static WHOLE: Mutex<Frame> = Mutex::new(Frame([0; 2048]));

pub struct Driver(Box<Frame>);
impl Driver {
    /// `ENOMEM`.
    pub fn new() -> Result<Driver> {
        // SAFETY: bytes.
        unsafe { pebble::fallible::zeroed() }.map(Driver)
    }
}
impl Card for Driver {
    fn buffer(&mut self) -> &mut [u8] {
        &mut self.0.0[LEAD..]
    }
    fn send(&mut self, bytes: usize) -> Option<usize> {
        // Without a driver frames are lost, until the thread that receives finds another one.
        network::send(Alleged::lend_all(&self.0.0[LEAD..]), bytes).ok()
    }
}
/// Sends a frame that lies anywhere; whether it is one, and the driver has taken it.
pub fn send(frame: &[u8]) -> bool {
    if !(SHORTEST..=FRAME).contains(&frame.len()) {
        return false;
    }
    if in_page(frame) == frame.len() {
        return network::send(Alleged::lend_all(frame), frame.len()).is_ok();
    }
    // A window shows one page.
    let mut whole = WHOLE.lock();
    let place = &mut whole.0[LEAD..][..frame.len()];
    place.copy_from_slice(frame);
    network::send(Alleged::lend_all(place), place.len()).is_ok()
}
/// The driver was started again.
pub fn reopen() -> Result<()> {
    network::import::receive().reopen()?;
    network::import::send().reopen()?;
    network::import::address().reopen()
}
/// The card's address.
pub fn address() -> Result<[u8; 6]> {
    let word = network::address()?;
    let mut address = [0; 6];
    address.copy_from_slice(&word.to_le_bytes()[..6]);
    Ok(address)
}
