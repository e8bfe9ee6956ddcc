//! The sockets of all clients, over smoltcp's: what comes from the card and goes to it, and what time does. What clients do with their
//! sockets is in `stack/calls.rs`, which ports and numbers they get in `ports.rs` and `openings.rs`, callers from outside in `listeners.rs`,
//! threads that wait in `waits.rs`.

use crate::buffers::{self, Spare};
use crate::limits::*;
use crate::link::{Card, Link, Outgoing, is_good};
use crate::numbers::{Numbers, Secret};
use crate::refusal;
use crate::socket::{Kind, Slot};
use crate::table::{Flow, Handle, Table};
use abi::Error;
use abi::identity::DomainId;
use abi::internet::Configuration;
use abi::network::frames;
use alloc::vec::Vec;
use fallible::TryPush;
use smoltcp::config::DNS_MAX_SERVER_COUNT;
use smoltcp::iface::{Config, Interface, PollResult, SocketHandle, SocketSet};
use smoltcp::socket::tcp::State;
use smoltcp::socket::{dhcpv4, dns, udp};
use smoltcp::time::{Duration, Instant};
use smoltcp::wire::{EthernetAddress, HardwareAddress, IpAddress, IpCidr, IpEndpoint, Ipv4Address, Ipv4Cidr};

mod calls;
mod farewells;
mod listeners;
mod openings;
mod ports;
mod waits;

use farewells::Farewell;
use waits::Changed;
pub use waits::{Interests, Waiter};

type Result<T> = core::result::Result<T, Error>;

/// Sockets of the stack itself: for DHCP, and for questions to the name server.
const SYSTEM: usize = 2;
/// Frames to itself that are taken in a row; more wait for the next look.
const SETTLED: usize = 256;
pub(crate) fn is_loopback(address: &IpAddress) -> bool {
    core::net::IpAddr::from(*address).is_loopback()
}
/// Whose a socket is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The domain that may poll it.
    pub domain: DomainId,
    /// The account that it counts for: that of the domain's component.
    pub account: usize,
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
    /// What it has sent to itself is being taken.
    settling: bool,
    slots: Vec<Option<Slot>>,
    /// Sockets made so far, modulo what fits above a place.
    made: usize,
    /// Threads that wait, each in its seat.
    waiters: Vec<Option<Waiter>>,
    /// What is to be looked at for them, and the seats of those whose sockets are no more.
    changed: Changed,
    orphaned: u64,
    /// How many sockets were looked at to wake somebody.
    #[cfg(test)]
    looked_at: core::cell::Cell<usize>,
    /// Connections whose clients have gone.
    closing: Vec<Farewell>,
    spare: Spare,
    dhcp: Option<SocketHandle>,
    dns: SocketHandle,
    numbers: Numbers,
    configuration: Configuration,
}

impl<C: Card> Stack<C> {
    /// A stack for the card with this address. It asks for an IPv4 address (RFC 2131), unless it is
    /// given one, and a gateway. `ENOMEM`: there is no room for what it keeps; what frames, time and ends need is all there, else.
    pub fn new(card: C, hardware: [u8; 6], secret: &Secret, now: Instant, given: Option<Given>) -> Result<Stack<C>> {
        let mut numbers = Numbers::new(secret);
        let mut config = Config::new(HardwareAddress::Ethernet(EthernetAddress(hardware)));
        // What is asked of DHCP servers is known by it; all else has numbers of its own.
        config.random_seed = numbers.draw();
        config.slaac = true;
        let mut outgoing = Outgoing::new(card);
        let mut interface = Interface::new(config, &mut Link { incoming: None, outgoing: &mut outgoing }, now);
        interface.update_ip_addrs(|addresses| {
            // The address of its link that it gives itself (RFC 4291, appendix A).
            let [a, b, c, d, e, f] = hardware;
            let half = |high: u8, low: u8| u16::from_be_bytes([high, low]);
            let own = IpAddress::v6(0xfe80, 0, 0, 0, half(a ^ 2, b), half(c, 0xff), half(0xfe, d), half(e, f));
            let _ = addresses.push(IpCidr::new(own, 64));
            let _ = addresses.push(IpCidr::new(IpAddress::v4(127, 0, 0, 1), 8));
            let _ = addresses.push(IpCidr::new(IpAddress::v6(0, 0, 0, 0, 0, 0, 0, 1), 128));
        });
        let mut system = SocketSet::new(buffers::room(SYSTEM)?);
        let dhcp = given.is_none().then(|| system.add(dhcpv4::Socket::new()));
        let questions: Vec<Option<dns::DnsQuery>> = fallible::collected((0..QUESTIONS).map(|_| None))?;
        let dns = system.add(dns::Socket::new(&[], questions));
        let mut card = [0; 8];
        card[..6].copy_from_slice(&hardware);
        let configuration = Configuration { card, ..Configuration::default() };
        let mut stack = Stack {
            interface,
            sockets: Table::new(),
            system,
            touched: buffers::room(SOCKETS)?,
            due: None,
            outgoing,
            settling: false,
            slots: Vec::new(),
            made: 0,
            waiters: fallible::collected((0..WAITERS).map(|_| None))?,
            changed: Changed::NONE,
            orphaned: 0,
            #[cfg(test)]
            looked_at: Default::default(),
            closing: buffers::room(CLOSING)?,
            spare: Spare::new()?,
            dhcp,
            dns,
            numbers,
            configuration,
        };
        if let Some(Given { address, gateway, name_server }) = given {
            stack.configure(Some(address), gateway, name_server.as_slice());
        }
        Ok(stack)
    }
    fn configure(&mut self, address: Option<Ipv4Cidr>, gateway: Option<[u8; 4]>, name_servers: &[[u8; 4]]) {
        self.interface.update_ip_addrs(|addresses| {
            addresses
                .retain(|address| matches!(address.address(), IpAddress::Ipv6(_)) || is_loopback(&address.address()));
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
        own.name_server = name_servers.first().copied().unwrap_or_default();
        let mut servers = [IpAddress::Ipv4(Ipv4Address::UNSPECIFIED); DNS_MAX_SERVER_COUNT];
        servers.iter_mut().zip(name_servers).for_each(|(to, &from)| *to = IpAddress::Ipv4(from.into()));
        let servers = &servers[..name_servers.len().min(DNS_MAX_SERVER_COUNT)];
        self.system.get_mut::<dns::Socket>(self.dns).update_servers(servers);
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
        if let Some((from, to)) = refusal::of(frame) {
            self.refuse(from, to);
        }
        let flow = Flow::of(frame)
            // Answers of DHCP are the system's own while it asks, whoever has that port.
            .filter(|flow| self.dhcp.is_none() || !flow.is_dhcp());
        let mut handle = flow.and_then(|flow| self.sockets.of(&flow));
        if let (None, Some(flow)) = (handle, flow.filter(Flow::may_open)) {
            self.make_way(&flow, now);
            handle = self.sockets.of(&flow);
            if handle.is_none() && self.listens(flow.to.port) {
                // Who hears nothing calls again, and who is refused gives up.
                return None;
            }
        }
        let called = handle.is_some_and(|handle| self.sockets.state(handle) == Some(State::Listen));
        match (handle, flow) {
            (Some(handle), Some(flow)) if called && flow.may_open() => {
                self.open_from_outside(handle, &flow, frame, now)
            }
            _ => {
                let set = handle.and_then(|handle| self.sockets.set(handle)).unwrap_or(&mut self.system);
                let mut link = Link { incoming: Some(frame), outgoing: &mut self.outgoing };
                self.interface.poll_ingress_single(now, &mut link, set);
            }
        }
        if called || handle.is_some_and(|handle| self.sockets.state(handle) == Some(State::Closed)) {
            // The next frame may be the next caller's.
            self.attend_all();
        }
        handle
    }
    /// Sends what is to be sent.
    pub fn output(&mut self, now: Instant) {
        let Stack { interface, sockets, system, outgoing, .. } = self;
        let mut link = Link { incoming: None, outgoing };
        self.due = None;
        self.changed = Changed::ALL;
        for set in sockets.sets().chain([system]) {
            while interface.poll_egress(now, &mut link, set) == PollResult::SocketStateChanged {}
            self.due = self.due.into_iter().chain(interface.poll_at(now, set)).min();
        }
        self.settle(now);
    }
    /// Takes what this machine has sent to itself, and what it answers.
    fn settle(&mut self, now: Instant) {
        if core::mem::replace(&mut self.settling, true) {
            return;
        }
        for _ in 0..SETTLED {
            let Some(frame) = self.outgoing.own.pop_front() else { break };
            match self.take_frame(&frame, now) {
                Some(handle) => self.output_of(handle, now),
                None => self.output(now),
            }
        }
        self.settling = false;
    }
    /// The same of one socket, if it is still there.
    fn output_of(&mut self, handle: Handle, now: Instant) {
        self.has_changed(handle);
        let Some(set) = self.sockets.set(handle) else { return };
        let mut link = Link { incoming: None, outgoing: &mut self.outgoing };
        while self.interface.poll_egress(now, &mut link, set) == PollResult::SocketStateChanged {}
        self.due = self.due.into_iter().chain(self.interface.poll_at(now, set)).min();
        self.settle(now);
    }
    /// Sends what socket `number` is to send after its client took something: the other side may be waiting for room.
    pub fn has_taken(&mut self, number: usize, now: Instant) {
        if let Ok(&mut Slot { kind: Kind::Stream { handle, .. }, .. }) = self.slot(number) {
            self.output_of(handle, now);
        }
    }
    /// When [`Stack::input`] is to be called again, if nothing comes.
    pub fn deadline(&mut self, now: Instant) -> Option<Instant> {
        if !self.outgoing.own.is_empty() {
            return Some(now);
        }
        let own = self.closing.iter().map(Farewell::until).min();
        let stack = self.due;
        // What can not be sent for want of room is sent when there is some.
        let stack =
            if self.outgoing.room == 0 { stack.map(|at| at.max(now + Duration::from_millis(10))) } else { stack };
        own.into_iter().chain(stack).min()
    }
    /// Nobody takes the datagrams of the socket between these ends: its client is told. Who sends to many, is not (RFC 1122, section 4.1.3.3).
    fn refuse(&mut self, from: IpEndpoint, to: IpEndpoint) {
        for (place, slot) in self.slots.iter_mut().enumerate() {
            if let Some(Slot { kind: Kind::Datagrams { handle, peer, refused }, .. }) = slot
                && *peer == Some(to)
                && self.sockets.get::<udp::Socket>(*handle).endpoint().port == from.port
            {
                *refused = true;
                self.changed.add(place);
            }
        }
    }
    fn ask_dhcp(&mut self) {
        let Some(handle) = self.dhcp else { return };
        match self.system.get_mut::<dhcpv4::Socket>(handle).poll() {
            Some(dhcpv4::Event::Configured(config)) => {
                let gateway = config.router.map(|router| router.octets());
                let mut servers = [[0; 4]; DNS_MAX_SERVER_COUNT];
                let count = config.dns_servers.len().min(DNS_MAX_SERVER_COUNT);
                servers.iter_mut().zip(&config.dns_servers).for_each(|(to, from)| *to = from.octets());
                let address = config.address;
                self.configure(Some(address), gateway, &servers[..count]);
            }
            Some(dhcpv4::Event::Deconfigured) => self.configure(None, None, &[]),
            None => {}
        }
    }
}

#[cfg(test)]
#[path = "exhaustion_tests.rs"]
mod exhaustion;
#[cfg(test)]
mod machines;
#[cfg(test)]
mod rough_tests;
