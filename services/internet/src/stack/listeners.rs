//! Callers from outside: a listener has a socket for the next one, and those that wait to be accepted.

use super::Stack;
use crate::buffers::Spare;
use crate::limits::*;
use crate::link::Card;
use crate::socket::{Kind, Slot};
use crate::table::{Handle, Table};
use fallible::TryPush;
use smoltcp::socket::tcp::{self, State};
use smoltcp::time::Duration;
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
    /// Connections that wait to be accepted, and sockets for the next ones, of all listeners.
    fn waiting(&self) -> usize {
        let of = |slot: &Slot| if let Kind::Listener { waiting, .. } = &slot.kind { waiting.len() } else { 0 };
        self.slots.iter().flatten().map(of).sum()
    }
}

/// Whether somebody has connected to this socket of a listener, and all is ready to be accepted.
pub(super) fn is_made(sockets: &Table, handle: Handle) -> bool {
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
            sockets.retire(handle, spare);
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
