//! What a server has granted, by constant: how many portals there are of each, and which constants nothing leads to any more.
//!
//! A server grants portals with a constant that names what they lead to (a file's control block, say), and wants to know when the last
//! of them has gone. So the portals of each constant are counted, and a constant without portals is kept until the server has asked
//! for it: what that costs does not depend on how much else is granted. The room to say that a constant is done with is taken when it
//! is granted, so that an end never fails.

use crate::Result;
use abi::Error;
use alloc::vec::Vec;
use fallible::TryPush;

/// Most constants of a server at one time, those that it has not asked for included.
const MOST: usize = 8192;

#[derive(Clone, Copy)]
struct Granted {
    constant: u32,
    /// Portals that a table entry leads to.
    portals: u32,
    /// Semaphore to post when there are none left, or 0.
    semaphore: u32,
    /// It is among those that are done with.
    done: bool,
}
#[derive(Default)]
pub struct Grants {
    /// By constant.
    all: Vec<Granted>,
    /// Constants that were without portals when they were put here.
    done: Vec<u32>,
}
impl Grants {
    fn place(&self, constant: u32) -> core::result::Result<usize, usize> {
        self.all.binary_search_by_key(&constant, |granted| granted.constant)
    }
    /// Makes room for one more constant. `ENFILE`: there are too many; `ENOMEM`.
    pub fn reserve(&mut self) -> Result<()> {
        if self.all.len() >= MOST {
            return Err(Error::ENFILE);
        }
        self.all.try_reserve(1).map_err(|_| Error::ENOMEM)?;
        let room = self.all.len() + 1 - self.done.len();
        self.done.try_reserve(room).map_err(|_| Error::ENOMEM)
    }
    /// A portal with `constant` is granted; there is room for it.
    pub fn add(&mut self, constant: u32, semaphore: u32) {
        match self.place(constant) {
            Ok(at) => {
                self.all[at].portals += 1;
                self.all[at].semaphore = semaphore;
            }
            // Into the room that was reserved.
            #[allow(clippy::disallowed_methods)]
            Err(at) => self.all.insert(at, Granted { constant, portals: 1, semaphore, done: false }),
        }
    }
    /// Nothing leads to a portal with `constant` any more. The semaphore to post, if it was the last.
    pub fn remove(&mut self, constant: u32) -> Option<usize> {
        let at = self.place(constant).ok()?;
        let granted = &mut self.all[at];
        granted.portals = granted.portals.saturating_sub(1);
        if granted.portals > 0 || granted.done {
            return None;
        }
        let semaphore = granted.semaphore as usize;
        if semaphore == 0 {
            self.all.remove(at);
            return None;
        }
        granted.done = true;
        self.done.push_kept(constant);
        Some(semaphore)
    }
    /// A constant that no portal is left of, each time another.
    pub fn next_done(&mut self) -> Option<u32> {
        while let Some(constant) = self.done.pop() {
            let Ok(at) = self.place(constant) else { continue };
            if self.all[at].portals == 0 {
                self.all.remove(at);
                return Some(constant);
            }
            // It was granted anew meanwhile.
            self.all[at].done = false;
        }
        None
    }
    /// The constants, and how many portals there are of each.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32)> {
        self.all.iter().map(|granted| (granted.constant, granted.portals))
    }
    /// How many portals with `constant` a table entry leads to.
    pub fn count(&self, constant: usize) -> usize {
        let known = u32::try_from(constant).ok().and_then(|constant| self.place(constant).ok());
        known.map_or(0, |at| self.all[at].portals as usize)
    }
}
