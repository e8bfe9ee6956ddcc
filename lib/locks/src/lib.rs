//! Locks on files: who has which bytes of what, and who waits for some.
//!
//! They are advisory, as POSIX's: they keep nobody from reading or writing, but from the same lock. A lock is a control block's: who has
//! portals to that has the lock, and it goes with the last of them, whether they were closed or their domain has ended. So nothing here
//! outlives its owner, and a number that is used again finds nothing.
//!
//! A file has two sets of locks, which do not see each other: those on all of it (`flock`), and those on ranges of bytes (`fcntl`). In each
//! set an owner has at most one kind of lock on a byte. Each lock, and each wait, is charged to the account of who asked for it.
#![cfg_attr(not(test), no_std)]
#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_macros))]

extern crate alloc;

use abi::Error;
use abi::account::Resource;
use abi::identity::DomainId;
use account::{Account, Charge, Ledger};
use alloc::vec::Vec;
use fallible::{Map, TryPush};

type Result<T> = core::result::Result<T, Error>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Shared,
    Exclusive,
}
/// Bytes of a file, at least one; `u64::MAX` as the end: all there is, and what will be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    start: u64,
    end: u64,
}
impl Span {
    pub const ALL: Span = Span { start: 0, end: u64::MAX };
    /// `EINVAL`: there is nothing between them.
    pub fn new(start: u64, end: u64) -> Result<Span> {
        if start < end { Ok(Span { start, end }) } else { Err(Error::EINVAL) }
    }
    pub fn start(self) -> u64 {
        self.start
    }
    pub fn end(self) -> u64 {
        self.end
    }
    fn overlaps(self, other: Span) -> bool {
        self.start < other.end && other.start < self.end
    }
    fn touches(self, other: Span) -> bool {
        self.start <= other.end && other.start <= self.end
    }
    fn contains(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }
    /// Whether something of it is on each side of `other`.
    fn surrounds(self, other: Span) -> bool {
        self.start < other.start && other.end < self.end
    }
}
/// Which locks are meant: of which file, and whether those on all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Set {
    pub node: u64,
    pub whole: bool,
}
/// Who asks: a control block, and the domain through which it does. The domain is only said to others, and looked at for circles of waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    pub block: usize,
    pub domain: DomainId,
}
/// A lock that somebody asks for, and who pays for it.
#[derive(Clone, Copy, Debug)]
pub struct Ask {
    pub set: Set,
    pub owner: Owner,
    pub kind: Kind,
    pub span: Span,
    pub payer: Account,
}
#[derive(Debug)]
struct Held {
    owner: Owner,
    kind: Kind,
    span: Span,
    charge: Charge,
}
impl Held {
    fn keeps_from(&self, ask: &Ask) -> bool {
        self.owner.block != ask.owner.block
            && self.span.overlaps(ask.span)
            && (self.kind == Kind::Exclusive || ask.kind == Kind::Exclusive)
    }
}
#[derive(Debug)]
struct Waiter {
    ask: Ask,
    /// By which who waits is told.
    token: usize,
    charge: Charge,
}
/// The locks on the files of a service.
pub struct Locks<L> {
    ledger: L,
    held: Map<Set, Vec<Held>>,
    /// In the order in which they came.
    waiting: Vec<Waiter>,
}
/// Domains that are looked at before a circle of waits is given up: longer ones wait for ever.
const CIRCLE: usize = 32;

/// Domains, each once, as many as there is room for.
struct Domains {
    all: [Option<DomainId>; CIRCLE],
    count: usize,
}
impl Domains {
    fn add(&mut self, domain: DomainId) {
        if self.count < CIRCLE && !self.all[..self.count].contains(&Some(domain)) {
            self.all[self.count] = Some(domain);
            self.count += 1;
        }
    }
}
/// Where a limit is reached, or memory: for a lock both are this.
fn none_left(_: Error) -> Error {
    Error::ENOLCK
}
impl<L: Ledger> Locks<L> {
    pub const fn new(ledger: L) -> Locks<L> {
        Locks { ledger, held: Map::new(), waiting: Vec::new() }
    }
    fn of(&self, set: Set) -> &[Held] {
        self.held.get(&set).map_or(&[], Vec::as_slice)
    }
    /// The first lock that keeps `ask` from being granted: its kind, its bytes, and through which domain it was taken.
    pub fn holder(&self, ask: &Ask) -> Option<(Kind, Span, DomainId)> {
        let all = self.of(ask.set).iter().filter(|held| held.keeps_from(ask));
        all.min_by_key(|held| held.span.start).map(|held| (held.kind, held.span, held.owner.domain))
    }
    /// Gives the lock, in place of what its owner has of those bytes; `tell` is told of those whose wait is over by that. `EAGAIN`: others
    /// keep it from that; `ENOLCK`: there is no memory, or the payer's limit is reached. Nothing has changed then.
    pub fn take(&mut self, ask: &Ask, tell: impl FnMut(usize, Result<()>)) -> Result<()> {
        self.grant(ask)?;
        // It may have less than before.
        self.settle(ask.set, tell);
        Ok(())
    }
    fn grant(&mut self, ask: &Ask) -> Result<()> {
        if self.of(ask.set).iter().any(|held| held.keeps_from(ask)) {
            return Err(Error::EAGAIN);
        }
        self.replace(ask, Some(ask.kind))
    }
    /// Takes the owner's locks on those bytes away. `ENOLCK`: one would become two, and there is no memory or no room within the payer's
    /// limit for that; nothing has changed.
    pub fn release(&mut self, ask: &Ask, tell: impl FnMut(usize, Result<()>)) -> Result<()> {
        self.replace(ask, None)?;
        self.settle(ask.set, tell);
        Ok(())
    }
    /// What the owner has of those bytes is of `kind` from now on.
    fn replace(&mut self, ask: &Ask, kind: Option<Kind>) -> Result<()> {
        let (block, mut span) = (ask.owner.block, ask.span);
        let own = || self.of(ask.set).iter().filter(|held| held.owner.block == block);
        if kind.is_none() && !own().any(|held| held.span.overlaps(span)) {
            return Ok(());
        }
        // One that has it already, whole, stays as it is: so asking again costs nothing.
        if own().any(|held| Some(held.kind) == kind && held.span.contains(span)) {
            return Ok(());
        }
        let joins = |held: &Held| Some(held.kind) == kind && held.span.touches(ask.span);
        // Bytes that its neighbours of the same kind have are joined to it.
        for held in own().filter(|held| joins(held)) {
            span = Span { start: span.start.min(held.span.start), end: span.end.max(held.span.end) };
        }
        let splits = own().any(|held| Some(held.kind) != kind && held.span.surrounds(ask.span));
        let goes = |held: &Held| joins(held) || ask.span.contains(held.span);
        let gone = own().filter(|held| goes(held)).count();
        // What is needed is taken before anything changes: nothing where one that goes leaves its charge.
        let needed = (kind.is_some() as usize + splits as usize).saturating_sub(gone);
        let [mut first, mut second] = self.prepare(ask, needed)?;
        let Some(all) = self.held.get_mut(&ask.set) else { return Err(Error::ENOLCK) };
        let mut rest = None;
        let ledger = &mut self.ledger;
        all.retain_mut(|held| {
            if held.owner.block != block {
                return true;
            }
            if goes(held) {
                let charge = held.charge.take();
                if kind.is_some() && first.amount() == 0 {
                    first = charge;
                } else {
                    ledger.refund(charge);
                }
                return false;
            }
            if held.span.overlaps(ask.span) {
                let (start, end) = (held.span.start, held.span.end);
                if held.span.surrounds(ask.span) {
                    let spare = if kind.is_some() { &mut second } else { &mut first };
                    let span = Span { start: ask.span.end, end };
                    rest = Some(Held { owner: held.owner, kind: held.kind, span, charge: spare.take() });
                }
                held.span = if start < ask.span.start {
                    Span { start, end: ask.span.start }
                } else {
                    Span { start: ask.span.end, end }
                };
            }
            true
        });
        if let Some(rest) = rest {
            all.push_kept(rest);
        }
        if let Some(kind) = kind {
            all.push_kept(Held { owner: ask.owner, kind, span, charge: first });
        }
        self.forget_if_empty(ask.set);
        Ok(())
    }
    /// Takes `needed` charges, and room for as many locks.
    fn prepare(&mut self, ask: &Ask, needed: usize) -> Result<[Charge; 2]> {
        let mut charges = [Charge::NONE, Charge::NONE];
        for n in 0..needed {
            match self.ledger.charge(ask.payer, Resource::Files, 1) {
                Ok(charge) => charges[n] = charge,
                Err(error) => {
                    charges.into_iter().for_each(|charge| self.ledger.refund(charge));
                    return Err(none_left(error));
                }
            }
        }
        let room = match self.held.get_mut(&ask.set) {
            Some(all) => all.room_for(2),
            None => {
                self.held.try_insert(ask.set, Vec::new()).map(|_| ()).and_then(|()| match self.held.get_mut(&ask.set) {
                    Some(all) => all.room_for(2),
                    None => Err(Error::ENOMEM),
                })
            }
        };
        if let Err(error) = room {
            charges.into_iter().for_each(|charge| self.ledger.refund(charge));
            self.forget_if_empty(ask.set);
            return Err(none_left(error));
        }
        Ok(charges)
    }
    fn forget_if_empty(&mut self, set: Set) {
        if self.of(set).is_empty() {
            self.held.remove(&set);
        }
    }
    /// `EDEADLK`: others wait for what the asking domain has, and it would for them.
    pub fn refuse_circle(&self, ask: &Ask) -> Result<()> {
        // Who has locked a whole file may be any of those that have the same control block: nothing is known of a circle.
        if !ask.set.whole && self.is_circle(ask) { Err(Error::EDEADLK) } else { Ok(()) }
    }
    /// Who `ask`s waits from now on for that; `tell` says to `token` when that is over. `EDEADLK`; `ENOLCK`.
    pub fn wait(&mut self, ask: Ask, token: usize) -> Result<()> {
        self.refuse_circle(&ask)?;
        self.waiting.room_for(1).map_err(none_left)?;
        let charge = self.ledger.charge(ask.payer, Resource::Files, 1).map_err(none_left)?;
        self.waiting.push_kept(Waiter { ask, token, charge });
        Ok(())
    }
    /// The domains whose locks keep `ask` from being granted.
    fn blockers<'a>(&'a self, ask: &'a Ask) -> impl Iterator<Item = DomainId> + 'a {
        self.of(ask.set).iter().filter(|held| held.keeps_from(ask)).map(|held| held.owner.domain)
    }
    /// Whether one of those that keep `ask` from being granted waits, over however many others, for what the same domain has.
    fn is_circle(&self, ask: &Ask) -> bool {
        let own = ask.owner.domain;
        let mut looked = Domains { all: [None; CIRCLE], count: 0 };
        // What the domain has through another control block, another of its threads may give back.
        self.blockers(ask).filter(|&domain| domain != own).for_each(|domain| looked.add(domain));
        let mut next = 0;
        while let Some(&Some(domain)) = looked.all[..looked.count].get(next) {
            next += 1;
            let of_domain = |waiter: &&Waiter| waiter.ask.owner.domain == domain && !waiter.ask.set.whole;
            for waiter in self.waiting.iter().filter(of_domain) {
                for domain in self.blockers(&waiter.ask) {
                    if domain == own {
                        return true;
                    }
                    looked.add(domain);
                }
            }
        }
        false
    }
    /// `token` waits no more, if it did.
    pub fn leave(&mut self, token: usize) {
        if let Some(place) = self.waiting.iter().position(|waiter| waiter.token == token) {
            self.stop(place);
        }
    }
    fn stop(&mut self, place: usize) -> Waiter {
        let mut waiter = self.waiting.remove(place);
        self.ledger.refund(waiter.charge.take());
        waiter
    }
    /// Control block `block`, which is open on `node`, has ended: its locks go, and who waits through it is told `EBADF`.
    pub fn end(&mut self, node: u64, block: usize, mut tell: impl FnMut(usize, Result<()>)) {
        while let Some(place) = self.waiting.iter().position(|waiter| waiter.ask.owner.block == block) {
            tell(self.stop(place).token, Err(Error::EBADF));
        }
        for whole in [false, true] {
            let set = Set { node, whole };
            let Some(all) = self.held.get_mut(&set) else { continue };
            let ledger = &mut self.ledger;
            all.retain_mut(|held| {
                let stays = held.owner.block != block;
                if !stays {
                    ledger.refund(held.charge.take());
                }
                stays
            });
            self.forget_if_empty(set);
            self.settle(set, &mut tell);
        }
    }
    /// Those that wait for what they can have now get it, who came first before others.
    fn settle(&mut self, set: Set, mut tell: impl FnMut(usize, Result<()>)) {
        let mut place = 0;
        while let Some(waiter) = self.waiting.get(place) {
            let ask = waiter.ask;
            let keeps_waiting = ask.set != set || self.of(set).iter().any(|held| held.keeps_from(&ask));
            if keeps_waiting {
                place += 1;
                continue;
            }
            // Its wait has paid for one.
            let token = self.stop(place).token;
            tell(token, self.grant(&ask));
            // What it had before may have become less, which others wait for.
            place = 0;
        }
    }
}

#[cfg(test)]
mod tests;
