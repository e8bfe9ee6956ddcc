//! An extension that is linked in: where it is, what it may take, and what has become of it.

use crate::activation::Activation;
use crate::machine::{self, Page, Region};
use crate::state::{Stacks, State, Why};
use crate::thread::Thread;
use crate::{ACTIVATIONS, RESERVE, WORDS};
use abi::Error;
use abi::address::PAGE;
use abi::rights::Rights;
use alloc::boxed::Box;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicBool, AtomicU64};
use extension::Limits;

/// An activation as the host's keeper has seen it.
struct Seen {
    /// Which one; 0: none.
    call: AtomicU64,
    since: AtomicU64,
}

/// In the place of an activation's number.
const BEGINS: u64 = u64::MAX;

pub struct Linked {
    pub name: Box<str>,
    region: Region,
    pub(crate) state: State,
    quantum: u64,
    /// Whether its text has floating point, whose registers a raiser relies on too.
    floating: bool,
    /// Of each of its activations, the how manieth it is that runs there; 0: none; [`BEGINS`]: it is about to.
    taken: [AtomicU64; ACTIVATIONS],
    /// How many there were. Who has taken it writes.
    calls: [AtomicU64; ACTIVATIONS],
    /// Whether its text was taken away.
    gone: AtomicBool,
    seen: [Seen; ACTIVATIONS],
    /// How often there was none for it.
    missed: AtomicU64,
}
/// An extension that is laid out: its image can be filled, and nothing of it runs.
pub struct Draft {
    region: Region,
    layout: extension::Layout,
    limits: Limits,
    /// A bit for each page that was placed.
    placed: [u64; extension::MOST_IMAGE / PAGE / 64],
}
impl Draft {
    /// One with an image of that layout. `EINVAL`: a limit is out of its range, or the image is too large; `ENOMEM`.
    pub fn new(layout: extension::Layout, limits: Limits) -> Result<Draft, Error> {
        if !limits.are_valid() || layout.end > extension::MOST_IMAGE {
            return Err(Error::EINVAL);
        }
        let stacks = stacks(layout.end, &limits);
        let region = Region::new(stacks.first + ACTIVATIONS * stacks.stride)?;
        for n in 0..ACTIVATIONS {
            region.clear(stacks.first + n * stacks.stride - PAGE)?;
        }
        Ok(Draft { region, layout, limits, placed: Default::default() })
    }
    /// Where the image will be executed: what addresses of its own are relative to.
    pub fn base(&self) -> usize {
        self.region.start()
    }
    /// Puts a page of the image there, for good. `EINVAL`: the offset is none of a page of it; `ENOMEM`.
    pub fn place(&mut self, at: usize, page: &Page) -> Result<(), Error> {
        if !at.is_multiple_of(PAGE) || at >= self.layout.end {
            return Err(Error::EINVAL);
        }
        let rights = if at < self.layout.constants { Rights::READ_EXECUTE } else { Rights::READ };
        let (word, bit) = (at / PAGE / 64, 1 << (at / PAGE % 64));
        // Whatever was there is taken away first.
        self.placed[word] &= !bit;
        self.region.place(at, page, rights)?;
        self.placed[word] |= bit;
        Ok(())
    }
    /// The address of an entry that far in the pages of its text. `EINVAL`: none can be there.
    pub fn entry(&self, at: usize) -> Result<usize, Error> {
        if at >= self.layout.constants || !at.is_multiple_of(2) {
            return Err(Error::EINVAL);
        }
        Ok(self.base() + at)
    }
    /// What is there now may run. `EINVAL`: a page was not placed.
    pub fn finish(self, name: Box<str>) -> Result<Linked, Error> {
        let placed: u32 = self.placed.iter().map(|pages| pages.count_ones()).sum();
        if placed as usize != self.layout.end / PAGE {
            return Err(Error::EINVAL);
        }
        machine::code_was_written();
        // SAFETY: it was placed, and is only read from now on.
        let text = unsafe { core::slice::from_raw_parts(self.region.pointer(), self.layout.constants) };
        let stacks = stacks(self.layout.end, &self.limits);
        Ok(Linked {
            name,
            state: State::new(
                (self.region.start(), self.layout.constants),
                Stacks { first: self.region.start() + stacks.first, ..stacks },
            ),
            region: self.region,
            floating: machine::has_floating_point(text),
            quantum: u64::from(self.limits.quantum) * machine::MICROSECOND,
            taken: [const { AtomicU64::new(0) }; ACTIVATIONS],
            calls: [const { AtomicU64::new(0) }; ACTIVATIONS],
            gone: AtomicBool::new(false),
            seen: [const { Seen { call: AtomicU64::new(0), since: AtomicU64::new(0) } }; ACTIVATIONS],
            missed: AtomicU64::new(0),
        })
    }
}
/// Behind an image of so many bytes, from that on.
fn stacks(image: usize, limits: &Limits) -> Stacks {
    let stack = limits.stack as usize + RESERVE;
    let arena = (limits.arena as usize).next_multiple_of(PAGE);
    Stacks { first: image + PAGE, stack, stride: stack + arena + PAGE }
}
impl Linked {
    /// How often it was activated.
    pub fn calls(&self) -> u64 {
        self.calls.iter().map(|calls| calls.load(Relaxed)).sum()
    }
    /// How often there was no stack for it, and the raiser got the default.
    pub fn missed(&self) -> u64 {
        self.missed.load(Relaxed)
    }
    /// Why it was taken out.
    pub fn ended(&self) -> Option<Why> {
        self.state.ended()
    }
    /// Takes a free stack: which. It is the next activation there.
    #[inline(always)]
    fn take(&self) -> Option<usize> {
        let take = |n: &usize| self.taken[*n].compare_exchange(0, BEGINS, Acquire, Relaxed).is_ok();
        let taken = (0..ACTIVATIONS).find(take)?;
        // Nobody else has it, so no other has its number.
        let call = self.calls[taken].load(Relaxed) + 1;
        self.calls[taken].store(call, Relaxed);
        self.taken[taken].store(call, Relaxed);
        Some(taken)
    }
    /// Looks at its activations at that time, and ends those that take longer than they may; whether there are any. One thread does so.
    pub fn look(&self, now: u64) -> bool {
        let mut busy = false;
        for n in 0..ACTIVATIONS {
            let (seen, call) = (&self.seen[n], self.taken[n].load(Acquire));
            if call == 0 {
                continue;
            }
            busy = true;
            if call == BEGINS {
                continue;
            }
            if seen.call.swap(call, Relaxed) != call {
                seen.since.store(now, Relaxed);
            } else if now.saturating_sub(seen.since.load(Relaxed)) >= self.quantum && !self.gone.swap(true, Relaxed) {
                // Whyever it is called no more, it may still run.
                self.state.end(Why::Time);
                // Whoever executes it faults, and is found by its program counter.
                (0..self.state.text.1).step_by(PAGE).for_each(|at| _ = self.region.clear(at));
            }
        }
        busy
    }
    /// Runs the entry: what it returns. `None`: it has ended, is called no more, or there is no stack for it.
    #[inline]
    pub(crate) fn activate(&self, thread: Thread, entry: usize, words: &[usize; WORDS]) -> Option<usize> {
        if self.state.ended().is_some() {
            return None;
        }
        let Some(taken) = self.take() else {
            self.missed.fetch_add(1, Relaxed);
            return None;
        };
        machine::begun();
        let stacks = &self.state.stacks;
        let bottom = stacks.first + taken * stacks.stride;
        let arena = bottom + stacks.stack;
        let record: *mut Activation = core::ptr::with_exposed_provenance_mut(arena - size_of::<Activation>());
        let previous = thread.landing();
        // SAFETY: the stack is this activation's, and the record lies at its top.
        unsafe {
            (*record).landing.floating = self.floating as usize;
            (*record).extension = &raw const self.state;
            (*record).landing.floor = bottom + RESERVE;
            (*record).free.set(arena);
            (*record).end = bottom + stacks.stride - PAGE;
        }
        thread.set_landing(record.cast());
        // SAFETY: the entry was made for these words; whatever it does, it comes back here.
        let outcome = unsafe { machine::activate(&raw mut (*record).landing, entry, words) };
        thread.set_landing(previous);
        self.taken[taken].store(0, Release);
        match Why::of(outcome.why) {
            None => Some(outcome.word),
            Some(why) => {
                self.state.end(why);
                machine::tell();
                None
            }
        }
    }
}
