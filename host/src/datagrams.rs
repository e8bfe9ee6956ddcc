//! Datagrams to a port of this machine, which leads to a guest's.

use crate::uninterrupted::uninterrupted;
use anyhow::{Context, Result, ensure};
use std::net::UdpSocket;
use std::time::Duration;

/// A socket for datagrams to who answers at that port, and how long an answer is waited for.
pub fn to(port: u16, limit: Duration) -> Result<UdpSocket> {
    let socket = UdpSocket::bind("127.0.0.1:0")?;
    socket.connect(("127.0.0.1", port))?;
    socket.set_read_timeout(Some(limit))?;
    Ok(socket)
}
/// Sends a datagram, which comes back.
pub fn echo(socket: &UdpSocket, bytes: &[u8]) -> Result<()> {
    socket.send(bytes)?;
    let mut back = [0; 2048];
    let count = uninterrupted(|| socket.recv(&mut back)).with_context(|| format!("{} bytes", bytes.len()))?;
    ensure!(&back[..count] == bytes, "a datagram of {} bytes comes back with {count}, or as another", bytes.len());
    Ok(())
}
