//! Threads that wait for sockets, and what they wait for.

use super::listeners::is_made;
use super::{Owner, Result, Stack};
use crate::address::told;
use crate::limits::*;
use crate::link::Card;
use crate::socket::{Kind, slot};
use abi::Error;
use abi::identity::DomainId;
use abi::internet::{Address, event};
use alloc::vec::Vec;
use fallible::TryPush;
use smoltcp::iface::{SocketHandle, SocketSet};
use smoltcp::socket::tcp::State;
use smoltcp::socket::{dns, tcp, udp};
use smoltcp::wire::IpEndpoint;

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
pub(super) fn heard(
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
