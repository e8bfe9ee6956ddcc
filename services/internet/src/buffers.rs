//! The memory of sockets, which may not be there: smoltcp takes none of its own.

use crate::limits::*;
use abi::Error;
use alloc::vec::Vec;
use fallible::{TryPush, collected, zero_bytes};
use smoltcp::socket::tcp::SocketBuffer;
use smoltcp::socket::{tcp, udp};
use smoltcp::time::Duration;

type Result<T> = core::result::Result<T, Error>;

/// The least time that is waited for an acknowledgement, however fast they come: Linux's.
const MIN_RETRANSMISSION_TIMEOUT: Duration = Duration::from_millis(200);
/// Closed sockets whose memory is kept for the next ones.
const SPARE: usize = 16;

/// No elements, and room for `count`. `ENOMEM`.
pub fn room<T>(count: usize) -> Result<Vec<T>> {
    let mut room = Vec::new();
    room.try_reserve_exact(count).map_err(|_| Error::ENOMEM)?;
    Ok(room)
}
/// A socket for datagrams. `ENOMEM`.
pub fn datagrams() -> Result<udp::Socket<'static>> {
    let buffer = || {
        let places: Vec<udp::PacketMetadata> = collected((0..DATAGRAMS).map(|_| udp::PacketMetadata::EMPTY))?;
        Ok(udp::PacketBuffer::new(places, zero_bytes(DATAGRAM_BUFFER)?))
    };
    Ok(udp::Socket::new(buffer()?, buffer()?))
}
/// Closed sockets for connections.
pub struct Spare(Vec<tcp::Socket<'static>>);
impl Spare {
    pub fn new() -> Result<Spare> {
        Ok(Spare(room(SPARE)?))
    }
    /// A socket for a connection. `ENOMEM`.
    pub fn stream(&mut self) -> Result<tcp::Socket<'static>> {
        if let Some(socket) = self.0.pop() {
            return Ok(socket);
        }
        let buffer = |bytes: usize| zero_bytes(bytes).map(SocketBuffer::new);
        let mut socket = tcp::Socket::new(buffer(RECEIVE_BUFFER)?, buffer(SEND_BUFFER)?);
        // Clients write what belongs together at once.
        socket.set_nagle_enabled(false);
        // Where nobody has anything to say, only a question tells a silent peer from one that is no more.
        socket.set_keep_alive(Some(Duration::from_secs(SILENCE)));
        socket.set_keep_alive_timeout(Some(Duration::from_secs(PATIENCE_WITH_SILENCE)));
        socket.set_min_retransmission_timeout(MIN_RETRANSMISSION_TIMEOUT);
        Ok(socket)
    }
    /// Keeps the memory of a closed connection's socket for the next.
    pub fn keep(&mut self, mut socket: tcp::Socket<'static>) {
        socket.abort();
        // One for which there is no room goes.
        self.0.push_kept(socket);
    }
}
