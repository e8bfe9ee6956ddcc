use super::*;
use abi::account::Limits;
use account::Accounts;
use fallible::failing::with_only;
use proptest::prelude::*;

const NODE: u64 = 7;
fn domain(number: usize) -> DomainId {
    DomainId::of(1 << 16 | number as u64).unwrap()
}
fn ask(block: usize, kind: Kind, start: u64, end: u64) -> Ask {
    // Each control block is another domain's.
    let owner = Owner { block, domain: domain(block + 100) };
    let set = Set { node: NODE, whole: false };
    Ask { set, owner, kind, span: Span::new(start, end).unwrap(), payer: Account::new(1).unwrap() }
}
fn elsewhere(ask: Ask, node: u64) -> Ask {
    Ask { set: Set { node, ..ask.set }, ..ask }
}
fn locks(files: u32) -> Locks<Accounts> {
    let mut accounts = Accounts::new();
    let mut limits = Limits::NONE;
    limits.0[Resource::Files as usize] = files;
    accounts.set(Account::new(1).unwrap(), &limits);
    Locks::new(accounts)
}
fn used(locks: &Locks<Accounts>) -> usize {
    locks.ledger.used(Account::new(1).unwrap(), Resource::Files)
}
fn nobody(token: usize, result: Result<()>) {
    panic!("{token} is told {result:?}");
}
use Kind::{Exclusive, Shared};

#[test]
fn many_share_and_one_excludes() {
    let mut l = locks(10);
    for block in 1..4 {
        assert_eq!(l.take(&ask(block, Shared, 0, 10), nobody), Ok(()));
    }
    assert_eq!(l.take(&ask(4, Exclusive, 9, 11), nobody), Err(Error::EAGAIN));
    assert_eq!(l.take(&ask(4, Exclusive, 10, 11), nobody), Ok(()));
    assert_eq!(l.take(&ask(1, Shared, 10, 11), nobody), Err(Error::EAGAIN));
    assert_eq!(l.holder(&ask(1, Shared, 5, 20)), Some((Exclusive, Span::new(10, 11).unwrap(), domain(104))));
}
#[test]
fn locks_on_the_whole_file_and_on_ranges_do_not_see_each_other_nor_do_files() {
    let mut l = locks(10);
    let one = ask(1, Exclusive, 0, 10);
    let whole = Ask { set: Set { node: NODE, whole: true }, span: Span::ALL, ..ask(2, Exclusive, 0, 1) };
    assert_eq!(l.take(&one, nobody), Ok(()));
    assert_eq!(l.take(&whole, nobody), Ok(()));
    assert_eq!(l.take(&elsewhere(ask(2, Exclusive, 0, 10), 8), nobody), Ok(()));
}
#[test]
fn bytes_from_the_middle_leave_two_locks_and_cost_one_more() {
    let mut l = locks(3);
    l.take(&ask(1, Exclusive, 0, 100), nobody).unwrap();
    l.release(&ask(1, Exclusive, 40, 60), nobody).unwrap();
    assert_eq!(used(&l), 2);
    assert_eq!(l.take(&ask(2, Shared, 40, 60), nobody), Ok(()));
    assert_eq!(l.take(&ask(2, Shared, 39, 60), nobody), Err(Error::EAGAIN));
    assert_eq!(l.release(&ask(1, Exclusive, 10, 20), nobody), Err(Error::ENOLCK), "the limit is reached");
    assert_eq!(l.holder(&ask(2, Shared, 10, 20)).map(|held| held.1), Some(Span::new(0, 40).unwrap()), "as it was");
    // What joins them again costs nothing.
    l.release(&ask(2, Shared, 0, 100), nobody).unwrap();
    l.take(&ask(1, Exclusive, 40, 60), nobody).unwrap();
    assert_eq!(used(&l), 1);
}
#[test]
fn a_lock_that_is_asked_for_again_costs_nothing() {
    let mut l = locks(1);
    for _ in 0..3 {
        l.take(&ask(1, Exclusive, 0, 100), nobody).unwrap();
        l.take(&ask(1, Exclusive, 20, 30), nobody).unwrap();
        l.take(&ask(1, Shared, 0, 100), nobody).unwrap();
    }
    assert_eq!((used(&l), l.take(&ask(1, Exclusive, 200, 201), nobody)), (1, Err(Error::ENOLCK)));
    // A part of another kind makes three of one.
    assert_eq!((l.take(&ask(1, Exclusive, 20, 30), nobody), used(&l)), (Err(Error::ENOLCK), 1));
}
#[test]
fn who_waits_gets_it_in_the_order_of_coming() {
    let mut l = locks(10);
    l.take(&ask(1, Exclusive, 0, 10), nobody).unwrap();
    for block in [2, 3, 4] {
        let kind = if block == 4 { Exclusive } else { Shared };
        assert_eq!(l.take(&ask(block, kind, 0, 10), nobody), Err(Error::EAGAIN));
        l.wait(ask(block, kind, 0, 10), block * 1000).unwrap();
    }
    let mut told = Vec::new();
    l.release(&ask(1, Shared, 0, 5), |token, result| told.push((token, result))).unwrap();
    assert_eq!(told, []);
    l.release(&ask(1, Shared, 0, 10), |token, result| told.push((token, result))).unwrap();
    assert_eq!(told, [(2000, Ok(())), (3000, Ok(()))]);
    l.end(NODE, 2, nobody);
    l.end(NODE, 3, |token, result| told.push((token, result)));
    assert_eq!(told[2..], [(4000, Ok(()))]);
    l.end(NODE, 4, nobody);
    assert_eq!((used(&l), l.held.len()), (0, 0));
}
#[test]
fn a_lock_that_becomes_a_shared_one_lets_others_in() {
    let mut l = locks(10);
    l.take(&ask(1, Exclusive, 0, 10), nobody).unwrap();
    l.wait(ask(2, Shared, 5, 6), 5).unwrap();
    let mut told = Vec::new();
    l.take(&ask(1, Shared, 0, 10), |token, result| told.push((token, result))).unwrap();
    assert_eq!(told, [(5, Ok(()))]);
}
#[test]
fn who_waits_no_more_is_not_told() {
    let mut l = locks(10);
    l.take(&ask(1, Exclusive, 0, 10), nobody).unwrap();
    l.wait(ask(2, Shared, 0, 10), 5).unwrap();
    l.leave(5);
    l.leave(5);
    l.release(&ask(1, Shared, 0, 10), nobody).unwrap();
    assert_eq!(used(&l), 0);
}
#[test]
fn who_waits_through_what_has_ended_is_told_so() {
    let mut l = locks(10);
    l.take(&ask(1, Exclusive, 0, 10), nobody).unwrap();
    l.wait(ask(2, Shared, 0, 10), 5).unwrap();
    let mut told = Vec::new();
    l.end(NODE, 2, |token, result| told.push((token, result)));
    assert_eq!((told, used(&l)), (vec![(5, Err(Error::EBADF))], 1));
}
#[test]
fn a_circle_of_waits_is_refused() {
    let mut l = locks(20);
    for block in 1..=5 {
        l.take(&elsewhere(ask(block, Exclusive, 0, 1), block as u64), nobody).unwrap();
    }
    // Each for the next one's.
    for block in 1..5 {
        l.wait(elsewhere(ask(block, Exclusive, 0, 1), block as u64 + 1), block).unwrap();
    }
    let last = elsewhere(ask(5, Shared, 0, 1), 1);
    assert_eq!(l.wait(last, 5), Err(Error::EDEADLK));
    l.leave(3);
    assert_eq!(l.wait(last, 5), Ok(()));
}
#[test]
fn what_another_thread_of_the_same_domain_may_give_back_is_waited_for() {
    let mut l = locks(20);
    let mut other = ask(2, Exclusive, 0, 1);
    other.owner.domain = domain(101);
    l.take(&ask(1, Exclusive, 0, 1), nobody).unwrap();
    assert_eq!(l.wait(other, 2), Ok(()));
}
#[test]
fn a_range_of_nothing_is_refused() {
    assert_eq!((Span::new(5, 5), Span::new(6, 5)), (Err(Error::EINVAL), Err(Error::EINVAL)));
}
#[test]
fn every_allocation_can_fail_and_nothing_has_changed_then() {
    for left in 0.. {
        let mut l = locks(10);
        let first = with_only(left, || l.take(&ask(1, Exclusive, 0, 100), nobody));
        if first.is_err() {
            assert_eq!((first, used(&l), l.held.len()), (Err(Error::ENOLCK), 0, 0), "{left}");
            continue;
        }
        for n in 0..3 {
            let split = with_only(0, || l.release(&ask(1, Shared, 10 + 20 * n, 20 + 20 * n), nobody));
            let held = l.holder(&ask(2, Shared, 10 + 20 * n, 20 + 20 * n)).is_some();
            assert_eq!(held, split.is_err());
        }
        assert_eq!(with_only(0, || l.wait(ask(2, Shared, 0, 1), 1)), Err(Error::ENOLCK));
        break;
    }
}

const BYTES: u64 = 12;
const OWNERS: usize = 4;
#[derive(Clone, Debug)]
enum Step {
    Take(usize, Kind, u64, u64),
    Wait(usize, Kind, u64, u64),
    Release(usize, u64, u64),
    Leave(usize),
    End(usize),
}
fn step() -> impl Strategy<Value = Step> {
    let span = (0..BYTES, 1..=BYTES).prop_map(|(a, b)| (a.min(b - 1), a.max(b - 1) + 1));
    let kind = prop_oneof![Just(Shared), Just(Exclusive)];
    prop_oneof![
        4 => (0..OWNERS, kind.clone(), span.clone()).prop_map(|(o, k, (a, b))| Step::Take(o, k, a, b)),
        2 => (0..OWNERS, kind, span.clone()).prop_map(|(o, k, (a, b))| Step::Wait(o, k, a, b)),
        4 => (0..OWNERS, span).prop_map(|(o, (a, b))| Step::Release(o, a, b)),
        1 => (0..40usize).prop_map(Step::Leave),
        1 => (0..OWNERS).prop_map(Step::End),
    ]
}
/// For each byte what each owner has of it; and who waits. It is as simple as can be.
#[derive(Default)]
struct Model {
    bytes: [[Option<Kind>; OWNERS]; BYTES as usize],
    waiting: Vec<(usize, Ask)>,
}
impl Model {
    fn may(&self, ask: &Ask) -> bool {
        let others =
            |n: usize| (0..OWNERS).filter(move |&o| o != ask.owner.block).filter_map(move |o| self.bytes[n][o]);
        (ask.span.start..ask.span.end).all(|n| others(n as usize).all(|kind| kind == Shared && ask.kind == Shared))
    }
    fn set(&mut self, ask: &Ask, kind: Option<Kind>) {
        (ask.span.start..ask.span.end).for_each(|n| self.bytes[n as usize][ask.owner.block] = kind);
    }
    fn settle(&mut self) -> Vec<(usize, Result<()>)> {
        let mut told = Vec::new();
        while let Some(place) = self.waiting.iter().position(|(_, ask)| self.may(ask)) {
            let (token, ask) = self.waiting.remove(place);
            self.set(&ask, Some(ask.kind));
            told.push((token, Ok(())));
        }
        told
    }
    /// How many locks there are: runs of bytes of one kind, of each owner.
    fn runs(&self) -> usize {
        let starts = |o: usize| {
            (0..BYTES as usize)
                .filter(move |&n| self.bytes[n][o].is_some() && (n == 0 || self.bytes[n - 1][o] != self.bytes[n][o]))
        };
        (0..OWNERS).map(|o| starts(o).count()).sum()
    }
}
proptest! {
    #![proptest_config(properties::config(2000))]
    #[allow(clippy::too_many_lines, reason = "an arm for each operation")]
    #[test]
    fn any_sequence_is_as_the_model_says(steps in proptest::collection::vec(step(), 1..40), files in 1u32..30) {
        let (mut l, mut model) = (locks(files), Model::default());
        for (n, step) in steps.into_iter().enumerate() {
            let mut told = Vec::new();
            let tell = |token, result| told.push((token, result));
            let mut expected = Vec::new();
            let before = model.runs();
            match step {
                Step::Take(o, kind, a, b) => {
                    let ask = ask(o, kind, a, b);
                    match l.take(&ask, tell) {
                        Ok(()) => {
                            prop_assert!(model.may(&ask));
                            model.set(&ask, Some(kind));
                            expected = model.settle();
                        }
                        Err(Error::EAGAIN) => prop_assert!(!model.may(&ask)),
                        Err(error) => {
                            prop_assert_eq!(error, Error::ENOLCK);
                            let was = model.bytes;
                            model.set(&ask, Some(kind));
                            prop_assert!(model.runs() + model.waiting.len() > files as usize);
                            model.bytes = was;
                        }
                    }
                }
                Step::Wait(o, kind, a, b) => {
                    let ask = ask(o, kind, a, b);
                    if !model.may(&ask) && l.wait(ask, n).is_ok() {
                        model.waiting.push((n, ask));
                    }
                }
                Step::Release(o, a, b) => {
                    let ask = ask(o, Shared, a, b);
                    if l.release(&ask, tell).is_ok() {
                        model.set(&ask, None);
                        expected = model.settle();
                    } else {
                        prop_assert_eq!(before + model.waiting.len(), files as usize);
                    }
                }
                Step::Leave(token) => {
                    l.leave(token);
                    model.waiting.retain(|(other, _)| *other != token);
                }
                Step::End(o) => {
                    l.end(NODE, o, tell);
                    let gone = model.waiting.extract_if(.., |(_, ask)| ask.owner.block == o);
                    expected = gone.map(|(token, _)| (token, Err(Error::EBADF))).collect();
                    let all = Ask { span: Span::new(0, BYTES).unwrap(), ..ask(o, Shared, 0, 1) };
                    model.set(&all, None);
                    expected.extend(model.settle());
                }
            }
            // Where the limit is reached a wait may end with that.
            if told.iter().any(|(_, result)| *result == Err(Error::ENOLCK)) {
                return Ok(());
            }
            prop_assert_eq!(told, expected);
            prop_assert_eq!(used(&l), model.runs() + model.waiting.len());
            for (n, owner) in (0..BYTES).flat_map(|n| (0..OWNERS).map(move |o| (n, o))) {
                let held = l.of(Set { node: NODE, whole: false }).iter();
                let kind = held.filter(|h| h.owner.block == owner && h.span.start <= n && n < h.span.end).map(|h| h.kind);
                prop_assert_eq!(kind.collect::<Vec<_>>(), model.bytes[n as usize][owner].into_iter().collect::<Vec<_>>());
            }
        }
    }
}
