//! One client's socket.

use crate::names::Answers;
use crate::seats::Seats;
use crate::table::Handle;
use abi::Error;
use abi::identity::DomainId;
use abi::internet::Address;
use alloc::vec::Vec;
use smoltcp::socket::dns;
use smoltcp::wire::IpEndpoint;

/// What a socket is at the moment.
pub enum Kind {
    /// For TCP, bound to this port where it is not 0.
    Unconnected { local: u16 },
    /// Takes connections to a port: those that wait to be accepted or are being made, and last one that nobody has called yet. The round
    /// is the latest in which one was accepted.
    Listener { port: u16, backlog: usize, waiting: Vec<Caller>, round: u64 },
    /// A connection, which may still have to be made.
    Stream { handle: Handle, connecting: bool },
    /// Datagrams; `write` sends to the peer, if there is one, who may have said that nobody takes them.
    Datagrams { handle: Handle, peer: Option<IpEndpoint>, refused: bool },
    /// A question to the name server, until it is answered; the port that it is asked from; what came of it.
    Question { handle: dns::QueryHandle, port: u16, answer: Option<Result<Answers, Error>> },
}
/// A connection that waits to be accepted, or a socket for the next one.
pub struct Caller {
    pub handle: Handle,
    /// When its turn is: of each host there is one in a round, see `stack/listeners.rs`.
    pub round: u64,
}
/// Most sockets that clients have; a power of two.
pub const SLOTS: usize = 1 << 10;
/// A socket's place.
pub struct Slot {
    /// The number that its portals have: its place, and above that a count, so that no number comes again soon.
    pub number: usize,
    /// The domain that it was made for, which it counts for.
    pub owner: crate::Owner,
    /// Calls answer `EAGAIN` instead of waiting.
    pub nonblocking: bool,
    /// The domain that may send datagrams to this address by its manifest, as was last asked: as with a connection, once for many.
    pub permitted: Option<(DomainId, Address)>,
    /// Who waits for it.
    pub seats: Seats,
    pub kind: Kind,
}
/// The socket with this number among `slots`. `EBADF`: there is none.
pub fn slot(slots: &mut [Option<Slot>], number: usize) -> Result<&mut Slot, Error> {
    slots.get_mut(number % SLOTS).and_then(Option::as_mut).filter(|slot| slot.number == number).ok_or(Error::EBADF)
}
