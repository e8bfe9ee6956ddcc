//! The driver of a virtio network card.
//!
//! It has no thread of its own: who calls `network.receive` waits here for the card's interrupt and takes the frames with it, so that a
//! frame wakes one thread and no other. The card interrupts again only when everything has been taken.
#![no_std]
#![no_main]

use abi::Error;
use abi::address::PAGE;
use abi::address::WINDOW_PAGES;
use abi::network::{FRAME, SHORTEST};
use network_logic::Card;
use pebble::Result;
use pebble::interfaces::types::Alleged;
use pebble::sync::Mutex;
use virtio::DeviceType;
use virtio::device::{Interrupt, Registers, open, trust};
use virtio::memory::Memory;

pebble::server!(start);
pebble::serve! { network { send, receive, address } }

static CARD: Mutex<Option<Card<Memory, Registers>>> = Mutex::new(None);
/// The one who waits for frames holds it.
static INTERRUPT: Mutex<Option<Interrupt>> = Mutex::new(None);

fn start(env: &pebble::Env) {
    let registers = open(env, DeviceType::Network);
    let Ok(interrupt) = Interrupt::attach() else { return };
    *CARD.lock() = Some(trust(Card::new(registers)));
    *INTERRUPT.lock() = Some(interrupt);
}
fn with<T>(body: impl FnOnce(&mut Card<Memory, Registers>) -> Result<T>) -> Result<T> {
    CARD.lock().as_mut().map_or(Err(Error::EIO), body)
}
fn word(result: Result<usize>) -> isize {
    result.map_or_else(Error::code, |value| value as isize)
}

extern "C" fn send(frame: Alleged<u8>, bytes: usize) -> isize {
    if !(SHORTEST..=FRAME).contains(&bytes) {
        return Error::EINVAL.code();
    }
    // SAFETY: `frame` is a window argument; what its owner changes meanwhile is sent or not.
    let frame: &[u8] = match unsafe { frame.window(bytes).map(|window| window.values()) } {
        Ok(frame) => frame,
        Err(error) => return error.code(),
    };
    word(with(|card| trust(card.send(frame)).ok_or(Error::EAGAIN)))
}
extern "C" fn receive(buffer: Alleged<u8>, bytes: usize) -> isize {
    if !(PAGE..=WINDOW_PAGES * PAGE).contains(&bytes) {
        return Error::EINVAL.code();
    }
    // SAFETY: a window argument of `bytes`, whose letter is `W`; it is only written, and by this call alone.
    let out = unsafe { core::slice::from_raw_parts_mut(buffer.address() as *mut u8, bytes) };
    let Some(interrupt) = INTERRUPT.try_lock() else { return Error::EBUSY.code() };
    let Some(interrupt) = interrupt.as_ref() else { return Error::EIO.code() };
    loop {
        let taken = with(|card| {
            card.acknowledge();
            let filled = trust(card.receive(out));
            Ok((filled, trust(card.room_again())))
        });
        match taken {
            Ok((0, false)) => {}
            result => return word(result.map(|(filled, _)| filled)),
        }
        if let Err(error) = interrupt.wait() {
            return error.code();
        }
    }
}
extern "C" fn address() -> isize {
    word(with(|card| {
        let mut word = [0; 8];
        word[..6].copy_from_slice(&card.address());
        Ok(usize::from_le_bytes(word))
    }))
}
