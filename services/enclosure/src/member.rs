//! What is known of a component that shares its address space with others ([`crate::space`]).

use crate::domain::Fault;
use crate::local::Connections;
use crate::owners::Owners;
use crate::serving::Copied;
use abi::Error;
use abi::nucleus::NAMELEN;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use pebble::Result;
use pebble::sync::{Mutex, Semaphore};

/// Whose each number of the domain's table is.
pub(crate) static OWNERS: Owners = Owners::none();

/// What is known of a component that shares its address space.
pub struct Member<C> {
    pub(crate) number: usize,
    /// What answers calls out of it.
    pub(crate) decide: usize,
    pub(crate) block: manifest::Component,
    pub(crate) connections: Connections<C>,
    /// The names that it has registered.
    pub(crate) names: Mutex<Vec<Name>>,
    /// Which of its lives it is in, from 1 on, and whether a fault or a call has ended that.
    pub(crate) life: AtomicU32,
    pub(crate) alive: AtomicBool,
    /// Threads that are in it, or about to look whether it is alive.
    pub(crate) inside: AtomicUsize,
    /// Its life has ended; nobody is in it.
    pub(crate) over: Semaphore,
    pub(crate) empty: Semaphore,
    /// The fault or status that has ended it.
    pub(crate) end: Mutex<End>,
}
/// A name, where a window shows all of it.
pub(crate) type Name = Copied<NAMELEN>;
#[derive(Clone, Copy)]
pub(crate) enum End {
    Fault(Fault),
    Exit(i64),
}
impl<C: Copy> Member<C> {
    /// Number `number` of its space.
    pub fn new(number: usize, block: manifest::Component, decide: usize) -> Result<Member<C>> {
        Ok(Member {
            number,
            decide,
            block,
            connections: Connections::none()?,
            names: Mutex::new(Vec::new()),
            life: AtomicU32::new(1),
            alive: AtomicBool::new(true),
            inside: AtomicUsize::new(0),
            over: Semaphore::new(0)?,
            empty: Semaphore::new(0)?,
            end: Mutex::new(End::Exit(0)),
        })
    }
    pub fn number(&self) -> usize {
        self.number
    }
    /// Where its numbers of portals are noted, and as whose.
    pub fn numbers(&self) -> (&'static Owners, u8) {
        (&OWNERS, self.number as u8 + 1)
    }
    /// Does `call`, during which a thread may be in it; `EDEAD`: it has ended, or it is not life `life` any more.
    pub fn while_alive(&self, life: Option<u32>, call: impl FnOnce() -> i64) -> i64 {
        self.inside.fetch_add(1, Ordering::SeqCst);
        let alive =
            self.alive.load(Ordering::SeqCst) && life.is_none_or(|life| life == self.life.load(Ordering::SeqCst));
        let result = if alive { call() } else { Error::EDEAD.code() as i64 };
        if self.inside.fetch_sub(1, Ordering::SeqCst) == 1 && !self.alive.load(Ordering::SeqCst) {
            let _ = self.empty.post();
        }
        result
    }
    /// Its life ends, unless it has ended before.
    pub(crate) fn end_with(&self, end: End) {
        if self.alive.swap(false, Ordering::SeqCst) {
            *self.end.lock() = end;
            let _ = self.over.post();
        }
    }
}
