//! Who has which port: the one place where that is decided, for ports that were asked for and for those that nobody has asked for.
//!
//! A frame is given to the socket that has its port, so of two with the same, one would have the other's frames. What is held is therefore not
//! noted beside the sockets but read from them: all clients', connections that are closing or wait to be accepted, and questions to the name server. A
//! port of TCP may be several connections', to different ends; one of UDP is one socket's.

use super::{Result, Stack};
use crate::ends::{Ends, Protocol};
use crate::link::Card;
use crate::socket::Kind;
use abi::Error;
use smoltcp::wire::IpEndpoint;

/// Ports that are given to who asks for none (RFC 6335, section 6).
const FIRST_DYNAMIC_PORT: u16 = 49_152;
const DYNAMIC_PORTS: u16 = u16::MAX - FIRST_DYNAMIC_PORT + 1;

/// A port that nobody else has, as it was just found.
#[derive(Clone, Copy, Debug)]
pub struct Port(u16);
impl Port {
    pub fn number(self) -> u16 {
        self.0
    }
}

impl<C: Card> Stack<C> {
    /// All that is somebody's.
    fn held(&self) -> impl Iterator<Item = Ends> + '_ {
        let slots = self.slots.iter().flatten().filter_map(|slot| {
            let (protocol, port) = match slot.kind {
                Kind::Unconnected { local: port @ 1.. } | Kind::Listener { port, .. } => (Protocol::Tcp, port),
                Kind::Question { port, .. } => (Protocol::Udp, port),
                // These have sockets.
                Kind::Unconnected { local: 0 } | Kind::Stream { .. } | Kind::Datagrams { .. } => return None,
            };
            Some(Ends { protocol, port, remote: None })
        });
        slots.chain(self.sockets.ends())
    }
    /// The port `wanted`, or, for 0, any that nobody has, which nobody foresees either: for all that comes to it, or for what comes from `remote`. `EADDRINUSE`.
    pub(super) fn free_port(&mut self, protocol: Protocol, wanted: u16, remote: Option<IpEndpoint>) -> Result<Port> {
        if wanted != 0 {
            let ends = Ends { protocol, port: wanted, remote };
            return if self.held().any(|other| other == ends) { Err(Error::EADDRINUSE) } else { Ok(Port(wanted)) };
        }
        let first = self.numbers.draw() % DYNAMIC_PORTS as u64;
        (0..DYNAMIC_PORTS)
            .map(|n| FIRST_DYNAMIC_PORT + ((first + n as u64) % DYNAMIC_PORTS as u64) as u16)
            .find(|&port| !self.held().any(|other| (other.protocol, other.port) == (protocol, port)))
            .map(Port)
            .ok_or(Error::EADDRINUSE)
    }
}

#[cfg(test)]
#[path = "ports_tests.rs"]
mod tests;
