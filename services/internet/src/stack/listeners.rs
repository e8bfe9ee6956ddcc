//! Callers from outside: a listener has a socket for the next one, and those that wait to be accepted.
//!
//! They take turns by hosts: the first of each host waits for one round, its second for the round after that, and so on (self-clocked fair queueing,
//! Golestani 1994, with one step for each). A round has begun when the first of it is accepted. So a host that calls often is served as often as others, and
//! where there is no room for one more, who has the latest turn gives way to who comes with an earlier one: a host has all places only as long
//! as no other wants any.

use super::Stack;
use crate::buffers::Spare;
use crate::limits::*;
use crate::link::Card;
use crate::socket::{Caller, Kind, SLOTS, Slot};
use crate::table::{Flow, Handle, Table};
use abi::internet::Host;
use core::net::IpAddr;
use fallible::TryPush;
use smoltcp::socket::tcp::{self, State};
use smoltcp::time::{Duration, Instant};
use smoltcp::wire::IpListenEndpoint;

impl<C: Card> Stack<C> {
    pub(super) fn attend_all(&mut self) {
        let mut waiting = self.waiting();
        for slot in self.slots.iter_mut().flatten() {
            waiting = attend(&mut self.sockets, &mut self.spare, slot, waiting);
        }
    }
    /// The same for the listener at `place`.
    pub(super) fn attend(&mut self, place: usize) {
        let waiting = self.waiting();
        if let Some(Some(slot)) = self.slots.get_mut(place) {
            attend(&mut self.sockets, &mut self.spare, slot, waiting);
        }
    }
    /// Sees that who calls now has a socket, if its turn would be before that of somebody who waits: of the same listener, or, where all together are too many,
    /// of any.
    pub(super) fn make_way(&mut self, flow: &Flow, now: Instant) {
        let all = self.waiting();
        let Stack { slots, sockets, .. } = self;
        let called = slots.iter().flatten().find_map(|slot| match &slot.kind {
            Kind::Listener { port, waiting, round, backlog } if *port == flow.to.port => {
                let full = waiting.len() == *backlog;
                let wanted = full || is_crowded(sockets, waiting, all);
                let turn = turn(sockets, waiting, *round, Host::from(IpAddr::from(flow.from.addr)));
                wanted.then_some((*port, turn - round, full))
            }
            _ => None,
        });
        let Some((called, own, full)) = called else { return };
        let last = slots.iter_mut().flatten().filter_map(|slot| match &mut slot.kind {
            Kind::Listener { port, waiting, round, .. } if !full || *port == called => {
                let there = waiting.iter().enumerate().filter(|(_, caller)| host(sockets, caller.handle).is_some());
                let (last, turn) = there.map(|(n, caller)| (n, caller.round)).max_by_key(|(_, turn)| *turn)?;
                Some((turn.saturating_sub(*round), waiting, last))
            }
            _ => None,
        });
        let last = last.max_by_key(|(turn, ..)| *turn);
        let Some((_, waiting, last)) = last.filter(|(turn, ..)| *turn > own) else { return };
        let Caller { handle, .. } = waiting.remove(last);
        self.dismiss(handle, now);
        self.attend_all();
    }
    /// Whether somebody listens at a port, if there is room for a caller now or not.
    pub(super) fn listens(&self, at: u16) -> bool {
        let here = |slot: &Slot| matches!(slot.kind, Kind::Listener { port, .. } if port == at);
        self.slots.iter().flatten().any(here)
    }
    /// Gives who may have just called by this socket its turn.
    pub(super) fn has_called(&mut self, handle: Handle) {
        let Some(host) = host(&self.sockets, handle) else { return };
        for slot in self.slots.iter_mut().flatten() {
            let Kind::Listener { waiting, round, .. } = &mut slot.kind else { continue };
            if let Some(own) = waiting.iter().position(|caller| caller.handle == handle) {
                // What the last one had who called by it is not its own.
                waiting[own].round = 0;
                waiting[own].round = turn(&self.sockets, waiting, *round, host);
            }
        }
    }
    /// Connections that wait to be accepted, and sockets for the next ones, of all listeners.
    fn waiting(&self) -> usize {
        let of = |slot: &Slot| if let Kind::Listener { waiting, .. } = &slot.kind { waiting.len() } else { 0 };
        self.slots.iter().flatten().map(of).sum()
    }
}

/// Whose connection it is; `None`: nobody has called by this socket yet.
fn host(sockets: &Table, handle: Handle) -> Option<Host> {
    let remote = sockets.get::<tcp::Socket>(handle).remote_endpoint()?;
    Some(Host::from(IpAddr::from(remote.addr)))
}
/// In which round the next of a host has its turn.
fn turn(sockets: &Table, waiting: &[Caller], round: u64, of: Host) -> u64 {
    let own = waiting.iter().filter(|caller| host(sockets, caller.handle) == Some(of));
    own.map(|caller| caller.round).fold(round, u64::max) + 1
}
/// Whether a listener gets no socket for the next caller because so many wait for all of them, `all`.
fn is_crowded(sockets: &Table, waiting: &[Caller], all: usize) -> bool {
    all >= OUTSIDE && waiting.len() >= OUTSIDE_FOR_EACH || sockets.count() >= SOCKETS
}
/// Whether somebody has connected to this socket of a listener, and all is ready to be accepted.
pub(super) fn is_made(sockets: &Table, handle: Handle) -> bool {
    !matches!(sockets.get::<tcp::Socket>(handle).state(), State::Listen | State::SynReceived | State::Closed)
}
/// Sees that a listener has a socket for the next caller, as long as not too many wait; and lets go of those that have gone again. Without
/// memory it has none: who calls is not heard, and it is tried again with each frame that is nobody's, which what a caller sends is then. `all`: those
/// that wait for all listeners, before; the result is how many do then.
fn attend(sockets: &mut Table, spare: &mut Spare, slot: &mut Slot, all: usize) -> usize {
    let place = slot.number % SLOTS;
    let Kind::Listener { port, backlog, waiting, .. } = &mut slot.kind else { return all };
    let last = waiting.last().map(|caller| sockets.get::<tcp::Socket>(caller.handle).state());
    if last == Some(State::Listen) {
        return all;
    }
    let before = waiting.len();
    waiting.retain(|caller| {
        let there = sockets.get::<tcp::Socket>(caller.handle).state() != State::Closed;
        if !there {
            sockets.retire(caller.handle, spare);
        }
        there
    });
    let all = all - (before - waiting.len());
    if waiting.len() == *backlog || is_crowded(sockets, waiting, all) {
        return all;
    }
    let Ok(mut socket) = spare.stream() else { return all };
    socket.set_timeout(Some(Duration::from_secs(PATIENCE_TO_OPEN)));
    // The port is not 0, and the socket is new.
    let _ = socket.listen(IpListenEndpoint { addr: None, port: *port });
    let Ok(handle) = sockets.add(socket) else { return all };
    sockets.belongs(handle, place);
    waiting.push_kept(Caller { handle, round: 0 });
    all + 1
}

#[cfg(test)]
#[path = "listeners_tests.rs"]
mod tests;
