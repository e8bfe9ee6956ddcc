//! An extension that is linked in: where it is, what it may take, and what has become of it.

use crate::activation::{Activation, ended_quickly};
use crate::machine::{self, Page, Region};
use crate::state::{Stacks, State, Why};
use crate::thread::Thread;
use crate::{ACTIVATIONS, RESERVE, WORDS};
use abi::Error;
use abi::address::PAGE;
use abi::rights::Rights;
use alloc::boxed::Box;
use arch::landing::First;
use core::ptr;
use core::sync::atomic::Ordering::{Acquire, Relaxed};
use core::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use extension::Limits;

/// An activation as the host's keeper has seen it.
struct Seen {
    /// Which one; 0: none.
    call: AtomicU64,
    since: AtomicU64,
}

pub struct Linked {
    pub name: Box<str>,
    region: Region,
    pub(crate) state: Box<State>,
    quantum: u64,
    /// Whether its text has floating point, whose registers a raiser relies on too.
    floating: bool,
    /// How many of its activations were taken for good, since nobody comes to it any more.
    gathered: AtomicUsize,
    /// Whether its text was taken away.
    gone: AtomicBool,
    seen: [Seen; ACTIVATIONS],
    /// How often it was activated when it was looked at last.
    called: AtomicU64,
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
        let stacks = Stacks { first: self.region.start() + stacks.first, ..stacks };
        let linked = Linked {
            name,
            state: fallible::boxed(State::new((self.region.start(), self.layout.constants), stacks, ended_quickly))?,
            floating: machine::has_floating_point(text),
            region: self.region,
            quantum: u64::from(self.limits.quantum) * machine::MICROSECOND,
            gathered: AtomicUsize::new(0),
            gone: AtomicBool::new(false),
            seen: [const { Seen { call: AtomicU64::new(0), since: AtomicU64::new(0) } }; ACTIVATIONS],
            called: AtomicU64::new(0),
            missed: AtomicU64::new(0),
        };
        linked.activations().enumerate().for_each(|(n, activation)| {
            let bottom = stacks.first + n * stacks.stride;
            let (arena, end) = (bottom + stacks.stack, bottom + stacks.stride - PAGE);
            // SAFETY: it is memory of its own, at the top of a stack that nobody uses yet.
            unsafe { activation.write(Activation::new(&linked.state, bottom, arena, end, linked.floating)) };
        });
        Ok(linked)
    }
}
/// Behind an image of so many bytes, from that on.
fn stacks(image: usize, limits: &Limits) -> Stacks {
    let stack = limits.stack as usize + RESERVE;
    let arena = (limits.arena as usize).next_multiple_of(PAGE);
    Stacks { first: image + PAGE, stack, stride: stack + arena + PAGE }
}
impl Linked {
    /// Where its activations are: each at the top of its stack.
    fn activations(&self) -> impl Iterator<Item = *mut Activation> {
        let stacks = self.state.stacks;
        let tops = (0..ACTIVATIONS).map(move |n| stacks.first + n * stacks.stride + stacks.stack);
        tops.map(|top| ptr::with_exposed_provenance_mut(top - size_of::<Activation>()))
    }
    /// These, once they are made.
    fn made(&self) -> impl Iterator<Item = &Activation> {
        // SAFETY: they were made with it, and stay as long as it does.
        self.activations().map(|activation| unsafe { &*activation })
    }
    /// How often it was activated.
    pub fn calls(&self) -> u64 {
        self.made().map(|activation| activation.landing.calls.load(Relaxed)).sum()
    }
    /// How often there was no stack for it, and the raiser got the default.
    pub fn missed(&self) -> u64 {
        self.missed.load(Relaxed)
    }
    /// Why it was taken out.
    pub fn ended(&self) -> Option<Why> {
        self.state.ended()
    }
    /// Where an event that only this one handles enters it, by that entry; `None`: it is not entered the quick way.
    pub(crate) fn first(&self, entry: usize) -> Option<First> {
        (!self.floating).then_some(First { home: &raw const self.state.home, entry })
    }
    /// Its activations are looked at by somebody from now on, or not.
    pub(crate) fn watch(&self, watched: bool) {
        self.state.watch(watched);
    }
    /// Takes one that nobody is in.
    #[inline(always)]
    pub(crate) fn take(&self) -> Option<&Activation> {
        let free = self.state.home.free.swap(ptr::null_mut(), Acquire);
        // SAFETY: what is at home there is the first thing in an activation of this one's.
        let free = unsafe { free.cast::<Activation>().as_ref() };
        free.or_else(|| self.made().find(|activation| activation.was_idle()))
    }
    /// Whether nobody is in it: asked when nobody comes to it any more, and nobody does afterwards. By one thread at a time.
    pub(crate) fn is_left(&self) -> bool {
        let taken = core::iter::from_fn(|| self.take()).count();
        self.gathered.fetch_add(taken, Relaxed) + taken == ACTIVATIONS
    }
    /// Looks at its activations at that time, and ends those that take longer than they may; whether there are any, or were since it was looked at last. One thread
    /// does so.
    pub fn look(&self, now: u64) -> bool {
        let calls = self.calls();
        let mut busy = self.called.swap(calls, Relaxed) != calls;
        for (seen, activation) in self.seen.iter().zip(self.made()) {
            let call = activation.landing.running.load(Acquire);
            if call == 0 {
                // Who finds that he is not to go the quick way gives his number back.
                seen.call.store(0, Relaxed);
                continue;
            }
            busy = true;
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
    #[inline(always)]
    pub(crate) fn activate(&self, thread: Thread, entry: usize, words: &[usize; WORDS]) -> Option<usize> {
        if self.state.ended().is_some() {
            return None;
        }
        let Some(activation) = self.take() else {
            self.missed.fetch_add(1, Relaxed);
            return None;
        };
        activation.begins();
        machine::begun();
        let previous = thread.known_landing();
        thread.set_landing(ptr::from_ref(&activation.landing).cast_mut());
        // SAFETY: the entry was made for these words; whatever it does, it comes back here.
        let outcome = unsafe { machine::activate(&raw const activation.landing, entry, words) };
        thread.set_landing(previous);
        let why = Why::of(outcome.why);
        if let Some(why) = why {
            self.state.end(why);
        }
        activation.goes_home();
        if why.is_some() {
            machine::tell();
            return None;
        }
        Some(outcome.word)
    }
}
