//! Connections whose clients have gone. What was written is still delivered, however slowly the other side takes it, as long as it goes on; what the other
//! side still sends is taken and thrown away meanwhile, for to refuse it would throw away what is on its way there, too (RFC 9112, section 9.6). Who goes on
//! sending when it has all, or sends too much, and whose words were not read, is told in the end that nobody reads them (RFC 1122, section 4.2.2.13).
//!
//! They have so many places together. Where all are taken, the account that has the most gives one up, of its hosts the one that has the most, and of that the
//! connection that has waited longest for any progress; and none has its place for longer than [`LONGEST_END`].

use super::Stack;
use crate::limits::*;
use crate::link::Card;
use crate::table::Handle;
use abi::internet::Host;
use core::net::IpAddr;
use fallible::TryPush;
use smoltcp::socket::tcp::{self, State};
use smoltcp::time::{Duration, Instant};

/// One of them.
pub struct Farewell {
    pub(super) handle: Handle,
    /// Whose it was, and who is on the other side, if somebody is.
    account: usize,
    host: Option<Host>,
    /// When it is over, if nothing happens before, and whatever happens.
    until: Instant,
    end: Instant,
    /// What was still to be acknowledged at the last look: bytes, and the end itself.
    left: (usize, bool),
    /// Whether bytes were, when its client went.
    owed: bool,
    /// Bytes that came, and nobody has read.
    unread: usize,
}
impl Farewell {
    pub fn until(&self) -> Instant {
        self.until
    }
    /// Looks at the socket; what is to become of it.
    fn look(&mut self, socket: &mut tcp::Socket, now: Instant) -> Next {
        let before = self.unread;
        while let Ok(count @ 1..) = socket.recv(|bytes| (bytes.len(), bytes.len())) {
            self.unread = self.unread.saturating_add(count);
        }
        let taken = self.unread > before;
        let left = (socket.send_queue(), socket.state() != State::FinWait2);
        match socket.state() {
            State::Closed => return Next::Over,
            // Both have said all: what was not read has not arrived. Before its own end is acknowledged, that holds where nothing but that end was on its way.
            State::TimeWait if self.unread > 0 => return Next::Reset,
            State::LastAck if self.unread > 0 && !self.owed => return Next::Reset,
            State::TimeWait => return Next::Over,
            _ if self.unread > UNREAD => return Next::Reset,
            _ => {}
        }
        if left != self.left {
            self.until = self.end.min(now + Duration::from_secs(PATIENCE_TO_END));
            self.left = left;
        } else if taken && !left.1 {
            // It has all: what it goes on sending is its own affair.
            self.until = self.until.min(now + Duration::from_secs(PATIENCE_WITH_UNREAD));
        }
        match (now >= self.until, self.unread > 0 || left.1) {
            (true, true) => Next::Reset,
            (true, false) => Next::Over,
            (false, _) if taken => Next::Answer,
            (false, _) => Next::Wait,
        }
    }
}
enum Next {
    Wait,
    /// There is room again for what comes, which the other side is told.
    Answer,
    Over,
    /// The other side is told that it is over.
    Reset,
}
/// Which of them gives up its place for one more.
fn gives_way(closing: &[Farewell]) -> Option<usize> {
    let of = |one: &Farewell| closing.iter().filter(|other| other.account == one.account).count();
    let of_host =
        |one: &Farewell| closing.iter().filter(|other| (other.account, other.host) == (one.account, one.host)).count();
    let latest = |one: &Farewell| core::cmp::Reverse(one.until);
    let all = closing.iter().enumerate();
    all.max_by_key(|(_, one)| (of(one), of_host(one), latest(one))).map(|(place, _)| place)
}

impl<C: Card> Stack<C> {
    /// Nobody has this connection of `account` any more: what was written is still sent.
    pub(super) fn abandon(&mut self, handle: Handle, account: usize, now: Instant) {
        if self.closing.len() == CLOSING
            && let Some(place) = gives_way(&self.closing)
        {
            let Farewell { handle, .. } = self.closing.remove(place);
            self.dismiss(handle, now);
        }
        let socket = self.sockets.get_mut::<tcp::Socket>(handle);
        socket.close();
        self.closing.push_kept(Farewell {
            handle,
            account,
            host: socket.remote_endpoint().map(|remote| Host::from(IpAddr::from(remote.addr))),
            until: now + Duration::from_secs(PATIENCE_TO_END),
            end: now + Duration::from_secs(LONGEST_END),
            left: (usize::MAX, true),
            owed: socket.send_queue() > 0,
            unread: 0,
        });
    }
    /// Ends connections that nobody waits for any more.
    pub(super) fn sweep(&mut self, now: Instant) {
        let mut n = 0;
        while n < self.closing.len() {
            let farewell = &mut self.closing[n];
            let handle = farewell.handle;
            let next = farewell.look(self.sockets.get_mut(handle), now);
            if let Next::Answer = next {
                self.output_of(handle, now);
            }
            if let Next::Wait | Next::Answer = next {
                n += 1;
                continue;
            }
            self.closing.remove(n);
            match next {
                Next::Reset => self.dismiss(handle, now),
                _ => self.sockets.retire(handle, &mut self.spare),
            }
        }
    }
    /// Resets a connection of which nothing is kept.
    pub(super) fn dismiss(&mut self, handle: Handle, now: Instant) {
        self.sockets.get_mut::<tcp::Socket>(handle).abort();
        self.output_of(handle, now);
        self.sockets.retire(handle, &mut self.spare);
    }
}

#[cfg(test)]
#[path = "farewells_tests.rs"]
mod tests;
