//! How sockets get their ends: ports by the decision in `ports.rs`, and the numbers that are not to be foreseen.
//!
//! smoltcp would draw those numbers from the generator of its interface, which they betray. So what draws one is done by an interface that is made for it
//! alone, with the seed that has smoltcp draw the number that it is to have ([`crate::generator`]); it has the addresses of the other, and nothing else is left to it. `clippy.toml` lets the calls
//! that open a socket be made here only.
#![expect(clippy::disallowed_methods, reason = "the place where sockets are opened")]

use super::ports::Port;
use super::{Result, Stack, is_loopback};
use crate::ends::Protocol;
use crate::generator;
use crate::link::{Card, Link};
use crate::table::{Flow, Handle};
use abi::Error;
use smoltcp::iface::{Config, Interface};
use smoltcp::socket::{dns, tcp, udp};
use smoltcp::time::Instant;
use smoltcp::wire::{DnsQueryType, IpEndpoint};

impl<C: Card> Stack<C> {
    /// An interface for one number.
    fn interface_for(&mut self, seed: u64, now: Instant) -> Interface {
        let mut config = Config::new(self.interface.hardware_addr());
        config.random_seed = seed;
        let mut interface = Interface::new(config, &mut Link { incoming: None, outgoing: &mut self.outgoing }, now);
        // There is as much room as in the other.
        interface.update_ip_addrs(|addresses| _ = addresses.extend_from_slice(self.interface.ip_addrs()));
        interface
    }
    /// The same for the connection between these ends.
    fn interface_for_connection(&mut self, local: IpEndpoint, remote: IpEndpoint, now: Instant) -> Interface {
        let sequence = self.numbers.sequence(local, remote, now);
        let seed = generator::seed_of_connection(sequence, || self.numbers.draw());
        self.interface_for(seed, now)
    }
    /// Gives a socket for datagrams its port. `EADDRINUSE`; `EINVAL`: it has one.
    pub(super) fn open_datagrams(&mut self, handle: Handle, wanted: u16) -> Result<()> {
        if self.sockets.get::<udp::Socket>(handle).is_open() {
            return Err(Error::EINVAL);
        }
        let port = self.free_port(Protocol::Udp, wanted, None)?;
        self.sockets.get_mut::<udp::Socket>(handle).bind(port.number()).map_err(|_| Error::EINVAL)
    }
    /// Has a new socket begin to connect from that port, or, for 0, from any. `EADDRINUSE`: that is a connection; `EINVAL`: that is nowhere, or no way leads there.
    pub(super) fn open_connection(&mut self, handle: Handle, wanted: u16, to: IpEndpoint, now: Instant) -> Result<()> {
        let port = self.free_port(Protocol::Tcp, wanted, Some(to))?;
        let address = self.interface.get_source_address(&to.addr).ok_or(Error::EINVAL)?;
        // From there no way leads to others.
        if is_loopback(&address) && !is_loopback(&to.addr) {
            return Err(Error::EINVAL);
        }
        let from = IpEndpoint::new(address, port.number());
        let mut interface = self.interface_for_connection(from, to, now);
        let socket = self.sockets.get_mut::<tcp::Socket>(handle);
        socket.connect(interface.context(), to, from).map_err(|_| Error::EINVAL)
    }
    /// Gives a listener's socket a frame that may open a connection.
    pub(super) fn open_from_outside(&mut self, handle: Handle, flow: &Flow, frame: &[u8], now: Instant) {
        let mut interface = self.interface_for_connection(flow.to, flow.from, now);
        let Some(set) = self.sockets.set(handle) else { return };
        let mut link = Link { incoming: Some(frame), outgoing: &mut self.outgoing };
        interface.poll_ingress_single(now, &mut link, set);
        self.has_called(handle);
    }
    /// Asks the name server, from a port that is nobody else's until the question is taken back. `EAGAIN`: too many ask; `EINVAL`: that is no name.
    pub(super) fn open_question(
        &mut self,
        name: &str,
        kind: DnsQueryType,
        now: Instant,
    ) -> Result<(dns::QueryHandle, Port)> {
        let port = self.free_port(Protocol::Udp, 0, None)?;
        let seed = generator::seed_of_question(port.number(), || self.numbers.draw());
        let mut interface = self.interface_for(seed, now);
        let socket = self.system.get_mut::<dns::Socket>(self.dns);
        let question = socket.start_query(interface.context(), name, kind).map_err(|error| match error {
            dns::StartQueryError::NoFreeSlot => Error::EAGAIN,
            _ => Error::EINVAL,
        })?;
        Ok((question, port))
    }
}

#[cfg(test)]
#[path = "openings_tests.rs"]
mod tests;
