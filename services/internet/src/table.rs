//! smoltcp's sockets, each in a set of its own: what a frame or a call has changed is looked at alone, however many others there are.
//!
//! smoltcp goes through all sockets of a set for every frame, and again for what is to be sent. Here a frame's socket is found first, by the
//! rules by which smoltcp would take it; a frame that is no socket's goes to the set of those that are the system's own.

use crate::buffers::{self, Spare};
use crate::ends::{Ends, Protocol};
use abi::Error;
use alloc::vec::Vec;
use fallible::TryPush;
use smoltcp::iface::{SocketHandle, SocketSet};
use smoltcp::socket::{AnySocket, Socket, tcp};
use smoltcp::wire::{IpAddress, IpEndpoint, IpProtocol, Ipv4Address, Ipv6Address};

/// Flows of which it is remembered who had their last frame; a power of two.
const FLOWS: usize = 256;
/// Bytes of an Ethernet header; where the type is in it.
const ETHERNET: usize = 14;
const KIND: usize = 12;
/// Where the flags are in the head of a segment, and some of them (RFC 9293, section 3.1).
const FLAGS: usize = 13;
const SYN: u8 = 2;
const RST: u8 = 4;
const ACK: u8 = 16;

/// One of the sockets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handle(usize);

struct Own {
    set: SocketSet<'static>,
    handle: SocketHandle,
    /// The place of the client's socket that it is for; a connection whose client has gone has that of whoever is there now.
    place: Option<usize>,
}
pub struct Table {
    sockets: Vec<Option<Own>>,
    count: usize,
    /// Places in `sockets` that flows had last, by their hash: where another one's is, it is looked for anew.
    last: [u16; FLOWS],
}
/// Which TCP connection or UDP port a frame is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    protocol: IpProtocol,
    pub from: IpEndpoint,
    pub to: IpEndpoint,
    /// It is TCP's, and asks for a connection.
    opens: bool,
}
impl Flow {
    /// That of a frame; `None`: it is neither TCP nor UDP, or cut off, or behind headers that few packets have.
    pub fn of(frame: &[u8]) -> Option<Flow> {
        let packet = frame.get(ETHERNET..)?;
        let (protocol, ports, from, to): (u8, usize, IpAddress, IpAddress) = match frame.get(KIND..ETHERNET)? {
            [0x08, 0x00] => {
                let address = |at: usize| Some(Ipv4Address::from(*packet.get(at..)?.first_chunk::<4>()?).into());
                (*packet.get(9)?, (packet.first()? & 15) as usize * 4, address(12)?, address(16)?)
            }
            [0x86, 0xdd] => {
                let address = |at: usize| Some(Ipv6Address::from(*packet.get(at..)?.first_chunk::<16>()?).into());
                (*packet.get(6)?, 40, address(8)?, address(24)?)
            }
            _ => return None,
        };
        let protocol = IpProtocol::from(protocol);
        if !matches!(protocol, IpProtocol::Tcp | IpProtocol::Udp) {
            return None;
        }
        let &[a, b, c, d] = packet.get(ports..)?.first_chunk::<4>()?;
        let from = IpEndpoint::new(from, u16::from_be_bytes([a, b]));
        let opens = protocol == IpProtocol::Tcp
            && packet.get(ports + FLAGS).is_some_and(|flags| flags & (SYN | RST | ACK) == SYN);
        Some(Flow { protocol, from, to: IpEndpoint::new(to, u16::from_be_bytes([c, d])), opens })
    }
    /// Whether it is what a DHCP server sends its clients.
    pub fn is_dhcp(&self) -> bool {
        self.protocol == IpProtocol::Udp && (self.from.port, self.to.port) == (67, 68)
    }
    /// Whether it asks for a connection: a listener's socket that takes it needs a number.
    pub fn may_open(&self) -> bool {
        self.opens
    }
    fn hash(&self) -> usize {
        let low = match self.from.addr {
            IpAddress::Ipv4(ip) => u32::from(ip),
            IpAddress::Ipv6(ip) => u128::from(ip) as u32,
        };
        let word = low ^ (self.from.port as u32) << 16 ^ self.to.port as u32;
        // Fibonacci hashing (Knuth, The Art of Computer Programming, section 6.4).
        (word.wrapping_mul(0x9E37_79B9) >> 24) as usize % FLOWS
    }
    /// Whether it goes to that socket, where no other has it for its own.
    fn is_of(&self, socket: &Socket) -> bool {
        match (socket, self.protocol) {
            (Socket::Tcp(socket), IpProtocol::Tcp) => {
                socket.remote_endpoint() == Some(self.from) && socket.local_endpoint() == Some(self.to)
            }
            (Socket::Udp(socket), IpProtocol::Udp) => socket.endpoint().port == self.to.port && socket.is_open(),
            _ => false,
        }
    }
    /// Whether it may begin a connection to that socket, which nobody has called yet.
    fn begins(&self, socket: &Socket) -> bool {
        match (socket, self.protocol) {
            (Socket::Tcp(socket), IpProtocol::Tcp) => {
                socket.state() == tcp::State::Listen && socket.listen_endpoint().port == self.to.port
            }
            _ => false,
        }
    }
}
impl Own {
    fn socket(&self) -> Option<&Socket<'static>> {
        self.set.iter().next().map(|(_, socket)| socket)
    }
}
impl Table {
    pub fn new() -> Table {
        Table { sockets: Vec::new(), count: 0, last: [0; FLOWS] }
    }
    /// How many there are.
    pub fn count(&self) -> usize {
        self.count
    }
    /// Adds a socket. `ENOMEM`: nothing has changed.
    pub fn add(&mut self, socket: impl AnySocket<'static>) -> Result<Handle, Error> {
        let mut set = SocketSet::new(buffers::room(1)?);
        let place = self.sockets.iter().position(Option::is_none).unwrap_or(self.sockets.len());
        if place == self.sockets.len() {
            self.sockets.try_push(None)?;
        }
        let handle = set.add(socket);
        self.sockets[place] = Some(Own { set, handle, place: None });
        self.count += 1;
        Ok(Handle(place))
    }
    /// It is for the client's socket at this place.
    pub fn belongs(&mut self, Handle(at): Handle, place: usize) {
        if let Some(own) = &mut self.sockets[at] {
            own.place = Some(place);
        }
    }
    /// The place of the client's socket that it is for, if it is there.
    pub fn place(&self, Handle(at): Handle) -> Option<usize> {
        self.sockets[at].as_ref()?.place
    }
    /// Takes a closed connection's socket out; its memory is kept for the next.
    pub fn retire(&mut self, handle: Handle, spare: &mut Spare) {
        if let Socket::Tcp(socket) = self.remove(handle) {
            spare.keep(socket);
        }
    }
    fn own(&self, Handle(place): Handle) -> &Own {
        self.sockets[place].as_ref().expect("a socket that was not removed")
    }
    pub fn get<T: AnySocket<'static>>(&self, handle: Handle) -> &T {
        let own = self.own(handle);
        own.set.get(own.handle)
    }
    pub fn get_mut<T: AnySocket<'static>>(&mut self, Handle(place): Handle) -> &mut T {
        let own = self.sockets[place].as_mut().expect("a socket that was not removed");
        own.set.get_mut(own.handle)
    }
    pub fn remove(&mut self, Handle(place): Handle) -> Socket<'static> {
        let mut own = self.sockets[place].take().expect("a socket that was not removed");
        self.count -= 1;
        own.set.remove(own.handle)
    }
    /// The set of one socket, if it is still there.
    pub fn set(&mut self, Handle(place): Handle) -> Option<&mut SocketSet<'static>> {
        self.sockets[place].as_mut().map(|own| &mut own.set)
    }
    /// The state of a connection; `None`: it is none, or not there any more.
    pub fn state(&self, Handle(place): Handle) -> Option<tcp::State> {
        match self.sockets[place].as_ref()?.socket()? {
            Socket::Tcp(socket) => Some(socket.state()),
            _ => None,
        }
    }
    /// What each socket has for its own. A connection has it until it is over; one that nobody has called yet has nothing beside its listener.
    pub fn ends(&self) -> impl Iterator<Item = Ends> + '_ {
        self.sockets.iter().flatten().filter_map(|own| match own.socket()? {
            Socket::Tcp(socket) => {
                let (local, remote) = (socket.local_endpoint()?, socket.remote_endpoint()?);
                Some(Ends { protocol: Protocol::Tcp, port: local.port, remote: Some(remote) })
            }
            Socket::Udp(socket) if socket.is_open() => {
                Some(Ends { protocol: Protocol::Udp, port: socket.endpoint().port, remote: None })
            }
            _ => None,
        })
    }
    /// The sets of all sockets.
    pub fn sets(&mut self) -> impl Iterator<Item = &mut SocketSet<'static>> {
        self.sockets.iter_mut().flatten().map(|own| &mut own.set)
    }
    /// Whose a frame is.
    pub fn of(&mut self, flow: &Flow) -> Option<Handle> {
        let hash = flow.hash();
        let holds = |own: &Option<Own>, is: fn(&Flow, &Socket) -> bool| {
            own.as_ref().and_then(Own::socket).is_some_and(|socket| is(flow, socket))
        };
        let last = self.last[hash] as usize;
        if self.sockets.get(last).is_some_and(|own| holds(own, Flow::is_of)) {
            return Some(Handle(last));
        }
        let find = |is| self.sockets.iter().position(|own| holds(own, is));
        let place = find(Flow::is_of).or_else(|| find(Flow::begins))?;
        self.last[hash] = place as u16;
        Some(Handle(place))
    }
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
