//! All threads at one moment, or nearly: each is looked at by itself, and others run in between. What they wait for makes a wait-for graph, in which a deadlock is a cycle.

use crate::fill;
use crate::graph::{Components, Graph, Node};
use abi::Error;
use abi::activity::{Activity, Call, Doing, What};
use abi::domain_set::DomainSet;
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
#[derive(Default)]
pub struct Picture {
    /// By index.
    threads: Vec<Thread>,
    calls: Vec<Inside>,
    beyond: Vec<DomainSet>,
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
    /// Takes in a thread, whose index is higher than those of the ones before, if it has not ended: what others wait for, an ended one does not give. `ENOMEM`.
    pub fn add(&mut self, activity: &Activity) -> Result<()> {
        if Doing::of(activity.doing).what() == What::Ended {
            return Ok(());
        }
        let calls = activity.calls();
        self.threads.room_for(1)?;
        self.calls.room_for(calls.len())?;
        let first = self.calls.len();
        calls.iter().for_each(|call| _ = self.calls.push_kept(Inside::of(call)));
        let is_deep = activity.depth > calls.len() as u64;
        let beyond = is_deep.then_some(self.beyond.len());
        if is_deep {
            self.beyond.try_push(activity.beyond)?;
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
            What::Lock(0) => Wanted::Lock(number(self.inside(thread)) as u16),
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
        fill(&mut first, count + 2 * MAX_DOMAINS, None)?;
        next.room_for(count)?;
        free.room_for(count)?;
        // Domains of which somebody has a stack; those in which somebody may have a lock, and two may.
        let (mut stack, mut lock, mut second) = (DomainSet::NONE, DomainSet::NONE, DomainSet::NONE);
        for (place, thread) in self.threads.iter().enumerate() {
            let mut own = self.served(thread);
            stack.join(&own);
            own.add(number(thread.home));
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
                Wanted::Stack(number) => !stack.has(number.into()),
                // Nobody but itself may have it.
                Wanted::Lock(number) => !second.has(number.into()),
            };
            if goes_on {
                self.stuck[place] = false;
                free.push_kept(place);
            }
        }
        while let Some(place) = free.pop() {
            let mut own = self.served(&self.threads[place]);
            let stacks = own.all().map(|asid| Wanted::Stack(asid as u16));
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
            own.add(number(self.threads[place].home));
            own.all().for_each(|asid| woken(&mut self.stuck, Wanted::Lock(asid as u16)));
        }
        Ok(())
    }
    fn node(&self, wanted: Wanted) -> Option<Node> {
        node(self.threads.len(), wanted)
    }
    fn find_circles(&mut self) -> Result<()> {
        let count = self.threads.len();
        let mut graph = core::mem::take(&mut self.graph);
        let (mut stacks, mut locks) = (DomainSet::NONE, DomainSet::NONE);
        for (place, &wanted) in self.wanted.iter().enumerate() {
            let wanted = if self.stuck[place] { wanted } else { Wanted::Nothing };
            match wanted {
                Wanted::Stack(number) => stacks.add(number.into()),
                Wanted::Lock(number) => locks.add(number.into()),
                _ => {}
            }
            graph.add(self.node(wanted).into_iter())?;
        }
        for (wanted, home) in [(stacks, false), (locks, true)] {
            for asid in 0..MAX_DOMAINS {
                // Most are waited for by nobody.
                let looked_at = if wanted.has(asid) { count } else { 0 };
                let stuck = (0..looked_at).filter(|&place| self.stuck[place]);
                let has = |&place: &usize| {
                    let thread = &self.threads[place];
                    self.serves(thread, asid) || home && number(thread.home) == asid
                };
                graph.add(stuck.filter(has).map(|place| place as Node))?;
            }
        }
        let found = graph.components(&mut self.circles);
        self.graph = graph;
        found?;
        fill(&mut self.members, self.circles.count(), (0, 0))?;
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
    fn served(&self, thread: &Thread) -> DomainSet {
        let mut all = thread.beyond.and_then(|place| self.beyond.get(place).copied()).unwrap_or(DomainSet::NONE);
        self.calls(thread).iter().for_each(|call| all.add(number(call.server)));
        all
    }
    /// Whether a thread is in a call of the domain with that number.
    fn serves(&self, thread: &Thread, asid: usize) -> bool {
        let beyond = thread.beyond.and_then(|place| self.beyond.get(place));
        beyond.is_some_and(|beyond| beyond.has(asid))
            || self.calls(thread).iter().any(|call| number(call.server) == asid)
    }
    /// The numbers of the domains that a thread has come through and is not in now, but for its own.
    pub fn has_left(&self, thread: &Thread) -> impl Iterator<Item = usize> {
        let (inside, home) = (number(self.inside(thread)), number(thread.home));
        self.served(thread).all().filter(move |&asid| asid != inside && asid != home)
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
/// The number of the domain whose identity that is the word of.
pub(crate) fn number(identity: u64) -> usize {
    identity as u16 as usize % MAX_DOMAINS
}
impl PartialEq for Thread {
    fn eq(&self, other: &Thread) -> bool {
        self.index == other.index
    }
}
