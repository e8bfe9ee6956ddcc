//! Updates over TCP: who connects sends a file, whose length is in it, and gets one line back. Its signature says whose it is; nothing else does, so whoever can connect can
//! have this system what its keys' owners have signed for it, and is newer than what it has.

use crate::{done, take};
use abi::address::PAGE;
use abi::internet::{Interest, event};
use abi::section::{NAME, text};
use abi::updating::WHY;
use alloc::vec::Vec;
use pebble::fallible::{self, TryPush};
use pebble::internet::{TcpListener, TcpStream};
use pebble::page::Page;
use pebble::time::{TIMEBASE, time};
use pebble::{Error, Result};
use upload::Said;

/// Time between two attempts to have the port, in units of [`TIMEBASE`]: the card may come later.
const AGAIN: u64 = TIMEBASE;
/// How long a client may take for its file, in units of [`TIMEBASE`]: that, and so much for each page; others wait meanwhile. And milliseconds without a byte.
const MOST: u64 = 10 * TIMEBASE;
const MOST_FOR_A_PAGE: u64 = TIMEBASE / 16;
const PATIENCE: usize = 5_000;
/// Clients that may wait.
const BACKLOG: usize = 8;

pub fn serve(port: u16) {
    loop {
        if let Ok(listener) = TcpListener::bind(port, BACKLOG) {
            while let Ok((stream, _)) = listener.accept() {
                answer(&stream);
            }
        }
        pebble::time::wait(AGAIN);
    }
}
/// One client after the other.
fn answer(stream: &TcpStream) {
    let said: Said<WHY> = match received(stream) {
        Ok(file) => {
            // What it is for it says itself; nothing of it is believed before its signature is.
            let name = update::claimed(&file).unwrap_or([0; NAME]);
            match done(move || take(&file, text(&name))) {
                Ok(()) => Said::of(format_args!("taken\n")),
                Err(failed) => Said::of(format_args!("refused: {}\n", failed.text())),
            }
        }
        Err(error) => Said::of(format_args!("refused: {}\n", error.text())),
    };
    let mut rest = said.text().as_bytes();
    while let Ok(count @ 1..) = stream.write(rest) {
        rest = &rest[count..];
    }
    let _ = stream.shutdown();
}
/// The next bytes. `ETIMEDOUT`: the client takes its time; `EPIPE`: it sends no more.
fn next(stream: &TcpStream, page: &mut Page) -> Result<usize> {
    let mut wanted = [Interest { node: stream.node()?, wanted: event::READ, ready: 0 }];
    if pebble::internet::poll(&mut wanted, PATIENCE)? == 0 {
        return Err(Error::ETIMEDOUT);
    }
    match stream.read(&mut page.0)? {
        0 => Err(Error::EPIPE),
        count => Ok(count),
    }
}
/// A whole file, as long as it says that it is. `EINVAL`: it begins as none, or is longer.
fn received(stream: &TcpStream) -> Result<Vec<u8>> {
    let mut page = fallible::boxed(Page([0; PAGE]))?;
    let mut file: Vec<u8> = Vec::new();
    let end = time() + MOST;
    loop {
        if time() >= end + (file.len() / PAGE) as u64 * MOST_FOR_A_PAGE {
            return Err(Error::ETIMEDOUT);
        }
        let length = update::length(&file).map_err(|_| Error::EINVAL)?;
        if length == Some(file.len()) {
            return Ok(file);
        }
        let count = next(stream, &mut page)?;
        if length.is_some_and(|length| file.len() + count > length) {
            return Err(Error::EINVAL);
        }
        file.room_for(count)?;
        file.extend_from_slice(&page.0[..count]);
    }
}
