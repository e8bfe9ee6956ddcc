//! All threads at one moment, or nearly: each is looked at by itself, and others run in between. What they wait for makes a wait-for graph, in which a deadlock is a cycle.

use crate::graph::{Components, Graph, Node};
use abi::Error;
use abi::activity::{Activity, Call, Doing, What};
use abi::nucleus::MAX_DOMAINS;
use alloc::vec::Vec;
use core::ops::Range;
use fallible::TryPush;

type Result<T> = core::result::Result<T, Error>;

/// A call that a thread is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inside {
    /// Word of the identity of the domain that serves it.
    pub server: u64,
    /// As in [`Call::registration`].
    pub registration: u64,
    /// Where its frame lies in the thread's page.
    pub place: u16,
    /// It was marked before.
    pub was_marked: bool,
}
impl Inside {
    fn of(call: &Call) -> Inside {
        let Call { server, registration, .. } = *call;
        Inside { server, registration, place: call.place() as u16, was_marked: call.was_marked() }
    }
}
#[derive(Clone, Debug)]
pub struct Thread {
    pub index: usize,
    /// Word of the identity of its home.
    pub home: u64,
    pub doing: Doing,
    /// It is in more calls than are told: where the picture has the domains that serve the others.
    beyond: Option<usize>,
    /// Which of the picture's calls are its own.
    calls: Range<usize>,
}
/// Where a thread's wait for others ends.
#[derive(Clone, Copy, Debug)]
pub enum End<'a> {
    /// At this thread, which waits for no other one: itself, where it does not.
    Thread(&'a Thread),
    /// At a domain of which all stacks are taken, by threads of which some go on.
    Stack,
    /// It is in this cycle of such waits: it is the one whose number that is.
    Circle(u32),
    /// It waits for those in one.
    BehindCircle,
    /// At a lock of which it is not known who holds it: one of those that are in the same domain, or have come through it.
    Unknown,
    /// At one that is not in the picture, or not any more.
    Gone,
}
/// What a thread waits for, that others have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Nothing,
    /// Something that the thread at that place has.
    Thread(u16),
    /// A stack of the domain with that number, which one of those in its calls has.
    Stack(u16),
    /// A lock that one in that domain has, or one that has come through it.
    Lock(u16),
}
/// A bit for each number of a domain.
#[derive(Clone, Copy, Debug)]
struct Numbers([u64; MAX_DOMAINS / 64]);
impl Numbers {
    const NONE: Numbers = Numbers([0; MAX_DOMAINS / 64]);
    fn add(&mut self, number: u16) {
        self.0[number as usize / 64 % (MAX_DOMAINS / 64)] |= 1 << (number % 64);
    }
    fn join(&mut self, others: &Numbers) {
        self.0.iter_mut().zip(others.0).for_each(|(own, others)| *own |= others);
    }
    /// Takes in those that are in both.
    fn join_both(&mut self, one: &Numbers, other: &Numbers) {
        self.0.iter_mut().zip(one.0.iter().zip(other.0)).for_each(|(own, (one, other))| *own |= one & other);
    }
    fn all(&self) -> impl Iterator<Item = u16> + use<> {
        let Numbers(words) = *self;
        (0..MAX_DOMAINS as u16).step_by(64).zip(words).flat_map(|(first, word)| {
            let bits = |word: u64| Some(word).filter(|word| *word != 0);
            core::iter::successors(bits(word), move |word| bits(word & (word - 1)))
                .map(move |word| first + word.trailing_zeros() as u16)
        })
    }
    fn has(&self, number: u16) -> bool {
        self.0[number as usize / 64 % (MAX_DOMAINS / 64)] >> (number % 64) & 1 != 0
    }
}
#[derive(Default)]
pub struct Picture {
    /// By index.
    threads: Vec<Thread>,
    calls: Vec<Inside>,
    beyond: Vec<Numbers>,
    /// By the place of a thread; known when all were [finished](Picture::finish).
    wanted: Vec<Wanted>,
    /// By the same: it waits for others, none of which goes on.
    stuck: Vec<bool>,
    /// Nodes are the threads by their places, then the domains by their numbers: those of which stacks are waited for, and those in which locks are.
    graph: Graph,
    circles: Components,
    /// By the number of a component of the graph: its first thread, and how many it has.
    members: Vec<(u16, u16)>,
}
impl Picture {
    pub const fn new() -> Picture {
        Picture {
            threads: Vec::new(),
            calls: Vec::new(),
            beyond: Vec::new(),
            wanted: Vec::new(),
            stuck: Vec::new(),
            graph: Graph::new(),
            circles: Components::new(),
            members: Vec::new(),
        }
    }
    /// Nobody is in it; the memory is kept.
    pub fn clear(&mut self) {
        self.threads.clear();
        self.calls.clear();
        self.beyond.clear();
        self.wanted.clear();
        self.stuck.clear();
        self.graph.clear();
        self.circles.clear();
        self.members.clear();
    }
    /// Takes in a thread, whose index is higher than those of the ones before. `ENOMEM`.
    pub fn add(&mut self, activity: &Activity) -> Result<()> {
        let calls = activity.calls();
        self.threads.room_for(1)?;
        self.calls.room_for(calls.len())?;
        let first = self.calls.len();
        calls.iter().for_each(|call| _ = self.calls.push_kept(Inside::of(call)));
        let is_deep = activity.depth > calls.len() as u64;
        let beyond = is_deep.then_some(self.beyond.len());
        if is_deep {
            self.beyond.try_push(Numbers(activity.beyond))?;
        }
        let calls = first..self.calls.len();
        let Activity { index, home, doing, .. } = *activity;
        let (index, doing) = (index as usize, Doing::of(doing));
        self.threads.push_kept(Thread { index, home, doing, beyond, calls });
        Ok(())
    }
    /// All threads are in it: finds out who waits in vain, and in which circles. `ENOMEM`.
    pub fn finish(&mut self) -> Result<()> {
        let count = self.threads.len();
        self.wanted.room_for(count)?;
        self.stuck.room_for(count)?;
        for place in 0..count {
            let wanted = self.wanted_by(&self.threads[place]);
            self.wanted.push_kept(wanted);
            self.stuck.push_kept(wanted != Wanted::Nothing);
        }
        if !self.stuck.contains(&true) {
            return Ok(());
        }
        self.free_those_that_go_on()?;
        if self.stuck.contains(&true) { self.find_circles() } else { Ok(()) }
    }
    fn wanted_by(&self, thread: &Thread) -> Wanted {
        match thread.doing.what() {
            What::Lock(0) => Wanted::Lock(self.inside(thread) as u16),
            What::Lock(other) | What::Joins(other) => match self.place(other) {
                Some(place) => Wanted::Thread(place as u16),
                None => Wanted::Nothing,
            },
            What::Stack(domain) => Wanted::Stack(domain as u16),
            _ => Wanted::Nothing,
        }
    }
    /// Whoever waits for one that goes on does so, too. What is left waits for one of those that are left.
    fn free_those_that_go_on(&mut self) -> Result<()> {
        let count = self.threads.len();
        // Who waits for whom, as lists: the first that waits for a node of the graph, and the next that waits for the same.
        let (mut first, mut next, mut free) = (Vec::new(), Vec::new(), Vec::new());
        first.room_for(count + 2 * MAX_DOMAINS)?;
        next.room_for(count)?;
        free.room_for(count)?;
        (0..count + 2 * MAX_DOMAINS).for_each(|_| _ = first.push_kept(None));
        // Domains of which somebody has a stack; those in which somebody may have a lock, and two may.
        let (mut stack, mut lock, mut second) = (Numbers::NONE, Numbers::NONE, Numbers::NONE);
        for (place, thread) in self.threads.iter().enumerate() {
            let mut own = self.served(thread);
            stack.join(&own);
            own.add(thread.home as u16);
            second.join_both(&lock, &own);
            lock.join(&own);
            let waits_for = self.node(self.wanted[place]).map(|node| &mut first[node as usize]);
            next.push_kept(waits_for.and_then(|first: &mut Option<u16>| first.replace(place as u16)));
        }
        for (place, wanted) in self.wanted.iter().enumerate() {
            let goes_on = match *wanted {
                Wanted::Nothing => true,
                Wanted::Thread(_) => false,
                // Nobody has one: its domain has ended, or waits for its successor.
                Wanted::Stack(number) => !stack.has(number),
                // Nobody but itself may have it.
                Wanted::Lock(number) => !second.has(number),
            };
            if goes_on {
                self.stuck[place] = false;
                free.push_kept(place);
            }
        }
        while let Some(place) = free.pop() {
            let mut own = self.served(&self.threads[place]);
            let stacks = own.all().map(Wanted::Stack);
            let mut woken = |stuck: &mut [bool], wanted: Wanted| {
                let mut waits = node(count, wanted).and_then(|node| first[node as usize].take());
                while let Some(other) = waits {
                    waits = next[other as usize];
                    if core::mem::replace(&mut stuck[other as usize], false) {
                        free.push_kept(other as usize);
                    }
                }
            };
            woken(&mut self.stuck, Wanted::Thread(place as u16));
            stacks.for_each(|wanted| woken(&mut self.stuck, wanted));
            own.add(self.threads[place].home as u16);
            own.all().map(Wanted::Lock).for_each(|wanted| woken(&mut self.stuck, wanted));
        }
        Ok(())
    }
    fn node(&self, wanted: Wanted) -> Option<Node> {
        node(self.threads.len(), wanted)
    }
    fn find_circles(&mut self) -> Result<()> {
        let count = self.threads.len();
        let mut graph = core::mem::take(&mut self.graph);
        let (mut stacks, mut locks) = (Numbers::NONE, Numbers::NONE);
        for (place, &wanted) in self.wanted.iter().enumerate() {
            let wanted = if self.stuck[place] { wanted } else { Wanted::Nothing };
            match wanted {
                Wanted::Stack(number) => stacks.add(number),
                Wanted::Lock(number) => locks.add(number),
                _ => {}
            }
            graph.add(self.node(wanted).into_iter())?;
        }
        for (wanted, home) in [(stacks, false), (locks, true)] {
            for number in 0..MAX_DOMAINS as u16 {
                // Most are waited for by nobody.
                let looked_at = if wanted.has(number) { count } else { 0 };
                let stuck = (0..looked_at).filter(|&place| self.stuck[place]);
                let has = |&place: &usize| {
                    let thread = &self.threads[place];
                    self.serves(thread, number) || home && thread.home as u16 == number
                };
                graph.add(stuck.filter(has).map(|place| place as Node))?;
            }
        }
        let found = graph.components(&mut self.circles);
        self.graph = graph;
        found?;
        self.members.room_for(self.circles.count())?;
        (0..self.circles.count()).for_each(|_| _ = self.members.push_kept((0, 0)));
        for place in 0..count {
            if let Some(circle) = self.circles.cycle(place as Node) {
                let (first, members) = &mut self.members[circle as usize];
                if *members == 0 {
                    *first = place as u16;
                }
                *members += 1;
            }
        }
        Ok(())
    }
    /// The numbers of the domains in whose calls a thread is.
    fn served(&self, thread: &Thread) -> Numbers {
        let mut all = thread.beyond.and_then(|place| self.beyond.get(place).copied()).unwrap_or(Numbers::NONE);
        self.calls(thread).iter().for_each(|call| all.add(call.server as u16));
        all
    }
    /// Whether a thread is in a call of the domain with that number.
    fn serves(&self, thread: &Thread, number: u16) -> bool {
        let beyond = thread.beyond.and_then(|place| self.beyond.get(place));
        beyond.is_some_and(|beyond| beyond.has(number))
            || self.calls(thread).iter().any(|call| call.server as u16 == number)
    }
    /// The numbers of the domains that a thread has come through and is not in now, but for its own.
    pub fn has_left(&self, thread: &Thread) -> impl Iterator<Item = usize> {
        let (inside, home) = (self.inside(thread) as u16, thread.home as u16);
        let all = self.served(thread);
        all.all().filter(move |&number| number != inside && number != home).map(usize::from)
    }
    /// Whether a thread is in more calls than are told.
    pub fn is_deep(&self, thread: &Thread) -> bool {
        thread.beyond.is_some()
    }
    fn place(&self, index: usize) -> Option<usize> {
        self.threads.binary_search_by_key(&index, |thread| thread.index).ok()
    }
    pub fn thread(&self, index: usize) -> Option<&Thread> {
        self.threads.get(self.place(index)?)
    }
    pub fn threads(&self) -> &[Thread] {
        &self.threads
    }
    /// The calls that a thread of the picture is in, the innermost first.
    pub fn calls(&self, thread: &Thread) -> &[Inside] {
        self.calls.get(thread.calls.clone()).unwrap_or(&[])
    }
    /// Word of the identity of the domain that a thread is in, the first components left out.
    pub fn inside(&self, thread: &Thread) -> u64 {
        self.calls(thread).first().map_or(thread.home, |call| call.server)
    }
    /// Where the wait of a thread ends.
    pub fn end<'a>(&'a self, thread: &'a Thread) -> End<'a> {
        let Some(mut place) = self.place(thread.index) else { return End::Gone };
        if self.stuck.get(place) == Some(&true) {
            return match self.circle(thread) {
                Some(circle) => End::Circle(circle),
                // Of those in its domain it may wait for itself only in so far as others do.
                None if self.circles.cycle(place as Node).is_some() => End::Unknown,
                None => End::BehindCircle,
            };
        }
        // Nobody of these is stuck, so each is met once.
        for _ in 0..self.threads.len() {
            match self.wanted.get(place).copied().unwrap_or(Wanted::Nothing) {
                Wanted::Thread(other) => place = other as usize,
                Wanted::Stack(_) => return End::Stack,
                Wanted::Lock(_) => return End::Unknown,
                Wanted::Nothing => {
                    let other = &self.threads[place];
                    return match other.doing.what() {
                        What::Lock(_) | What::Joins(_) | What::Ended => End::Gone,
                        _ => End::Thread(other),
                    };
                }
            }
        }
        End::Gone
    }
    /// The number of the circle that a thread is in, if it is.
    pub fn circle(&self, thread: &Thread) -> Option<u32> {
        let place = self.place(thread.index).filter(|&place| self.stuck.get(place) == Some(&true))?;
        let circle = self.circles.cycle(place as Node)?;
        let alone = matches!(self.wanted[place], Wanted::Lock(_)) && self.members[circle as usize].1 == 1;
        (!alone).then_some(circle)
    }
    /// The threads of a circle.
    pub fn circle_of(&self, circle: u32) -> impl Iterator<Item = &Thread> {
        self.threads.iter().filter(move |thread| self.circle(thread) == Some(circle))
    }
    /// Circles of threads that wait for each other, each once.
    pub fn circles(&self) -> impl Iterator<Item = u32> {
        let firsts = self.members.iter().filter(|(_, members)| *members > 0).map(|&(first, _)| first as usize);
        firsts.filter_map(|first| self.circle(&self.threads[first]))
    }
}
/// The node of the graph that stands for what is wanted, among those of `threads` threads.
fn node(threads: usize, wanted: Wanted) -> Option<Node> {
    let node = match wanted {
        Wanted::Thread(place) => usize::from(place),
        Wanted::Stack(number) => threads + usize::from(number) % MAX_DOMAINS,
        Wanted::Lock(number) => threads + MAX_DOMAINS + usize::from(number) % MAX_DOMAINS,
        Wanted::Nothing => return None,
    };
    Some(node as Node)
}
impl PartialEq for Thread {
    fn eq(&self, other: &Thread) -> bool {
        self.index == other.index
    }
}
