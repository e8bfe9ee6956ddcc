//! The sockets of all clients, over smoltcp's.

use crate::address::{endpoint, told};
use crate::buffers::{self, Spare};
use crate::limits::*;
use crate::link::{Card, Link, Outgoing, is_good};
use crate::socket::{Kind, Slot};
use crate::table::{Flow, Handle, Table};
use abi::Error;
use abi::internet::{Address, Configuration, event, family};
use abi::network::frames;
use alloc::vec::Vec;
use fallible::TryPush;
use smoltcp::iface::{Config, Interface, PollResult, SocketHandle, SocketSet};
use smoltcp::socket::tcp::{RecvError, State};
use smoltcp::socket::{dhcpv4, dns, tcp, udp};
use smoltcp::time::{Duration, Instant};
use smoltcp::wire::{
    DnsQueryType, EthernetAddress, HardwareAddress, IpAddress, IpCidr, IpEndpoint, IpListenEndpoint, Ipv4Cidr,
};

type Result<T> = core::result::Result<T, Error>;

/// Most sockets that clients have; a power of two.
const SLOTS: usize = 1 << 10;
/// Ports that a connection of ours comes from (RFC 6335, section 6).
const FIRST_DYNAMIC_PORT: u16 = 49_152;
/// Sockets of the stack itself: for DHCP, and for questions to the name server.
const SYSTEM: usize = 2;
/// Whose a socket is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The number of the domain that may poll it.
    pub domain: usize,
    /// The account that it counts for: that of the domain's component.
    pub account: usize,
}
/// A thread that waits for one of several sockets, at the semaphore with this number.
pub struct Waiter {
    pub owner: Owner,
    pub semaphore: usize,
    pub interests: Interests,
}
/// Numbers of sockets, and the events of each. Who waits for one needs no memory: it may have begun something.
pub enum Interests {
    One([(usize, u32); 1]),
    Many(Vec<(usize, u32)>),
}
impl Interests {
    fn all(&self) -> &[(usize, u32)] {
        match self {
            Interests::One(one) => one,
            Interests::Many(all) => all,
        }
    }
}

/// An address that is not asked for, and what goes with it.
#[derive(Clone, Copy, Debug)]
pub struct Given {
    pub address: Ipv4Cidr,
    pub gateway: Option<[u8; 4]>,
    pub name_server: Option<[u8; 4]>,
}
pub struct Stack<C: Card> {
    interface: Interface,
    sockets: Table,
    /// Those of the stack itself: it asks for its address, and for others'.
    system: SocketSet<'static>,
    /// Sockets that the frames at hand are for.
    touched: Vec<Handle>,
    /// When a socket is to be looked at: the earliest of all at the last look at all, and of those that were looked at since.
    due: Option<Instant>,
    pub outgoing: Outgoing<C>,
    slots: Vec<Option<Slot>>,
    /// Sockets made so far, modulo what fits above a place.
    made: usize,
    waiters: Vec<Waiter>,
    /// Connections whose clients have gone, and when each ends at the latest.
    closing: Vec<(Handle, Instant)>,
    spare: Spare,
    dhcp: Option<SocketHandle>,
    dns: SocketHandle,
    next_port: u16,
    configuration: Configuration,
}

impl<C: Card> Stack<C> {
    /// A stack for the card with this address. `seed`: nobody can foresee it. It asks for an IPv4 address (RFC 2131), unless it is
    /// given one, and a gateway. `ENOMEM`: there is no room for what it keeps; what frames, time and ends need is all there, else.
    pub fn new(card: C, hardware: [u8; 6], seed: u64, now: Instant, given: Option<Given>) -> Result<Stack<C>> {
        let mut config = Config::new(HardwareAddress::Ethernet(EthernetAddress(hardware)));
        config.random_seed = seed;
        config.slaac = true;
        let mut outgoing = Outgoing { card, room: 1, sent: 0 };
        let mut interface = Interface::new(config, &mut Link { incoming: None, outgoing: &mut outgoing }, now);
        interface.update_ip_addrs(|addresses| {
            // The address of its link that it gives itself (RFC 4291, appendix A).
            let [a, b, c, d, e, f] = hardware;
            let half = |high: u8, low: u8| u16::from_be_bytes([high, low]);
            let own = IpAddress::v6(0xfe80, 0, 0, 0, half(a ^ 2, b), half(c, 0xff), half(0xfe, d), half(e, f));
            let _ = addresses.push(IpCidr::new(own, 64));
        });
        let mut system = SocketSet::new(buffers::room(SYSTEM)?);
        let dhcp = given.is_none().then(|| system.add(dhcpv4::Socket::new()));
        let questions: Vec<Option<dns::DnsQuery>> = fallible::collected((0..QUESTIONS).map(|_| None))?;
        let dns = system.add(dns::Socket::new(&[], questions));
        let mut card = [0; 8];
        card[..6].copy_from_slice(&hardware);
        let configuration = Configuration { card, ..Configuration::default() };
        let next_port = FIRST_DYNAMIC_PORT + (seed >> 32) as u16 % (u16::MAX - FIRST_DYNAMIC_PORT);
        let mut stack = Stack {
            interface,
            sockets: Table::new(),
            system,
            touched: buffers::room(SOCKETS)?,
            due: None,
            outgoing,
            slots: Vec::new(),
            made: 0,
            waiters: buffers::room(WAITERS)?,
            closing: buffers::room(CLOSING)?,
            spare: Spare::new()?,
            dhcp,
            dns,
            next_port,
            configuration,
        };
        if let Some(Given { address, gateway, name_server }) = given {
            stack.configure(Some(address), gateway, name_server);
        }
        Ok(stack)
    }
    fn configure(&mut self, address: Option<Ipv4Cidr>, gateway: Option<[u8; 4]>, name_server: Option<[u8; 4]>) {
        self.interface.update_ip_addrs(|addresses| {
            addresses.retain(|address| matches!(address, IpCidr::Ipv6(_)));
            // There is room: the others are few, and this one is first.
            if let Some(address) = address {
                let _ = addresses.insert(0, IpCidr::Ipv4(address));
            }
        });
        let routes = self.interface.routes_mut();
        routes.remove_default_ipv4_route();
        if let Some(gateway) = gateway {
            let _ = routes.add_default_ipv4_route(gateway.into());
        }
        let own = &mut self.configuration;
        own.address = address.map_or([0; 4], |address| address.address().octets());
        own.prefix = address.map_or(0, |address| address.prefix_len() as u32);
        own.gateway = gateway.unwrap_or_default();
        own.name_server = name_server.unwrap_or_default();
        let server = name_server.map(|server| IpAddress::Ipv4(server.into()));
        self.system.get_mut::<dns::Socket>(self.dns).update_servers(server.as_slice());
    }
    pub fn configuration(&self) -> Configuration {
        let sockets = self.slots.iter().flatten().count() as u64;
        Configuration { sockets, sent: self.outgoing.sent, ..self.configuration }
    }

    /// Takes the frames in the filled part of a driver's buffer, and sends what is to be sent. No bytes: there may be room again.
    pub fn input(&mut self, filled: &[u8], now: Instant) {
        // Whether there is room the driver says when it is asked to send, and no earlier than it is asked.
        self.outgoing.room = self.outgoing.room.max(1);
        self.interface.poll_maintenance(now);
        let mut touched = core::mem::take(&mut self.touched);
        let mut all = filled.is_empty();
        for frame in frames(filled).filter(|frame| is_good(frame)) {
            match self.take_frame(frame, now) {
                // There is room for as many as there are.
                Some(handle) => all |= !touched.contains(&handle) && !touched.push_kept(handle),
                // It may say how others are reached.
                None => all = true,
            }
        }
        if all {
            self.attend_all();
            self.output(now);
            self.ask_dhcp();
        } else {
            touched.iter().for_each(|&handle| self.output_of(handle, now));
        }
        touched.clear();
        self.touched = touched;
        self.sweep(now);
    }
    /// Gives a frame to the socket that it is for, which is the result, or to the stack itself.
    fn take_frame(&mut self, frame: &[u8], now: Instant) -> Option<Handle> {
        self.configuration.received += 1;
        let handle = Flow::of(frame)
            // Answers of DHCP are the system's own while it asks, whoever has that port.
            .filter(|flow| self.dhcp.is_none() || !flow.is_dhcp())
            .and_then(|flow| self.sockets.of(&flow));
        let called = handle.is_some_and(|handle| self.sockets.state(handle) == Some(State::Listen));
        let set = handle.and_then(|handle| self.sockets.set(handle)).unwrap_or(&mut self.system);
        let mut link = Link { incoming: Some(frame), outgoing: &mut self.outgoing };
        self.interface.poll_ingress_single(now, &mut link, set);
        if called || handle.is_some_and(|handle| self.sockets.state(handle) == Some(State::Closed)) {
            // The next frame may be the next caller's.
            self.attend_all();
        }
        handle
    }
    fn attend_all(&mut self) {
        let mut waiting = self.waiting();
        for slot in self.slots.iter_mut().flatten() {
            waiting = attend(&mut self.sockets, &mut self.spare, slot, waiting);
        }
    }
    /// The same for the listener at `place`.
    fn attend(&mut self, place: usize) {
        let waiting = self.waiting();
        if let Some(Some(slot)) = self.slots.get_mut(place) {
            attend(&mut self.sockets, &mut self.spare, slot, waiting);
        }
    }
    /// Connections that wait to be accepted, and sockets for the next ones, of all listeners.
    fn waiting(&self) -> usize {
        let of = |slot: &Slot| if let Kind::Listener { waiting, .. } = &slot.kind { waiting.len() } else { 0 };
        self.slots.iter().flatten().map(of).sum()
    }
    /// Sends what is to be sent.
    pub fn output(&mut self, now: Instant) {
        let Stack { interface, sockets, system, outgoing, .. } = self;
        let mut link = Link { incoming: None, outgoing };
        self.due = None;
        for set in sockets.sets().chain([system]) {
            while interface.poll_egress(now, &mut link, set) == PollResult::SocketStateChanged {}
            self.due = self.due.into_iter().chain(interface.poll_at(now, set)).min();
        }
    }
    /// The same of one socket, if it is still there.
    fn output_of(&mut self, handle: Handle, now: Instant) {
        let Some(set) = self.sockets.set(handle) else { return };
        let mut link = Link { incoming: None, outgoing: &mut self.outgoing };
        while self.interface.poll_egress(now, &mut link, set) == PollResult::SocketStateChanged {}
        self.due = self.due.into_iter().chain(self.interface.poll_at(now, set)).min();
    }
    /// Sends what socket `number` is to send after its client took something: the other side may be waiting for room.
    pub fn has_taken(&mut self, number: usize, now: Instant) {
        if let Ok(&mut Slot { kind: Kind::Stream { handle, .. }, .. }) = self.slot(number) {
            self.output_of(handle, now);
        }
    }
    /// When [`Stack::input`] is to be called again, if nothing comes.
    pub fn deadline(&mut self, now: Instant) -> Option<Instant> {
        let own = self.closing.iter().map(|(_, end)| *end).min();
        let stack = self.due;
        // What can not be sent for want of room is sent when there is some.
        let stack =
            if self.outgoing.room == 0 { stack.map(|at| at.max(now + Duration::from_millis(10))) } else { stack };
        own.into_iter().chain(stack).min()
    }
    fn ask_dhcp(&mut self) {
        let Some(handle) = self.dhcp else { return };
        match self.system.get_mut::<dhcpv4::Socket>(handle).poll() {
            Some(dhcpv4::Event::Configured(config)) => {
                let gateway = config.router.map(|router| router.octets());
                let name_server = config.dns_servers.first().map(|server| server.octets());
                let address = config.address;
                self.configure(Some(address), gateway, name_server);
            }
            Some(dhcpv4::Event::Deconfigured) => self.configure(None, None, None),
            None => {}
        }
    }
    /// Ends connections that nobody waits for any more.
    fn sweep(&mut self, now: Instant) {
        let Stack { closing, sockets, spare, .. } = self;
        closing.retain(|&(handle, end)| {
            let socket = sockets.get_mut::<tcp::Socket>(handle);
            let state = socket.state();
            if socket.can_recv() && state != State::Closed {
                // Who goes on sending is told that nobody reads it (RFC 1122, section 4.2.2.13), with what is sent next.
                socket.abort();
                return true;
            }
            let over = matches!(state, State::Closed | State::TimeWait) || now >= end;
            if over {
                spare.keep(sockets, handle);
            }
            !over
        });
    }

    fn slot(&mut self, number: usize) -> Result<&mut Slot> {
        slot(&mut self.slots, number)
    }
    /// How many sockets smoltcp has.
    fn count(&self) -> usize {
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
        self.slots[place] = Some(Slot { number, owner, nonblocking: false, permitted: None, kind });
        number
    }
    /// A new socket of `owner`, of a kind of [`abi::internet::kind`]; its number. `EINVAL`: there is no such kind; `ENOMEM`.
    pub fn create(&mut self, owner: Owner, what: usize) -> Result<usize> {
        let place = self.free_place(owner)?;
        let kind = match what {
            abi::internet::kind::TCP => Kind::Unconnected { local: 0 },
            abi::internet::kind::UDP => {
                Kind::Datagrams { handle: self.sockets.add(buffers::datagrams()?)?, peer: None }
            }
            _ => return Err(Error::EINVAL),
        };
        Ok(self.put(place, owner, kind))
    }
    /// Nobody uses socket `number` any more.
    pub fn remove(&mut self, number: usize, now: Instant) {
        let Some(place) = self.slots.get_mut(number % SLOTS) else { return };
        let Some(slot) = place.take_if(|slot| slot.number == number) else { return };
        match slot.kind {
            Kind::Unconnected { .. } => {}
            Kind::Listener { waiting, .. } => waiting.into_iter().for_each(|handle| self.abandon(handle, now, true)),
            Kind::Stream { handle, .. } => self.abandon(handle, now, false),
            Kind::Datagrams { handle, .. } => drop(self.sockets.remove(handle)),
            Kind::Question { handle, answer: None } => {
                self.system.get_mut::<dns::Socket>(self.dns).cancel_query(handle)
            }
            Kind::Question { .. } => {}
        }
        self.output(now);
        self.sweep(now);
    }
    /// Nobody has this connection any more: what was written is still sent, unless it is to end at once.
    fn abandon(&mut self, handle: Handle, now: Instant, at_once: bool) {
        let socket = self.sockets.get_mut::<tcp::Socket>(handle);
        // Who has sent what nobody will read is told (RFC 1122, section 4.2.2.13).
        if at_once || socket.can_recv() {
            socket.abort()
        } else {
            socket.close()
        }
        if self.closing.len() == CLOSING {
            let (oldest, _) = self.closing.remove(0);
            self.sockets.get_mut::<tcp::Socket>(oldest).abort();
            self.output(now);
            self.spare.keep(&mut self.sockets, oldest);
        }
        self.closing.push_kept((handle, now + Duration::from_secs(PATIENCE_TO_END)));
    }

    /// The port that `number` is to be known by; 0: any. `EINVAL`: it has one, or is connected; `EADDRINUSE`.
    pub fn bind(&mut self, number: usize, port: u16) -> Result<()> {
        let port = if port == 0 { self.dynamic_port() } else { port };
        if self.is_bound(number, port) {
            return Err(Error::EADDRINUSE);
        }
        let Stack { slots, sockets, .. } = self;
        match &mut slot(slots, number)?.kind {
            Kind::Unconnected { local: local @ 0 } => *local = port,
            Kind::Datagrams { handle, .. } => {
                sockets.get_mut::<udp::Socket>(*handle).bind(port).map_err(|_| Error::EINVAL)?;
            }
            _ => return Err(Error::EINVAL),
        }
        Ok(())
    }
    /// Whether a socket other than `number`, of the same protocol, has the port.
    fn is_bound(&mut self, number: usize, port: u16) -> bool {
        let datagrams = matches!(self.slot(number), Ok(Slot { kind: Kind::Datagrams { .. }, .. }));
        let sockets = &self.sockets;
        self.slots.iter().flatten().filter(|slot| slot.number != number).any(|slot| match &slot.kind {
            Kind::Unconnected { local } => !datagrams && *local == port,
            Kind::Listener { port: own, .. } => !datagrams && *own == port,
            Kind::Datagrams { handle, .. } => datagrams && sockets.get::<udp::Socket>(*handle).endpoint().port == port,
            Kind::Stream { .. } | Kind::Question { .. } => false,
        })
    }
    fn dynamic_port(&mut self) -> u16 {
        self.next_port = self.next_port.checked_add(1).unwrap_or(FIRST_DYNAMIC_PORT);
        self.next_port
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
        slot.kind = Kind::Listener { port, backlog, waiting: buffers::room(backlog)? };
        self.attend(number % SLOTS);
        Ok(())
    }
    /// The next connection that was made: its socket's number and the other side. `EAGAIN`: none was; `EINVAL`: it is no listener.
    pub fn accept(&mut self, number: usize, owner: Owner) -> Result<(usize, Address)> {
        let place = self.free_place(owner)?;
        let Stack { slots, sockets, .. } = self;
        let listener = slot(slots, number)?;
        let Kind::Listener { waiting, .. } = &mut listener.kind else { return Err(Error::EINVAL) };
        let made = waiting.iter().position(|&handle| is_made(sockets, handle)).ok_or(Error::EAGAIN)?;
        let handle = waiting.remove(made);
        self.attend(number % SLOTS);
        let socket = self.sockets.get_mut::<tcp::Socket>(handle);
        socket.set_timeout(Some(Duration::from_secs(PATIENCE)));
        let remote = socket.remote_endpoint().map_or(Address::default(), told);
        Ok((self.put(place, owner, Kind::Stream { handle, connecting: false }), remote))
    }
    /// Begins to connect; of datagrams, keeps the peer. `EISCONN`; `EINVAL`: that is nowhere, or no way leads there; `ENFILE`, `ENOMEM`.
    pub fn connect(&mut self, number: usize, to: &Address, now: Instant) -> Result<()> {
        let to = endpoint(to)?;
        match self.slot(number)?.kind {
            Kind::Unconnected { local } => {
                if self.count() >= SOCKETS {
                    return Err(Error::ENFILE);
                }
                let local = if local == 0 { self.dynamic_port() } else { local };
                let Stack { sockets, spare, interface, slots, .. } = self;
                let handle = sockets.add(spare.stream()?)?;
                let socket = sockets.get_mut::<tcp::Socket>(handle);
                socket.set_timeout(Some(Duration::from_secs(PATIENCE_TO_OPEN)));
                if socket.connect(interface.context(), to, local).is_err() {
                    spare.keep(sockets, handle);
                    return Err(Error::EINVAL);
                }
                slot(slots, number)?.kind = Kind::Stream { handle, connecting: true };
            }
            Kind::Datagrams { handle, .. } => {
                self.bind_datagrams(handle)?;
                self.slot(number)?.kind = Kind::Datagrams { handle, peer: Some(to) };
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
    /// Whether `asid` may send to there, as far as was asked for the last datagram; sets it where `permitted`.
    pub fn may_send(&mut self, number: usize, asid: usize, to: &Address, permitted: bool) -> Result<bool> {
        let known = &mut self.slot(number)?.permitted;
        if permitted {
            *known = Some((asid, *to));
        }
        Ok(*known == Some((asid, *to)))
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
        if !self.sockets.get::<udp::Socket>(handle).is_open() {
            let port = self.dynamic_port();
            let bound = self.sockets.get_mut::<udp::Socket>(handle).bind(port);
            bound.map_err(|_| Error::EINVAL)?;
        }
        Ok(())
    }
    /// Sends a datagram. `EMSGSIZE`: it is too long; `EAGAIN`: too many wait to be sent; `EINVAL`: that is nowhere.
    pub fn send(&mut self, number: usize, to: &Address, bytes: &[u8], now: Instant) -> Result<usize> {
        let to = endpoint(to)?;
        let Kind::Datagrams { handle, .. } = self.slot(number)?.kind else { return Err(Error::EOPNOTSUPP) };
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
        let Kind::Datagrams { handle, peer } = self.slot(number)?.kind else { return Err(Error::EOPNOTSUPP) };
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
        let socket = self.system.get_mut::<dns::Socket>(self.dns);
        let handle = socket.start_query(self.interface.context(), name, kind).map_err(|error| match error {
            dns::StartQueryError::NoFreeSlot => Error::EAGAIN,
            _ => Error::EINVAL,
        })?;
        let number = self.put(place, owner, Kind::Question { handle, answer: None });
        self.output(now);
        Ok(number)
    }
    /// What came of a question. `EAGAIN`: nothing yet; `ENOENT`: nobody has the name, or the server does not answer.
    pub fn answer(&mut self, number: usize) -> Result<Address> {
        let Stack { slots, system, dns, .. } = self;
        match &mut slot(slots, number)?.kind {
            Kind::Question { handle, answer } => heard(system, *dns, *handle, answer).unwrap_or(Err(Error::EAGAIN)),
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
    /// Bits of [`event`] that hold of socket `number` for `domain`.
    pub fn ready(&mut self, number: usize, domain: usize) -> u32 {
        let Stack { slots, sockets, system, dns, .. } = self;
        let Ok(slot) = slot(slots, number) else { return event::INVALID };
        if slot.owner.domain != domain {
            return event::INVALID;
        }
        let bit = |yes: bool, bit: u32| if yes { bit } else { 0 };
        match &mut slot.kind {
            Kind::Question { handle, answer } => bit(heard(system, *dns, *handle, answer).is_some(), event::READ),
            Kind::Unconnected { .. } => event::CLOSED,
            Kind::Listener { waiting, .. } => bit(waiting.iter().any(|&handle| is_made(sockets, handle)), event::READ),
            Kind::Datagrams { handle, .. } => {
                let socket = sockets.get::<udp::Socket>(*handle);
                bit(socket.can_recv(), event::READ) | bit(socket.can_send() || !socket.is_open(), event::WRITE)
            }
            Kind::Stream { handle, .. } => {
                let socket = sockets.get::<tcp::Socket>(*handle);
                match socket.state() {
                    State::SynSent | State::SynReceived => 0,
                    State::Closed => event::CLOSED | event::READ | event::WRITE,
                    _ => {
                        bit(socket.can_recv() || !socket.may_recv(), event::READ)
                            | bit(socket.can_send() || !socket.may_send(), event::WRITE)
                    }
                }
            }
        }
    }
    /// Adds a thread that waits. `EBUSY`: too many do.
    pub fn wait(&mut self, waiter: Waiter) -> Result<()> {
        let own = self.waiters.iter().filter(|other| other.owner.account == waiter.owner.account).count();
        if self.waiters.len() >= WAITERS || own >= WAITERS_OF_ONE {
            return Err(Error::EBUSY);
        }
        self.waiters.push_kept(waiter);
        Ok(())
    }
    /// The thread at this semaphore waits no more.
    pub fn leave(&mut self, semaphore: usize) {
        self.waiters.retain(|waiter| waiter.semaphore != semaphore);
    }
    /// Calls `post` for each thread that has something to do now; it waits no more.
    pub fn wake(&mut self, mut post: impl FnMut(usize)) {
        let mut waiters = core::mem::take(&mut self.waiters);
        waiters.retain(|waiter| {
            let ready = waiter.interests.all().iter().any(|&(number, wanted)| {
                self.ready(number, waiter.owner.domain) & (wanted | event::CLOSED | event::INVALID) != 0
            });
            if ready {
                post(waiter.semaphore);
            }
            !ready
        });
        self.waiters = waiters;
    }
}

/// What came of a question, which smoltcp tells once.
fn heard(
    system: &mut SocketSet<'static>,
    dns: SocketHandle,
    question: dns::QueryHandle,
    answer: &mut Option<Result<Address>>,
) -> Option<Result<Address>> {
    if answer.is_none() {
        *answer = match system.get_mut::<dns::Socket>(dns).get_query_result(question) {
            Err(dns::GetQueryResultError::Pending) => None,
            Err(dns::GetQueryResultError::Failed) => Some(Err(Error::ENOENT)),
            Ok(found) => Some(found.first().map(|&first| told(IpEndpoint::new(first, 0))).ok_or(Error::ENOENT)),
        };
    }
    *answer
}
fn slot(slots: &mut [Option<Slot>], number: usize) -> Result<&mut Slot> {
    slots.get_mut(number % SLOTS).and_then(Option::as_mut).filter(|slot| slot.number == number).ok_or(Error::EBADF)
}
/// Whether somebody has connected to this socket of a listener, and all is ready to be accepted.
fn is_made(sockets: &Table, handle: Handle) -> bool {
    !matches!(sockets.get::<tcp::Socket>(handle).state(), State::Listen | State::SynReceived | State::Closed)
}
/// Sees that a listener has a socket for the next caller, as long as not too many wait; and lets go of those that have gone again. Without
/// memory it has none: who calls is refused, and it is tried again with each frame that is nobody's, which what a caller sends is then. `all`: those
/// that wait for all listeners, before; the result is how many do then.
fn attend(sockets: &mut Table, spare: &mut Spare, slot: &mut Slot, all: usize) -> usize {
    let Kind::Listener { port, backlog, waiting } = &mut slot.kind else { return all };
    let last = waiting.last().map(|&handle| sockets.get::<tcp::Socket>(handle).state());
    if last == Some(State::Listen) {
        return all;
    }
    let before = waiting.len();
    waiting.retain(|&handle| {
        let there = sockets.get::<tcp::Socket>(handle).state() != State::Closed;
        if !there {
            spare.keep(sockets, handle);
        }
        there
    });
    let all = all - (before - waiting.len());
    let crowded = all >= OUTSIDE && waiting.len() >= OUTSIDE_FOR_EACH;
    if waiting.len() == *backlog || crowded || sockets.count() >= SOCKETS {
        return all;
    }
    let Ok(mut socket) = spare.stream() else { return all };
    socket.set_timeout(Some(Duration::from_secs(PATIENCE_TO_OPEN)));
    // The port is not 0, and the socket is new.
    let _ = socket.listen(IpListenEndpoint { addr: None, port: *port });
    let Ok(handle) = sockets.add(socket) else { return all };
    waiting.push_kept(handle);
    all + 1
}

#[cfg(test)]
#[path = "exhaustion_tests.rs"]
mod exhaustion;
