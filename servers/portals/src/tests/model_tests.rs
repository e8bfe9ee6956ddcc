//! Random sequences of all that components can ask for, calls that stay open meanwhile, and ends in between; compared with plain maps
//! of who has which portals, with all invariants checked after each step, and with memory that may end in the middle of one.

use super::world::World;
use crate::failing::with_only;
use crate::fake::{Fake, INIT_THREAD};
use crate::operations::questions::Asking;
use crate::state::registrations::NameIs;
use abi::Error;
use abi::name::Name;
use abi::nucleus::NPORTALS;
use abi::system::{self, Child, FIRST_FREE, admission};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Where a portal leads: the server and the entry point, as the manager tells; the end of the server makes it `DEAD`.
type Leads = (usize, u64);
const DEAD: Leads = (0, 0);

#[derive(Default)]
struct Domain {
    /// What it has of numbers that are given out.
    portals: BTreeMap<usize, Leads>,
    /// In a sandbox, or with one, its numbers are not only its own.
    sandboxed: bool,
    /// Which of those that share a portal table; 0: none.
    ring: usize,
}
/// What must be so.
#[derive(Default)]
struct Model {
    domains: BTreeMap<usize, Domain>,
    /// Whose each name is.
    names: BTreeMap<usize, usize>,
    /// The names that not all may open.
    restricted: BTreeSet<usize>,
    rings: usize,
}
impl Model {
    /// Does `change` to the portals of `asid`, and of all that share its table.
    fn change(&mut self, asid: usize, change: impl Fn(&mut BTreeMap<usize, Leads>)) {
        let Some(ring) = self.domains.get(&asid).map(|domain| domain.ring) else { return };
        for (&other, domain) in &mut self.domains {
            if other == asid || (ring != 0 && domain.ring == ring) {
                change(&mut domain.portals);
            }
        }
    }
    /// What is in a sandbox, or has one, can not be said of it alone.
    fn sandboxed(&mut self, asid: usize) {
        let ring = self.domains.get(&asid).map_or(0, |domain| domain.ring);
        for (&other, domain) in &mut self.domains {
            domain.sandboxed |= other == asid || (ring != 0 && domain.ring == ring);
        }
    }
    fn ends(&mut self, asid: usize) {
        self.domains.remove(&asid);
        let Model { names, restricted, .. } = self;
        names.retain(|_, server| *server != asid);
        restricted.retain(|name| names.contains_key(name));
        for domain in self.domains.values_mut() {
            domain.portals.values_mut().filter(|leads| leads.0 == asid).for_each(|leads| *leads = DEAD);
        }
    }
}
fn name(n: usize) -> String {
    format!("t.{n}")
}

#[derive(Clone, Debug)]
enum Step {
    Register(usize, usize),
    Unregister(usize),
    Open(usize),
    Close(usize),
    Semaphore,
    DestroySemaphore(usize),
    Thread,
    ExitThread,
    Fork,
    Share,
    Admit(usize, usize),
    Ask(usize, usize),
    Sandbox,
    Child(usize),
    Notify(bool),
    Pager(usize, bool),
    Call(usize),
    Return,
    Grant(u64),
    Gone,
    Wait,
    Exit,
    Kill,
    Component,
}
const SPECIFICATIONS: [&str; 6] = ["npii", "smii", "npciw", "nfiri", "npiwi", "smtc"];
fn step() -> impl Strategy<Value = (prop::sample::Index, Step, Option<usize>)> {
    let step = prop_oneof![
        6 => (0usize..5, 0..SPECIFICATIONS.len()).prop_map(|(name, spec)| Step::Register(name, spec)),
        2 => (0usize..5).prop_map(Step::Unregister),
        12 => (0usize..5).prop_map(Step::Open),
        5 => (0usize..20).prop_map(Step::Close),
        4 => Just(Step::Semaphore),
        1 => (0usize..20).prop_map(Step::DestroySemaphore),
        3 => Just(Step::Thread),
        2 => Just(Step::ExitThread),
        3 => Just(Step::Fork),
        3 => Just(Step::Share),
        2 => (0usize..5, 0usize..3).prop_map(|(name, how)| Step::Admit(name, how)),
        2 => (0usize..5, 0usize..20).prop_map(|(name, portal)| Step::Ask(name, portal)),
        2 => Just(Step::Sandbox),
        2 => (0usize..60).prop_map(Step::Child),
        2 => any::<bool>().prop_map(Step::Notify),
        2 => (0usize..3, any::<bool>()).prop_map(|(range, begins)| Step::Pager(range, begins)),
        9 => (0usize..20).prop_map(Step::Call),
        7 => Just(Step::Return),
        4 => (0u64..3).prop_map(Step::Grant),
        1 => Just(Step::Gone),
        2 => Just(Step::Wait),
        1 => Just(Step::Exit),
        2 => Just(Step::Kill),
        2 => Just(Step::Component),
    ];
    // One in four meets the end of memory.
    (any::<prop::sample::Index>(), step, prop_oneof![3 => Just(None), 1 => (0usize..8).prop_map(Some)])
}

/// A question that a thread is asking.
struct Pending {
    thread: usize,
    /// In how many calls it is then.
    depth: usize,
    asking: Asking,
    name: usize,
    opener: usize,
}

struct Run {
    world: World,
    model: Model,
    components: usize,
    asking: Vec<Pending>,
}
impl Run {
    /// Threads that are alive, `init`'s left out.
    fn threads(&self) -> Vec<usize> {
        let all = self.world.manager.threads.living().map(|(index, ..)| index);
        all.filter(|&index| index != INIT_THREAD && Fake.lives(index)).collect()
    }
    fn component(&mut self) {
        if self.model.domains.len() > 12 {
            return;
        }
        self.components += 1;
        let (asid, _) = self.world.component("component", 1 + self.components % 4);
        self.model.domains.insert(asid, Domain::default());
    }
    /// The lowest number that domain `asid` has free.
    fn free(&self, asid: usize) -> usize {
        let portals = &self.model.domains[&asid].portals;
        (FIRST_FREE..NPORTALS).find(|number| !portals.contains_key(number)).expect("a number")
    }
    /// What the thread does, and what must have come of it.
    #[expect(clippy::too_many_lines, reason = "an arm for each operation")]
    fn take(&mut self, thread: usize, step: Step, memory: Option<usize>) {
        let asid = self.world.inside(thread);
        let Some(domain) = self.model.domains.get(&asid) else {
            return self.leave(thread);
        };
        let (plain, nth) =
            (!domain.sandboxed, |n: usize| domain.portals.keys().nth(n % domain.portals.len().max(1)).copied());
        // Who is in a sandbox has other portals than the system's there.
        let sandboxed = self.world.manager.controller(asid) != 0;
        if sandboxed && !matches!(step, Step::Call(_) | Step::Return) {
            return;
        }
        // What it does on behalf of one in its sandbox is that one's.
        let own = matches!(step, Step::Open(_) | Step::Semaphore | Step::Call(_) | Step::Return);
        let serves = self.world.serves_sandbox(thread);
        if !own && serves {
            return;
        }
        let limited = |body: &mut dyn FnMut()| match memory {
            Some(left) => with_only(left, body),
            None => body(),
        };
        let world = &mut self.world;
        // For one in its sandbox that has ended it does nothing more.
        let short = |error: &Error| {
            serves && *error == Error::EDEAD || memory.is_some() && [Error::ENOMEM, Error::ENOSTACK].contains(error)
        };
        match step {
            Step::Register(n, spec) => {
                let mut result = Ok(0);
                let text = name(n);
                limited(&mut || result = world.register(thread, &text, SPECIFICATIONS[spec]));
                match result {
                    Ok(_) => assert!(self.model.names.insert(n, asid).is_none(), "a name is registered twice"),
                    Err(Error::EEXIST) => assert!(self.model.names.contains_key(&n)),
                    Err(error) => assert!(short(&error) || error == Error::ENFILE, "{error:?}"),
                }
            }
            Step::Unregister(n) => {
                let text = Name::of(&name(n)).expect("a name");
                let result = world.call(thread, system::PORTAL_UNREGISTER, |m, caller| m.unregister(caller, &text));
                match self.model.names.get(&n) {
                    Some(owner) if *owner == asid => {
                        assert_eq!(result, Ok(0));
                        self.model.names.remove(&n);
                        self.model.restricted.remove(&n);
                    }
                    Some(_) => assert_eq!(result, Err(Error::EACCESS)),
                    None => assert_eq!(result, Err(Error::ENOENT)),
                }
            }
            Step::Open(n) => {
                let mut result = Ok(0);
                let text = name(n);
                limited(&mut || result = world.open(thread, &text));
                match (result, self.model.names.get(&n).copied()) {
                    (Ok(number), Some(server)) => {
                        assert!(!plain || number == self.free(asid), "{number} is not the lowest free number");
                        self.model.change(asid, |portals| {
                            portals.insert(number, (server, 0x20000));
                        });
                    }
                    (Err(Error::ENOENT), None) | (Err(Error::ENFILE), Some(_)) => {}
                    (Err(Error::EACCESS), Some(_)) => assert!(self.model.restricted.contains(&n)),
                    (Err(Error::EAGAIN), Some(_)) => {
                        assert!(self.model.restricted.contains(&n));
                        if world.depth(thread) < 8 {
                            match world.ask(thread, &text) {
                                Ok(asking) => {
                                    let depth = world.depth(thread);
                                    self.asking.push(Pending { thread, depth, asking, name: n, opener: asid });
                                }
                                Err(error) => assert!(error == Error::EDEAD, "{error:?}"),
                            }
                        }
                    }
                    (Err(error), _) => assert!(short(&error), "{error:?}"),
                    (Ok(_), None) => panic!("a portal to nobody"),
                }
            }
            Step::Close(n) => {
                let Some(number) = nth(n) else { return };
                assert_eq!(world.close(thread, number), Ok(0));
                self.model.change(asid, |portals| {
                    portals.remove(&number);
                });
            }
            Step::Semaphore => {
                let mut result = Ok(0);
                limited(&mut || result = world.semaphore(thread));
                match result {
                    Ok(number) => {
                        let leads = [number, number + 1].map(|n| (n, world.leads(asid, n).expect("P and V")));
                        self.model.change(asid, |portals| portals.extend(leads));
                    }
                    Err(error) => assert!(short(&error) || error == Error::ENFILE, "{error:?}"),
                }
            }
            Step::DestroySemaphore(n) => {
                let Some(number) = nth(n) else { return };
                let id = world.manager.semaphore_of(asid, number);
                let result = world.call(thread, system::SEM_DESTROY, |m, caller| m.semaphore_destroy(caller, number));
                assert_eq!(result.is_ok(), id.is_ok());
                // In all tables that have it.
                if id.is_ok() {
                    let gone = |asid: usize, number: usize| world.leads(asid, number).is_none();
                    for (&asid, domain) in &mut self.model.domains {
                        domain.portals.retain(|&number, _| !gone(asid, number));
                    }
                }
            }
            Step::Thread => {
                let mut result = Ok(0);
                limited(&mut || {
                    result = world.call(thread, system::THREAD_CREATE, |m, caller| {
                        let sp = m.new_stack(caller.subject, 8192)?;
                        m.create_thread(caller.subject, 0x10000, sp, 0, 5)
                    });
                });
                match result {
                    Ok(id) => assert_ne!(world.begun(id), thread),
                    Err(error) => assert!(short(&error) || error == Error::ENFILE, "{error:?}"),
                }
            }
            Step::ExitThread => {
                let others: Vec<usize> = self.model.domains.keys().copied().collect();
                let _ = world.exit_thread(thread);
                others
                    .into_iter()
                    .filter(|&other| self.world.manager.domain(other).is_err())
                    .for_each(|o| self.model.ends(o));
            }
            Step::Admit(n, how) => {
                let how = [admission::LISTED, admission::ALL, admission::WITHDRAWN][how];
                let (mut result, text) = (Ok(0), name(n));
                limited(&mut || result = world.admit(thread, &text, 0, how));
                if self.model.names.get(&n) != Some(&asid) {
                    return assert!(result == Err(Error::ENOENT));
                }
                match (result, how) {
                    (Ok(_), admission::LISTED) => drop(self.model.restricted.insert(n)),
                    (Ok(_), admission::ALL) => drop(self.model.restricted.remove(&n)),
                    (Ok(_), _) => {
                        for (&client, domain) in &mut self.model.domains {
                            for (&number, leads) in domain.portals.iter_mut().filter(|(_, leads)| leads.0 == asid) {
                                // It may have been another name of the same server's.
                                if world.leads(client, number) == Some(DEAD) {
                                    *leads = DEAD;
                                }
                            }
                        }
                    }
                    (Err(error), _) => assert!(short(&error), "{error:?}"),
                }
            }
            Step::Ask(n, portal) => {
                let Some(number) = nth(portal) else { return };
                let (mut result, text) = (Ok(0), name(n));
                limited(&mut || result = world.admit(thread, &text, number, admission::ASKED));
                if result.is_ok() {
                    assert_eq!(self.model.names.get(&n), Some(&asid));
                    self.model.restricted.insert(n);
                }
            }
            Step::Fork | Step::Share | Step::Sandbox => {
                if self.model.domains.len() > 14 {
                    return;
                }
                let inside = matches!(step, Step::Sandbox);
                let mut result = Err(Error::ENOMEM);
                let intercept = match step {
                    Step::Sandbox => 0x30000,
                    Step::Share => system::fork::SHARED,
                    _ => system::fork::COPIED,
                };
                limited(&mut || result = world.fork(thread, intercept));
                let Ok((child, _)) = result else { return };
                if inside {
                    self.model.sandboxed(asid);
                }
                let shares = matches!(step, Step::Share);
                let parent = self.model.domains.get_mut(&asid).expect("it");
                if shares && parent.ring == 0 {
                    self.model.rings += 1;
                    parent.ring = self.model.rings;
                }
                // What leads to itself from within leads there from the child too.
                let portals = match inside {
                    true => BTreeMap::new(),
                    false => parent.portals.clone(),
                };
                let (ring, sandboxed) = (if shares { parent.ring } else { 0 }, inside || (shares && parent.sandboxed));
                self.model.domains.insert(child, Domain { portals, sandboxed, ring });
            }
            Step::Child(number) => {
                let inside = world.manager.domain(asid).expect("it").sandbox.inside.first().copied();
                let Some(child) = inside else { return };
                let portal = number as u64;
                let mut request = Child { spec: [0; 64], asid: child as u64, portal, constant: 1, entry: 0x31000 };
                request.spec[..4].copy_from_slice(b"smci");
                limited(&mut || {
                    let _ =
                        world.call(thread, system::PORTAL_CREATE_CHILD, |m, caller| m.create_child(caller, &request));
                });
            }
            Step::Notify(on) => limited(&mut || {
                let entry = if on { 0x50000 } else { 0 };
                let result = world.call(thread, system::PORTAL_NOTIFY, |m, caller| m.set_notify(caller, entry));
                assert!(result.is_ok() || on);
            }),
            Step::Pager(range, begins) => limited(&mut || {
                let entry = if begins { 0x60000 } else { 0 };
                let range = (0x1000_0000 + range * 0x10000, 0x10000);
                let _ =
                    world.call(thread, system::PAGER, |m, caller| m.set_pager(caller, caller.subject, range, entry));
            }),
            Step::Call(n) => {
                if world.depth(thread) < 8
                    && let Some(number) = if sandboxed { Some(FIRST_FREE + n) } else { nth(n) }
                {
                    // P and V do not stay: the scheduler's calls end at once.
                    let server = world.leads(asid, number).map_or(0, |leads| leads.0);
                    if self.model.domains.contains_key(&server) {
                        assert!(world.enter(thread, number));
                    }
                }
            }
            Step::Return => self.leave(thread),
            Step::Grant(constant) => {
                let client = world.page(thread).frames(&world.manager.code).next().map(|f| f.table());
                let mut result = Err(Error::EINVAL);
                limited(&mut || result = world.grant(thread, constant));
                if let (Ok(number), Some(table)) = (result, client) {
                    let client = table.field(abi::nucleus::domain::ASID) as usize;
                    self.model.change(client, |portals| {
                        portals.insert(number, (asid, 0x40000));
                    });
                }
            }
            Step::Gone => {
                let gone = world.call(thread, system::PORTAL_GONE, |m, caller| m.next_gone(caller));
                assert!(gone.is_ok() || gone == Err(Error::EAGAIN));
            }
            Step::Wait => {
                // For whoever has ended, if it was its child.
                let ended: Vec<usize> = (1..64).filter(|&n| world.manager.ended.of(n).is_some()).collect();
                for gone in ended {
                    let _ = world.call(thread, system::DOMAIN_WAIT, |m, caller| {
                        let waiting = m.wait_begin(caller, gone)?;
                        m.wait_end(&waiting)
                    });
                }
            }
            Step::Exit => {
                // Of the domain that the thread is in.
                self.end(asid, memory);
            }
            Step::Kill => {
                let last = self.model.domains.keys().last().copied();
                last.into_iter().for_each(|last| self.end(last, memory));
            }
            Step::Component => self.component(),
        }
    }
    /// Ends a domain, and with it those inside its sandbox; that needs no memory.
    fn end(&mut self, asid: usize, memory: Option<usize>) {
        let all: Vec<usize> = self.model.domains.keys().copied().collect();
        match memory {
            Some(_) => with_only(0, || self.world.kill(asid)),
            None => self.world.kill(asid),
        }
        .expect("init may");
        for gone in all {
            if self.world.manager.domain(gone).is_err() {
                self.model.ends(gone);
            }
        }
        assert!(!self.model.domains.contains_key(&asid));
        while self.world.manager.events.queue.pop_front().is_some() {}
    }
    fn leave(&mut self, thread: usize) {
        let depth = self.world.depth(thread);
        if let Some(place) = self.asking.iter().rposition(|p| p.thread == thread && p.depth == depth) {
            let Pending { asking, name: n, opener, .. } = self.asking.remove(place);
            let opened = self.world.answer(thread, &name(n), &asking, -(n as isize % 2));
            if let Ok(number) = opened {
                let server = self.model.names[&n];
                self.model.change(opener, |portals| {
                    portals.insert(number, (server, 0x20000));
                });
            }
        } else if self.world.depth(thread) > 0 {
            self.world.leave(thread);
        } else if !self.model.domains.contains_key(&self.world.inside(thread)) {
            // Its domain has ended while it was in it: it was turned away.
            self.world.bury(thread);
        }
    }
    fn compare(&mut self) {
        self.world.check();
        for (&asid, domain) in self.model.domains.iter().filter(|(_, domain)| !domain.sandboxed) {
            for number in FIRST_FREE..FIRST_FREE + 64 {
                let leads = self.world.leads(asid, number);
                assert_eq!(leads, domain.portals.get(&number).copied(), "portal {number} of domain {asid}");
            }
        }
        for (&n, &server) in &self.model.names {
            let found = self
                .world
                .manager
                .registrations
                .iter()
                .find(|(_, r)| r.name_is != NameIs::Withdrawn && abi::section::text(&r.name[..]) == name(n));
            assert_eq!(found.map(|(_, r)| r.server), Some(server), "whose name {n} is");
        }
    }
    /// Everybody ends: nothing is left but what the first components have.
    fn finish(mut self, before: &[u64]) {
        for asid in self.model.domains.keys().copied().collect::<Vec<_>>() {
            if self.world.manager.domain(asid).is_ok() {
                self.end(asid, None);
            }
        }
        for thread in self.threads() {
            while Fake.lives(thread) && self.world.depth(thread) > 0 {
                self.leave(thread);
            }
            if Fake.lives(thread) {
                self.world.bury(thread);
            }
        }
        (1..64).for_each(|gone| self.world.manager.forget_end(gone));
        self.world.check();
        assert_eq!(self.world.counts(), before, "something is left");
    }
}

proptest! {
    #![proptest_config(properties::config(120))]

    #[test]
    fn components_have_what_plain_maps_say(steps in proptest::collection::vec(step(), 1..120)) {
        let mut world = World::new();
        let before = world.counts();
        let mut run = Run { world, model: Model::default(), components: 0, asking: Vec::new() };
        run.component();
        run.component();
        for (who, step, memory) in steps {
            let live = run.threads();
            match step {
                Step::Component => run.component(),
                step if !live.is_empty() => run.take(*who.get(&live), step, memory),
                _ => run.component(),
            }
            run.compare();
        }
        run.finish(&before);
    }
}
