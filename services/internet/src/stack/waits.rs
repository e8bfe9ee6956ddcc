//! Threads that wait for sockets, and what they wait for.
//!
//! Each thread has a seat, and each socket the seats of those that wait for it, as bits. A change looks at the socket that has changed and wakes whose seats are
//! there: what others wait for, and how long their lists are, does not matter to it. To take a seat and to leave it costs a look at each socket of
//! one's own list, which has no more entries than an account has sockets.

use super::listeners::is_made;
use super::{Owner, Result, Stack};
use crate::limits::*;
use crate::link::Card;
use crate::names::Answers;
use crate::seats::Seats;
use crate::socket::{Kind, SLOTS, Slot, slot};
use crate::table::Handle;
use abi::Error;
use abi::identity::DomainId;
use abi::internet::event;
use alloc::vec::Vec;
use smoltcp::iface::{SocketHandle, SocketSet};
use smoltcp::socket::tcp::State;
use smoltcp::socket::{dns, tcp, udp};

/// Sockets that may have become ready since somebody was last woken, by their places.
pub struct Changed([u64; SLOTS / 64]);
impl Changed {
    pub const NONE: Changed = Changed([0; SLOTS / 64]);
    pub const ALL: Changed = Changed([u64::MAX; SLOTS / 64]);

    pub fn add(&mut self, place: usize) {
        self.0[place / 64] |= 1 << (place % 64);
    }
    fn has(&self, place: usize) -> bool {
        self.0[place / 64] >> (place % 64) & 1 != 0
    }
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

impl<C: Card> Stack<C> {
    /// Bits of [`event`] that hold of socket `number` for `domain`.
    pub fn ready(&mut self, number: usize, domain: DomainId) -> u32 {
        let Stack { slots, sockets, system, dns, .. } = self;
        let Ok(slot) = slot(slots, number) else { return event::INVALID };
        if slot.owner.domain != domain {
            return event::INVALID;
        }
        let bit = |yes: bool, bit: u32| if yes { bit } else { 0 };
        match &mut slot.kind {
            Kind::Question { handle, answer, .. } => bit(heard(system, *dns, *handle, answer).is_some(), event::READ),
            Kind::Unconnected { .. } => event::CLOSED,
            Kind::Listener { waiting, .. } => {
                bit(waiting.iter().any(|caller| is_made(sockets, caller.handle)), event::READ)
            }
            Kind::Datagrams { handle, refused, .. } => {
                let socket = sockets.get::<udp::Socket>(*handle);
                bit(socket.can_recv() || *refused, event::READ)
                    | bit(socket.can_send() || !socket.is_open(), event::WRITE)
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
    /// Adds a thread that waits; `false`: one of the sockets is ready, and it does not wait. `EBUSY`: too many do; `EINVAL`: for too many.
    pub fn wait(&mut self, waiter: Waiter) -> Result<bool> {
        let interests = waiter.interests.all();
        if interests.len() > INTERESTS {
            return Err(Error::EINVAL);
        }
        let own = self.waiters.iter().flatten().filter(|other| other.owner.account == waiter.owner.account).count();
        let place = self.waiters.iter().position(Option::is_none).ok_or(Error::EBUSY)?;
        if own >= WAITERS_OF_ONE {
            return Err(Error::EBUSY);
        }
        let domain = waiter.owner.domain;
        for &(number, wanted) in interests {
            if self.ready(number, domain) & (wanted | event::CLOSED | event::INVALID) != 0 {
                return Ok(false);
            }
        }
        for &(number, wanted) in interests {
            // All are there: they are not ready, as one that is not there is.
            if let Ok(slot) = self.slot(number) {
                slot.seats.take(1 << place, wanted);
            }
        }
        self.waiters[place] = Some(waiter);
        Ok(true)
    }
    /// The thread at this semaphore waits no more.
    pub fn leave(&mut self, semaphore: usize) {
        let waits = |waiter: &Option<Waiter>| waiter.as_ref().is_some_and(|waiter| waiter.semaphore == semaphore);
        if let Some(place) = self.waiters.iter().position(waits) {
            self.vacate(place);
        }
    }
    /// Takes the thread out of its seat; its semaphore.
    fn vacate(&mut self, place: usize) -> Option<usize> {
        let waiter = self.waiters[place].take()?;
        for &(number, _) in waiter.interests.all() {
            if let Ok(slot) = self.slot(number) {
                slot.seats.leave(1 << place);
            }
        }
        Some(waiter.semaphore)
    }
    /// Calls `post` for each thread for which something has changed that it waits for; it waits no more.
    pub fn wake(&mut self, mut post: impl FnMut(usize)) {
        let changed = core::mem::replace(&mut self.changed, Changed::NONE);
        let mut woken = core::mem::take(&mut self.orphaned);
        for place in (0..self.slots.len()).filter(|&place| changed.has(place)) {
            let Some(&Slot { number, owner, seats, .. }) = self.slots[place].as_ref() else { continue };
            if seats.all() != 0 {
                #[cfg(test)]
                self.looked_at.set(self.looked_at.get() + 1);
                woken |= seats.woken(self.ready(number, owner.domain));
            }
        }
        for place in (0..self.waiters.len()).filter(|place| woken >> place & 1 != 0) {
            if let Some(semaphore) = self.vacate(place) {
                post(semaphore);
            }
        }
    }
    /// The socket at a place is no more: who waits for it is woken.
    pub(super) fn orphan(&mut self, seats: Seats) {
        self.orphaned |= seats.all();
    }
    /// Whoever this socket of smoltcp's is for may find it ready.
    pub(super) fn has_changed(&mut self, handle: Handle) {
        if let Some(place) = self.sockets.place(handle) {
            self.changed.add(place);
        }
    }
}

/// What came of a question, which smoltcp tells once.
pub(super) fn heard(
    system: &mut SocketSet<'static>,
    dns: SocketHandle,
    question: dns::QueryHandle,
    answer: &mut Option<Result<Answers>>,
) -> Option<Result<Answers>> {
    if answer.is_none() {
        *answer = match system.get_mut::<dns::Socket>(dns).get_query_result(question) {
            Err(dns::GetQueryResultError::Pending) => None,
            Err(dns::GetQueryResultError::Failed) => Some(Err(Error::ETIMEDOUT)),
            Err(dns::GetQueryResultError::NoSuchName | dns::GetQueryResultError::NoAddress) => Some(Err(Error::ENOENT)),
            Ok(found) => Some(Ok(Answers::of(&found))),
        };
    }
    *answer
}

#[cfg(test)]
#[path = "waits_tests.rs"]
mod tests;
