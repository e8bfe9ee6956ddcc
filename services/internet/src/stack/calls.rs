//! What clients do with their sockets.

use super::listeners::is_made;
use super::waits::heard;
use super::{Owner, Result, Stack};
use crate::address::{endpoint, told};
use crate::buffers;
use crate::ends::Protocol;
use crate::limits::*;
use crate::link::Card;
use crate::names::Answers;
use crate::seats::Seats;
use crate::socket::{Caller, Kind, SLOTS, Slot, slot};
use crate::table::Handle;
use abi::Error;
use abi::identity::DomainId;
use abi::internet::{Address, family};
use fallible::TryPush;
use smoltcp::socket::tcp::{RecvError, State};
use smoltcp::socket::{dns, tcp, udp};
use smoltcp::time::{Duration, Instant};
use smoltcp::wire::{DnsQueryType, IpAddress};

impl<C: Card> Stack<C> {
    pub(super) fn slot(&mut self, number: usize) -> Result<&mut Slot> {
        slot(&mut self.slots, number)
    }
    /// How many sockets smoltcp has.
    pub(super) fn count(&self) -> usize {
        self.sockets.count()
    }
    /// A place for one more socket of `owner`. `EMFILE`: it has too many; `ENFILE`: all together have.
    fn free_place(&mut self, owner: Owner) -> Result<usize> {
        let own = self.slots.iter().flatten().filter(|slot| slot.owner.account == owner.account).count();
        if own >= SOCKETS_OF_ONE {
            return Err(Error::EMFILE);
        }
        let place = self.slots.iter().position(Option::is_none).unwrap_or(self.slots.len());
        if place == SLOTS || self.count() >= SOCKETS {
            return Err(Error::ENFILE);
        }
        if place == self.slots.len() {
            self.slots.try_push(None)?;
        }
        Ok(place)
    }
    fn put(&mut self, place: usize, owner: Owner, kind: Kind) -> usize {
        self.made = (self.made + 1) % (1 << 21);
        let number = self.made * SLOTS + place;
        if let Kind::Stream { handle, .. } | Kind::Datagrams { handle, .. } = kind {
            self.sockets.belongs(handle, place);
        }
        self.slots[place] =
            Some(Slot { number, owner, nonblocking: false, permitted: None, seats: Seats::default(), kind });
        number
    }
    /// A new socket of `owner`, of a kind of [`abi::internet::kind`]; its number. `EINVAL`: there is no such kind; `ENOMEM`.
    pub fn create(&mut self, owner: Owner, what: usize) -> Result<usize> {
        let place = self.free_place(owner)?;
        let kind = match what {
            abi::internet::kind::TCP => Kind::Unconnected { local: 0 },
            abi::internet::kind::UDP => {
                Kind::Datagrams { handle: self.sockets.add(buffers::datagrams()?)?, peer: None, refused: false }
            }
            _ => return Err(Error::EINVAL),
        };
        Ok(self.put(place, owner, kind))
    }
    /// Nobody uses socket `number` any more.
    pub fn remove(&mut self, number: usize, now: Instant) {
        let Some(place) = self.slots.get_mut(number % SLOTS) else { return };
        let Some(slot) = place.take_if(|slot| slot.number == number) else { return };
        self.orphan(slot.seats);
        match slot.kind {
            Kind::Unconnected { .. } => {}
            Kind::Listener { waiting, .. } => waiting.into_iter().for_each(|caller| self.dismiss(caller.handle, now)),
            Kind::Stream { handle, .. } => self.abandon(handle, slot.owner.account, now),
            Kind::Datagrams { handle, .. } => drop(self.sockets.remove(handle)),
            Kind::Question { handle, answer: None, .. } => {
                self.system.get_mut::<dns::Socket>(self.dns).cancel_query(handle)
            }
            Kind::Question { .. } => {}
        }
        self.output(now);
        self.sweep(now);
    }

    /// The port that `number` is to be known by; 0: any. `EINVAL`: it has one, or is connected; `EADDRINUSE`.
    pub fn bind(&mut self, number: usize, port: u16) -> Result<()> {
        match self.slot(number)?.kind {
            Kind::Unconnected { local: 0 } => {
                let port = self.free_port(Protocol::Tcp, port, None)?;
                self.slot(number)?.kind = Kind::Unconnected { local: port.number() };
                Ok(())
            }
            Kind::Datagrams { handle, .. } => self.open_datagrams(handle, port),
            _ => Err(Error::EINVAL),
        }
    }
    /// The port that socket `number` is bound to; 0: none.
    pub fn port(&mut self, number: usize) -> Result<u16> {
        Ok(match self.slot(number)?.kind {
            Kind::Unconnected { local } => local,
            _ => 0,
        })
    }
    /// Takes connections to the port that it is bound to. `EINVAL`: it is bound to none, or connected; `EMFILE`; `ENOMEM`.
    pub fn listen(&mut self, number: usize, backlog: usize) -> Result<()> {
        let Slot { owner, kind: Kind::Unconnected { local: port @ 1.. }, .. } = *self.slot(number)? else {
            return Err(Error::EINVAL);
        };
        let listens = |slot: &&Slot| slot.owner.account == owner.account && matches!(slot.kind, Kind::Listener { .. });
        if self.slots.iter().flatten().filter(listens).count() >= LISTENERS_OF_ONE {
            return Err(Error::EMFILE);
        }
        let slot = self.slot(number)?;
        let backlog = backlog.clamp(1, BACKLOG);
        slot.kind = Kind::Listener { port, backlog, waiting: buffers::room(backlog)?, round: 0 };
        self.attend(number % SLOTS);
        Ok(())
    }
    /// The next connection that was made, of each host one in turn: its socket's number and the other side. `EAGAIN`: none was; `EINVAL`: it is no listener.
    pub fn accept(&mut self, number: usize, owner: Owner) -> Result<(usize, Address)> {
        let place = self.free_place(owner)?;
        let Stack { slots, sockets, .. } = self;
        let listener = slot(slots, number)?;
        let Kind::Listener { waiting, round, .. } = &mut listener.kind else { return Err(Error::EINVAL) };
        let made = waiting.iter().enumerate().filter(|(_, caller)| is_made(sockets, caller.handle));
        let (first, _) = made.min_by_key(|(_, caller)| caller.round).ok_or(Error::EAGAIN)?;
        let Caller { handle, round: accepted } = waiting.remove(first);
        *round = accepted.max(*round);
        self.attend(number % SLOTS);
        let socket = self.sockets.get_mut::<tcp::Socket>(handle);
        socket.set_timeout(Some(Duration::from_secs(PATIENCE)));
        let remote = socket.remote_endpoint().map_or(Address::default(), told);
        Ok((self.put(place, owner, Kind::Stream { handle, connecting: false }), remote))
    }
    /// Begins to connect; of datagrams, keeps the peer. `EISCONN`; `EADDRINUSE`: its port is connected to there; `EINVAL`: that is nowhere, or no way
    /// leads there; `ENFILE`, `ENOMEM`.
    pub fn connect(&mut self, number: usize, to: &Address, now: Instant) -> Result<()> {
        let to = endpoint(to)?;
        match self.slot(number)?.kind {
            Kind::Unconnected { local } => {
                if self.count() >= SOCKETS {
                    return Err(Error::ENFILE);
                }
                let handle = self.sockets.add(self.spare.stream()?)?;
                let socket = self.sockets.get_mut::<tcp::Socket>(handle);
                socket.set_timeout(Some(Duration::from_secs(PATIENCE_TO_OPEN)));
                if let Err(error) = self.open_connection(handle, local, to, now) {
                    self.sockets.retire(handle, &mut self.spare);
                    return Err(error);
                }
                self.sockets.belongs(handle, number % SLOTS);
                self.slot(number)?.kind = Kind::Stream { handle, connecting: true };
            }
            Kind::Datagrams { handle, .. } => {
                self.bind_datagrams(handle)?;
                self.slot(number)?.kind = Kind::Datagrams { handle, peer: Some(to), refused: false };
            }
            _ => return Err(Error::EISCONN),
        }
        self.output(now);
        Ok(())
    }
    /// Whether it is for datagrams.
    pub fn is_datagrams(&mut self, number: usize) -> Result<bool> {
        self.slot(number).map(|slot| matches!(slot.kind, Kind::Datagrams { .. }))
    }
    /// Whether `domain` may send to there, as far as was asked for the last datagram; sets it where `permitted`.
    pub fn may_send(&mut self, number: usize, domain: DomainId, to: &Address, permitted: bool) -> Result<bool> {
        let known = &mut self.slot(number)?.permitted;
        if permitted {
            *known = Some((domain, *to));
        }
        Ok(*known == Some((domain, *to)))
    }
    /// The domain that it was made for.
    pub fn owner(&mut self, number: usize) -> Result<Owner> {
        self.slot(number).map(|slot| slot.owner)
    }
    /// How connecting came out: `EAGAIN`: not yet; `ECONNREFUSED`.
    pub fn connected(&mut self, number: usize) -> Result<()> {
        let Stack { slots, sockets, .. } = self;
        let Kind::Stream { handle, connecting } = &mut slot(slots, number)?.kind else { return Ok(()) };
        if !*connecting {
            return Ok(());
        }
        let socket = sockets.get_mut::<tcp::Socket>(*handle);
        match socket.state() {
            State::SynSent | State::SynReceived => Err(Error::EAGAIN),
            State::Closed => Err(Error::ECONNREFUSED),
            _ => {
                socket.set_timeout(Some(Duration::from_secs(PATIENCE)));
                *connecting = false;
                Ok(())
            }
        }
    }
    /// The connection of socket `number`. `ENOTCONN`; and as [`Stack::connected`].
    fn stream(&mut self, number: usize) -> Result<&mut tcp::Socket<'static>> {
        if let Kind::Stream { connecting: true, .. } = self.slot(number)?.kind {
            self.connected(number)?;
        }
        let Stack { slots, sockets, .. } = self;
        match slot(slots, number)?.kind {
            Kind::Stream { handle, .. } => Ok(sockets.get_mut(handle)),
            _ => Err(Error::ENOTCONN),
        }
    }
    /// Takes what has come, as much as there is room for; 0: it has ended. `EAGAIN`: nothing has; `ECONNRESET`. Of datagrams one, of
    /// which what has no room is lost.
    pub fn read(&mut self, number: usize, to: &mut [u8]) -> Result<usize> {
        if let Kind::Datagrams { .. } = self.slot(number)?.kind {
            return self.receive(number, to).map(|(bytes, _)| bytes.min(to.len()));
        }
        match self.stream(number)?.recv_slice(to) {
            Ok(0) if !to.is_empty() => Err(Error::EAGAIN),
            Ok(bytes) => Ok(bytes),
            Err(RecvError::Finished) => Ok(0),
            Err(RecvError::InvalidState) => Err(Error::ECONNRESET),
        }
    }
    /// Has bytes sent, as many as there is room for. `EAGAIN`: there is none; `EPIPE`: nothing can be sent any more.
    pub fn write(&mut self, number: usize, from: &[u8], now: Instant) -> Result<usize> {
        if let Kind::Datagrams { peer, .. } = self.slot(number)?.kind {
            let to = peer.ok_or(Error::ENOTCONN)?;
            return self.send(number, &told(to), from, now);
        }
        let sent = match self.stream(number)?.send_slice(from) {
            Ok(0) if !from.is_empty() => Err(Error::EAGAIN),
            Ok(bytes) => Ok(bytes),
            Err(_) => Err(Error::EPIPE),
        };
        self.has_taken(number, now);
        sent
    }
    fn bind_datagrams(&mut self, handle: Handle) -> Result<()> {
        if self.sockets.get::<udp::Socket>(handle).is_open() { Ok(()) } else { self.open_datagrams(handle, 0) }
    }
    /// Sends a datagram. `EMSGSIZE`: it is too long; `EAGAIN`: too many wait to be sent; `EINVAL`: that is nowhere.
    pub fn send(&mut self, number: usize, to: &Address, bytes: &[u8], now: Instant) -> Result<usize> {
        let to = endpoint(to)?;
        let Kind::Datagrams { handle, .. } = self.slot(number)?.kind else { return Err(Error::EOPNOTSUPP) };
        self.was_refused(number)?;
        self.bind_datagrams(handle)?;
        // What one frame carries: nothing is sent in fragments.
        let head = match to.addr {
            IpAddress::Ipv4(_) => smoltcp::wire::IPV4_HEADER_LEN,
            IpAddress::Ipv6(_) => smoltcp::wire::IPV6_HEADER_LEN,
        };
        if bytes.len() > abi::network::FRAME - 14 - head - smoltcp::wire::UDP_HEADER_LEN {
            return Err(Error::EMSGSIZE);
        }
        let socket = self.sockets.get_mut::<udp::Socket>(handle);
        match socket.send_slice(bytes, to) {
            Ok(()) => {}
            Err(udp::SendError::BufferFull) => return Err(Error::EAGAIN),
            Err(udp::SendError::Unaddressable) => return Err(Error::EINVAL),
        }
        self.output_of(handle, now);
        Ok(bytes.len())
    }
    /// Takes a datagram: its length, of which as much as there is room for is in `to`, and where it is from. `EAGAIN`: there is none.
    pub fn receive(&mut self, number: usize, to: &mut [u8]) -> Result<(usize, Address)> {
        let Kind::Datagrams { handle, peer, .. } = self.slot(number)?.kind else { return Err(Error::EOPNOTSUPP) };
        self.was_refused(number)?;
        let socket = self.sockets.get_mut::<udp::Socket>(handle);
        loop {
            let (bytes, from) = socket.recv().map_err(|_| Error::EAGAIN)?;
            // Who is connected hears nobody else.
            if peer.is_none_or(|peer| peer == from.endpoint) {
                let count = bytes.len().min(to.len());
                to[..count].copy_from_slice(&bytes[..count]);
                return Ok((bytes.len(), told(from.endpoint)));
            }
        }
    }
    /// `ECONNREFUSED`, once: where the last datagrams went nobody takes them.
    fn was_refused(&mut self, number: usize) -> Result<()> {
        match &mut self.slot(number)?.kind {
            Kind::Datagrams { refused, .. } => match core::mem::take(refused) {
                true => Err(Error::ECONNREFUSED),
                false => Ok(()),
            },
            _ => Ok(()),
        }
    }
    /// What has become of the socket that nobody was told yet.
    pub fn error(&mut self, number: usize) -> Result<Option<Error>> {
        if let Err(error) = self.was_refused(number) {
            return Ok(Some(error));
        }
        let Stack { slots, sockets, .. } = self;
        let Kind::Stream { handle, connecting } = slot(slots, number)?.kind else { return Ok(None) };
        let over = sockets.get::<tcp::Socket>(handle).state() == State::Closed;
        Ok(over.then_some(if connecting { Error::ECONNREFUSED } else { Error::ECONNRESET }))
    }
    /// The other side is told that nothing more comes.
    pub fn shutdown(&mut self, number: usize, now: Instant) -> Result<()> {
        self.stream(number)?.close();
        self.has_taken(number, now);
        Ok(())
    }
    /// Asks the name server for a machine's address, of IPv4 or IPv6; the number of the question, which a socket might have. `EAGAIN`:
    /// no name server is known, or too many ask; `EINVAL`: that is no name.
    pub fn ask_name(&mut self, owner: Owner, name: &str, family: usize, now: Instant) -> Result<usize> {
        let kind = match family as u16 {
            family::IPV4 => DnsQueryType::A,
            family::IPV6 => DnsQueryType::Aaaa,
            _ => return Err(Error::EINVAL),
        };
        if self.configuration.name_server == [0; 4] {
            return Err(Error::EAGAIN);
        }
        let place = self.free_place(owner)?;
        let asked = |slot: &&Slot| matches!(slot.kind, Kind::Question { .. });
        let own = |slot: &&Slot| asked(slot) && slot.owner.account == owner.account;
        // smoltcp would take memory for more than there are places for.
        if self.slots.iter().flatten().filter(own).count() >= QUESTIONS / 2
            || self.slots.iter().flatten().filter(asked).count() >= QUESTIONS
        {
            return Err(Error::EAGAIN);
        }
        let (handle, port) = self.open_question(name, kind, now)?;
        let number = self.put(place, owner, Kind::Question { handle, port: port.number(), answer: None });
        self.output(now);
        Ok(number)
    }
    /// What came of a question. `EAGAIN`: nothing yet; `ENOENT`: nobody has the name, or it has no such address; `ETIMEDOUT`: no server can say now.
    pub fn answer(&mut self, number: usize) -> Result<Answers> {
        let Stack { slots, system, dns, .. } = self;
        match &mut slot(slots, number)?.kind {
            Kind::Question { handle, answer, .. } => heard(system, *dns, *handle, answer).unwrap_or(Err(Error::EAGAIN)),
            _ => Err(Error::EINVAL),
        }
    }
    /// This side's address, or the other's. `ENOTCONN`: there is none.
    pub fn address(&mut self, number: usize, remote: bool) -> Result<Address> {
        let own = self.configuration.address;
        let Stack { slots, sockets, .. } = self;
        let unconnected = |port: u16| Address { port, family: family::NONE, ..Address::default() };
        match &slot(slots, number)?.kind {
            Kind::Stream { handle, .. } => {
                let socket = sockets.get::<tcp::Socket>(*handle);
                let end = if remote { socket.remote_endpoint() } else { socket.local_endpoint() };
                end.map(told).ok_or(Error::ENOTCONN)
            }
            Kind::Datagrams { peer, .. } if remote => peer.map(told).ok_or(Error::ENOTCONN),
            Kind::Question { .. } => Err(Error::ENOTCONN),
            _ if remote => Err(Error::ENOTCONN),
            Kind::Datagrams { handle, .. } => Ok(unconnected(sockets.get::<udp::Socket>(*handle).endpoint().port)),
            Kind::Unconnected { local: port } | Kind::Listener { port, .. } => Ok(unconnected(*port)),
        }
        .map(|mut address| {
            if !remote && address.family == family::NONE {
                address.family = family::IPV4;
                address.bytes[..4].copy_from_slice(&own);
            }
            address
        })
    }
    /// Whether calls of socket `number` wait; sets it where `set` says so.
    pub fn nonblocking(&mut self, number: usize, set: Option<bool>) -> Result<bool> {
        let slot = self.slot(number)?;
        slot.nonblocking = set.unwrap_or(slot.nonblocking);
        Ok(slot.nonblocking)
    }
}
