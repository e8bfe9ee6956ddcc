//! Random sequences of what two clients and two loaders can do with delegations, with ends of either in between and with memory that may end in
//! the middle: after each step all invariants hold, and nobody has a name that is not his to have.

use super::world::World;
use crate::failing::with_only;
use crate::fake::Fake;
use crate::manager::{Caller, Manager};
use crate::state::code::Kind;
use abi::nucleus::NPORTALS;
use abi::protection::operation;
use abi::system::{self, FIRST_FREE};
use proptest::prelude::*;

const ENTRY: usize = 0x12340;

#[derive(Clone, Copy, Debug)]
enum Step {
    Delegate(usize, usize),
    InTheNameOfAPart(usize),
    Accept(usize, usize),
    Make(usize),
    Operate(usize, usize),
    Place(usize),
    Create(usize),
    Close(usize),
    Fork(usize),
    End(usize),
}
fn step() -> impl Strategy<Value = (Step, usize, Option<usize>)> {
    let step = prop_oneof![
        6 => (0usize..4, 1usize..4).prop_map(|(who, domains)| Step::Delegate(who, domains)),
        3 => (0usize..4).prop_map(Step::InTheNameOfAPart),
        10 => (0usize..4, 0usize..4).prop_map(|(who, portal)| Step::Accept(who, portal)),
        10 => (0usize..4).prop_map(Step::Make),
        20 => (0usize..4, 1usize..13).prop_map(|(who, what)| Step::Operate(who, what)),
        3 => (0usize..4).prop_map(Step::Place),
        3 => (0usize..4).prop_map(Step::Create),
        5 => (0usize..4).prop_map(Step::Close),
        2 => (0usize..4).prop_map(Step::Fork),
        3 => (0usize..4).prop_map(Step::End),
    ];
    (step, any::<usize>(), prop::option::weighted(0.2, 0usize..12))
}

/// Four components that have portals to each other, by place: number and thread.
struct Run {
    world: World,
    all: [(usize, usize); 4],
    lives: usize,
    /// How many things there are that the next request asks for; none: all.
    only: Option<usize>,
}
impl Run {
    fn new() -> Run {
        let mut run = Run { world: World::new(), all: [(0, 0); 4], lives: 0, only: None };
        (0..4).for_each(|place| run.begin(place));
        run
    }
    /// A request of a thread's.
    fn asks<T>(
        &mut self,
        thread: usize,
        number: usize,
        what: impl FnOnce(&mut Manager<Fake>, Caller) -> Result<T, abi::Error>,
    ) {
        let world = &mut self.world;
        let _ = match self.only {
            Some(only) => with_only(only, || world.call(thread, number, what).map(|_| ())),
            None => world.call(thread, number, what).map(|_| ()),
        };
    }
    fn operates(&mut self, thread: usize, handle: usize, what: usize, words: [usize; 3]) {
        self.asks(thread, system::PORTAL_CLOSE, |manager, caller| manager.operate(caller, handle, what, words));
    }
    fn begin(&mut self, place: usize) {
        self.lives += 1;
        self.all[place] = self.world.component("component", 1 + place);
        self.world.register(self.all[place].1, &format!("t.{place}"), "npii").unwrap();
    }
    /// A portal of `from` to `to`, which is opened if there is none.
    fn portal(&mut self, from: usize, to: usize) -> Option<usize> {
        let (asid, thread) = self.all[from];
        let leads = |number: &usize| {
            let table = self.world.manager.domain(asid).unwrap().table;
            let block = self.world.manager.code.get(table.entry(*number));
            block.is_some_and(|b| matches!(b.kind, Kind::Registered { .. }) && b.server as usize == self.all[to].0)
        };
        let known = (FIRST_FREE..NPORTALS).find(leads);
        known.or_else(|| self.world.open(thread, &format!("t.{to}")).ok())
    }
    /// A number of `who`'s that leads to a block of a kind, or any at all.
    fn number(&self, who: usize, which: usize, wanted: impl Fn(Kind) -> bool) -> usize {
        let table = self.world.manager.domain(self.all[who].0).unwrap().table;
        let of = |number: &usize| self.world.manager.code.get(table.entry(*number)).is_some_and(|b| wanted(b.kind));
        let numbers: Vec<usize> = (FIRST_FREE..NPORTALS).filter(of).collect();
        numbers.get(which % numbers.len().max(1)).copied().unwrap_or(NPORTALS + which % 2)
    }
    /// The first of all, from `who` on, that has such a number; now and then `who`, whatever it has.
    fn who_has(&self, who: usize, which: usize, wanted: impl Fn(Kind) -> bool) -> usize {
        let has = |place: &usize| {
            let Ok(domain) = self.world.manager.domain(self.all[*place].0) else { return false };
            let of = |n: usize| self.world.manager.code.get(domain.table.entry(n)).is_some_and(|b| wanted(b.kind));
            (FIRST_FREE..NPORTALS).any(of)
        };
        let found = (0..4).map(|n| (who + n) % 4).find(has).unwrap_or(who);
        if which.is_multiple_of(9) { who } else { found }
    }
    /// Whether a component at `place` may use a delegation.
    fn holds(&self, place: usize, kind: Kind) -> bool {
        let Kind::Delegation { delegation } = kind else { return false };
        let holder = self.world.manager.delegations.get(delegation).map(|one| one.holder);
        holder.is_some_and(|holder| self.world.manager.domain(self.all[place].0).is_ok_and(|d| d.id == holder))
    }
    #[expect(clippy::too_many_lines, reason = "an arm for each operation")]
    fn take(&mut self, step: Step, which: usize) {
        let is_delegation = |kind| matches!(kind, Kind::Delegation { .. });
        let is_part = |kind| matches!(kind, Kind::Handle | Kind::Delegated { .. });
        match step {
            Step::Delegate(who, domains) => {
                let Some(portal) = self.portal(who, which % 4) else { return };
                let words = [portal, domains, which % 60];
                self.operates(self.all[who].1, 0, operation::DELEGATE, words);
            }
            Step::InTheNameOfAPart(who) => {
                let who = self.who_has(who, which, is_part);
                let Some(portal) = self.portal(who, which % 4) else { return };
                let part = self.number(who, which, is_part);
                self.operates(self.all[who].1, part, operation::DELEGATE, [portal, 1, 20]);
            }
            Step::Accept(who, to) => {
                let given = |kind| (0..4).any(|place| self.holds(place, kind));
                let who = self.who_has(who, which, given);
                let chosen = self.number(who, which, is_delegation);
                let table = self.world.manager.domain(self.all[who].0).unwrap().table;
                let kind = self.world.manager.code.get(table.entry(chosen)).map(|block| block.kind);
                let meant = kind.and_then(|kind| (0..4).find(|&place| self.holds(place, kind)));
                let to = meant.filter(|_| !which.is_multiple_of(5)).unwrap_or(to);
                let Some(portal) = self.portal(who, to) else { return };
                let thread = self.all[who].1;
                let number = self.number(who, which, is_delegation);
                if self.world.enter(thread, portal) {
                    let accept = |manager: &mut Manager<Fake>, caller: Caller| manager.accept(caller, thread, number);
                    self.asks(thread, system::PORTAL_OPEN, accept);
                    self.world.leave(thread);
                }
            }
            Step::Make(who) => {
                let accepted = |place: &usize| self.number(*place, which, |kind| self.holds(*place, kind)) < NPORTALS;
                let who = (0..4).map(|n| (who + n) % 4).find(accepted).unwrap_or(who);
                let mine = |kind| which.is_multiple_of(5) && is_delegation(kind) || self.holds(who, kind);
                let number = self.number(who, which, mine);
                let make = |manager: &mut Manager<Fake>, caller: Caller| manager.make_delegated(caller, number, "part");
                self.asks(self.all[who].1, system::PORTAL_OPEN, make);
            }
            Step::Operate(who, what) => {
                let who = self.who_has(who, which, is_part);
                let kind = |kind| if which.is_multiple_of(7) { is_delegation(kind) } else { is_part(kind) };
                let handle = self.number(who, which, kind);
                let first = match what {
                    operation::PASS | operation::WITHDRAW => self.number(who, which / 7, |_| true),
                    operation::TAKE => 4096 * (1 + which % 5),
                    operation::DELEGATE => self.portal(who, which % 4).unwrap_or(0),
                    _ => ENTRY,
                };
                self.operates(self.all[who].1, handle, what, [first, 1 + which % 3, which % 3]);
            }
            Step::Place(who) => {
                let handle = self.number(who, which, is_part);
                let place = |manager: &mut Manager<Fake>, caller: Caller| {
                    manager.place(caller, handle, 0x10000, abi::rights::Rights::READ, (0, 8)).map(|_| ())
                };
                self.asks(self.all[who].1, system::PORTAL_CLOSE, place);
            }
            Step::Create(who) => {
                let create = |manager: &mut Manager<Fake>, caller: Caller| manager.create_protection(caller, "own");
                self.asks(self.all[who].1, system::PORTAL_OPEN, create);
            }
            Step::Close(who) => {
                let number = self.number(who, which, Kind::names_a_part);
                let _ = self.world.close(self.all[who].1, number);
            }
            Step::Fork(who) => {
                if let Ok((child, thread)) = self.world.fork(self.all[who].1, 0) {
                    self.compare();
                    self.world.kill(child).unwrap();
                    self.world.bury(thread);
                    self.world.manager.forget_end(child);
                }
            }
            Step::End(who) => self.end(who),
        }
    }
    fn end(&mut self, who: usize) {
        let (asid, thread) = self.all[who];
        self.world.kill(asid).unwrap();
        self.world.bury(thread);
        self.world.manager.forget_end(asid);
        self.begin(who);
    }
    /// All invariants; and who has a delegation or what was made with one is who gave it, or whom it is for.
    fn compare(&mut self) {
        self.world.check();
        let manager = &self.world.manager;
        for (asid, domain) in manager.domains.iter() {
            for number in FIRST_FREE..NPORTALS {
                let Some(block) = manager.code.get(domain.table.entry(number)) else { continue };
                let (Kind::Delegation { delegation } | Kind::Delegated { delegation }) = block.kind else { continue };
                let task = block.server as usize;
                assert!(manager.domain(task).is_ok(), "{asid}, {number}: its task lives");
                let Some(one) = manager.delegations.get(delegation) else { continue };
                let given = matches!(block.kind, Kind::Delegation { .. }) && manager.task_of(asid) == task;
                assert!(given || one.holder == domain.id, "{asid}, {number}: it is for somebody else");
            }
        }
        // Each part that somebody outside of its task has made is that task's, and somebody has a name for it.
        for (asid, domain) in manager.domains.iter() {
            let task = manager.task_of(asid);
            if task != asid && !domain.lasting {
                assert!(manager.named_parts(task).has(asid), "{asid} has no name, and is there");
            }
        }
    }
}
proptest! {
    #![proptest_config(properties::config(60))]

    #[test]
    fn delegations_are_where_they_belong_whatever_is_done(steps in proptest::collection::vec(step(), 1..120)) {
        let mut run = Run::new();
        for (step, which, memory) in steps {
            run.only = memory;
            run.take(step, which);
            run.compare();
        }
        (0..4).for_each(|who| run.end(who));
        run.compare();
        assert_eq!(run.world.manager.delegations.count(), 0);
        assert_eq!(run.world.manager.domains.iter().filter(|(_, d)| &d.name[..4] == b"part").count(), 0);
    }
}
