//! Connections whose clients have gone. What was written is still delivered, however slowly the other side takes it, as long as it goes on; what the other
//! side still sends is taken and thrown away meanwhile, for to refuse it would throw away what is on its way there, too (RFC 9112, section 9.6). Who goes on
//! sending when it has all is told in the end that nobody reads it (RFC 1122, section 4.2.2.13).

use super::Stack;
use crate::limits::*;
use crate::link::Card;
use crate::table::Handle;
use fallible::TryPush;
use smoltcp::socket::tcp::{self, State};
use smoltcp::time::{Duration, Instant};

/// One of them.
pub struct Farewell {
    pub(super) handle: Handle,
    /// When it is over, if nothing happens before.
    until: Instant,
    /// What was still to be acknowledged at the last look: bytes, and the end itself.
    left: (usize, bool),
    /// Something came that nobody has read.
    unread: bool,
}
impl Farewell {
    pub fn until(&self) -> Instant {
        self.until
    }
    /// Looks at the socket; what is to become of it.
    fn look(&mut self, socket: &mut tcp::Socket, now: Instant) -> Next {
        let mut taken = false;
        while let Ok(count @ 1..) = socket.recv(|bytes| (bytes.len(), bytes.len())) {
            taken |= count > 0;
        }
        self.unread |= taken;
        let state = socket.state();
        if matches!(state, State::Closed | State::TimeWait) {
            return Next::Over;
        }
        let left = (socket.send_queue(), state != State::FinWait2);
        if left != self.left {
            let patience = if left.1 || !self.unread { PATIENCE_TO_END } else { PATIENCE_WITH_UNREAD };
            self.until = now + Duration::from_secs(patience);
            self.left = left;
        } else if taken && !left.1 {
            // It has all: what it goes on sending is its own affair.
            self.until = self.until.min(now + Duration::from_secs(PATIENCE_WITH_UNREAD));
        }
        match (now >= self.until, self.unread || left.1) {
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

impl<C: Card> Stack<C> {
    /// Nobody has this connection any more: what was written is still sent, unless it is to end at once.
    pub(super) fn abandon(&mut self, handle: Handle, now: Instant, at_once: bool) {
        let socket = self.sockets.get_mut::<tcp::Socket>(handle);
        if at_once {
            socket.abort()
        } else {
            socket.close()
        }
        if self.closing.len() == CLOSING
            && let Some(last) = (0..CLOSING).min_by_key(|&n| self.closing[n].until)
        {
            let Farewell { handle, .. } = self.closing.remove(last);
            self.dismiss(handle, now);
        }
        let until = now + Duration::from_secs(PATIENCE_TO_END);
        self.closing.push_kept(Farewell { handle, until, left: (usize::MAX, true), unread: false });
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
    fn dismiss(&mut self, handle: Handle, now: Instant) {
        self.sockets.get_mut::<tcp::Socket>(handle).abort();
        self.output_of(handle, now);
        self.sockets.retire(handle, &mut self.spare);
    }
}

#[cfg(test)]
#[path = "farewells_tests.rs"]
mod tests;
