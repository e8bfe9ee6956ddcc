use crate::{Deadlines, End, Inside, Late, Limits, Picture};
use abi::activity::{Activity, CALLS, Call, Doing, MARKED, What};
use abi::inspect::NO_REGISTRATION;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// A second in units of `time`.
const SECOND: u64 = 10_000_000;
const LIMIT: u64 = SECOND / 10;

/// Thread `index`, at home in domain 100, in calls of these domains, the innermost first.
fn thread(index: u64, what: What, servers: &[u64]) -> Activity {
    ran(index, what, 0, servers)
}
fn ran(index: u64, what: What, ran: u32, servers: &[u64]) -> Activity {
    let mut activity = Activity { index, home: 100, doing: Doing::new(what, ran).word(), ..Activity::NONE };
    for (n, &server) in servers.iter().enumerate() {
        // The outermost is always at the same place.
        let at = 4000 - 40 * (servers.len() - n) as u64;
        activity.calls[n] = Call { server, registration: NO_REGISTRATION, frame: at | MARKED };
    }
    activity.depth = servers.len() as u64;
    activity
}
fn picture(threads: &[Activity]) -> Picture {
    let mut picture = Picture::new();
    threads.iter().for_each(|thread| picture.add(thread).unwrap());
    picture.finish().unwrap();
    picture
}
fn circles(threads: &[Activity]) -> Vec<Vec<usize>> {
    let picture = picture(threads);
    let threads = |circle| picture.circle_of(circle).map(|thread| thread.index).collect();
    picture.circles().map(threads).collect()
}
fn end(threads: &[Activity], index: usize) -> String {
    let picture = picture(threads);
    match picture.end(picture.thread(index).unwrap()) {
        End::Thread(thread) => format!("{}", thread.index),
        End::Circle(_) => "Circle".into(),
        other => format!("{other:?}"),
    }
}
/// The same threads are seen so often, a tenth of a deadline apart; what is late in the end, of those in domain 7.
fn late(mut threads: Vec<Activity>, times: usize, change: impl Fn(usize, &mut Vec<Activity>)) -> Option<Late> {
    let mut deadlines = Deadlines::new();
    let mut found = None;
    for n in 0..times {
        change(n, &mut threads);
        found = deadlines.look(&picture(&threads), LIMIT / 10, &mut OfSeven).unwrap();
    }
    found
}
/// Domains 7 and 70 have deadlines.
struct OfSeven;
impl Limits for OfSeven {
    fn of(&mut self, call: &Inside) -> Option<u64> {
        [7, 70].contains(&call.server).then_some(LIMIT)
    }
    fn are_there(&mut self, domain: u64) -> bool {
        [7, 70].contains(&domain)
    }
}
fn always(threads: Vec<Activity>) -> Option<Late> {
    late(threads, 30, |_, _| {})
}

#[test]
fn threads_that_wait_for_each_other_are_a_circle() {
    let lock = |index, holder| thread(index, What::Lock(holder), &[]);
    assert_eq!(circles(&[lock(2, 3), lock(3, 2), lock(4, 2), thread(5, What::Sleeps, &[])]), [[2, 3]]);
    assert_eq!(circles(&[lock(2, 3), lock(3, 4), lock(4, 2), lock(7, 9), lock(9, 7)]), [vec![2, 3, 4], vec![7, 9]]);
    assert!(circles(&[lock(2, 3), lock(3, 4), thread(4, What::Ready, &[])]).is_empty());
    assert_eq!(circles(&[thread(2, What::Joins(2), &[])]), [[2]]);
}
#[test]
fn who_waits_for_a_stack_waits_for_all_that_have_one() {
    let waits = |index, servers: &[u64]| thread(index, What::Stack(7), servers);
    // A call that comes back to where it has come from.
    assert_eq!(circles(&[waits(2, &[8, 7])]), [[2]]);
    // Another thread in domain 7 goes on, and gives its stack back.
    assert!(circles(&[waits(2, &[8, 7]), thread(3, What::Semaphore(1), &[7])]).is_empty());
    assert_eq!(end(&[waits(2, &[8, 7]), thread(3, What::Semaphore(1), &[7])], 2), "Stack");
    // Nobody is in it: it has ended, or waits for its successor.
    assert!(circles(&[waits(2, &[8])]).is_empty());
    // Of another serial, the number is the same.
    assert_eq!(circles(&[thread(2, What::Stack(7), &[8, 7 | 5 << 16])]), [[2]]);
}
#[test]
fn a_wait_ends_where_somebody_waits_for_no_other() {
    let all = [
        thread(2, What::Lock(3), &[7]),
        thread(3, What::Joins(4), &[]),
        thread(4, What::Semaphore(9), &[]),
        thread(5, What::Lock(0), &[]),
        thread(6, What::Lock(12), &[]),
        thread(7, What::Lock(8), &[]),
        thread(8, What::Lock(8), &[]),
    ];
    let ends: Vec<String> = (2..9).map(|index| end(&all, index)).collect();
    assert_eq!(ends, ["4", "4", "4", "Unknown", "Gone", "BehindCircle", "Circle"]);
}
#[test]
fn a_call_that_waits_in_its_server_is_late_after_its_time() {
    for what in [What::Semaphore(5), What::Sleeps] {
        let found = |times| late(vec![thread(2, what, &[7, 9])], times, |_, _| {});
        assert_eq!(found(10), None, "the first look begins to measure it");
        let is = found(11).unwrap();
        assert_eq!((is.thread, is.caller, is.call.server, is.had, is.circle), (2, 9, 7, LIMIT, None));
    }
    assert_eq!(always(vec![thread(2, What::Sleeps, &[7])]).unwrap().caller, 100, "from home");
    assert_eq!(always(vec![thread(2, What::Sleeps, &[9])]), None, "nobody has said how long that may take");
    assert_eq!(always(vec![thread(2, What::Ended, &[7])]), None);
}
#[test]
fn a_wait_counts_from_when_it_was_seen_first() {
    let other = |n: usize, threads: &mut Vec<Activity>| threads[0] = thread(2, What::Semaphore(n + 1), &[7]);
    assert_eq!(late(vec![thread(2, What::Sleeps, &[7])], 90, other), None);
    let ready_in_between = |n: usize, threads: &mut Vec<Activity>| {
        threads[0] = thread(2, if n.is_multiple_of(2) { What::Ready } else { What::Sleeps }, &[7])
    };
    assert_eq!(late(vec![thread(2, What::Sleeps, &[7])], 90, ready_in_between), None);
}
#[test]
fn calls_that_are_not_the_same_are_not_late() {
    let another = |_: usize, threads: &mut Vec<Activity>| threads[0].calls[0].frame &= !MARKED;
    assert_eq!(late(vec![thread(2, What::Sleeps, &[7])], 90, another), None);
}
#[test]
fn what_a_component_calls_is_not_its_own_time() {
    assert_eq!(always(vec![thread(2, What::Sleeps, &[8, 7])]), None);
    // And what it had before is not forgotten meanwhile.
    let by_turns = |n: usize, threads: &mut Vec<Activity>| {
        threads[0] = thread(2, What::Sleeps, if n % 4 < 2 { &[7] } else { &[8, 7] })
    };
    let found = |times| late(vec![thread(2, What::Sleeps, &[7])], times, by_turns);
    assert!(found(37).is_none() && found(38).is_some());
}
#[test]
fn who_can_not_run_for_others_makes_nobody_late() {
    assert_eq!(always(vec![thread(2, What::Ready, &[7])]), None);
    // It is seen to run half of the time.
    let runs =
        |n: usize, threads: &mut Vec<Activity>| threads[0] = ran(2, What::Ready, (n as u64 * LIMIT / 20) as u32, &[7]);
    assert_eq!(late(vec![thread(2, What::Ready, &[7])], 20, runs), None);
    assert!(late(vec![thread(2, What::Ready, &[7])], 22, runs).is_some());
    // Never more than has passed, whatever is told.
    let more = |n: usize, threads: &mut Vec<Activity>| threads[0] = ran(2, What::Runs, (n as u64 * LIMIT) as u32, &[7]);
    assert_eq!(late(vec![thread(2, What::Ready, &[7])], 10, more), None);
}
#[test]
fn who_waits_for_a_lock_of_the_same_component_waits_for_that() {
    let waits = thread(2, What::Lock(3), &[7]);
    assert_eq!(always(vec![waits, thread(3, What::Sleeps, &[7])]).unwrap().had, 29 * LIMIT / 10);
    // Its holder is with another: a pager of its client's, for one.
    assert_eq!(always(vec![waits, thread(3, What::Sleeps, &[8, 7])]), None);
    assert_eq!(always(vec![waits, thread(3, What::Sleeps, &[])]), None);
    // Its holder can not run.
    assert_eq!(always(vec![waits, thread(3, What::Ready, &[7])]), None);
    // What another had before is not counted.
    let by_turns = |n: usize, threads: &mut Vec<Activity>| {
        let holder = 3 + n % 2;
        threads[0] = thread(2, What::Lock(holder), &[7]);
        threads[holder - 2] = Activity { home: 7, ..ran(holder as u64, What::Ready, n as u32 * 1_000_000, &[]) };
    };
    let others = [3, 4].map(|index| thread(index, What::Ready, &[7]));
    assert_eq!(late([vec![waits], others.to_vec()].concat(), 90, by_turns), None);
}
#[test]
fn a_wait_that_anybody_may_end_counts_where_nobody_else_keeps_it_waiting() {
    for what in [What::Semaphore(5), What::Lock(0)] {
        let waits = thread(2, what, &[7]);
        assert!(always(vec![waits]).is_some() && always(vec![waits, thread(3, What::Sleeps, &[7])]).is_some());
        let home = |what, servers: &[u64]| Activity { home: 7, ..thread(3, what, servers) };
        // One of the component's own that waits for others for ever is its own affair.
        assert!(always(vec![waits, home(What::Sleeps, &[])]).is_some());
        assert!(always(vec![waits, home(What::Sleeps, &[8])]).is_some());
        // One of a client's that is with another, and may have what it waits for.
        assert_eq!(always(vec![waits, thread(3, What::Sleeps, &[8, 7])]), None);
        let often = |times| late(vec![waits, thread(3, What::Sleeps, &[8, 7])], times, |_, _| {});
        assert!(often(80).is_none() && often(82).is_some(), "it may be so for long, and not for ever");
        assert!(always(vec![waits, thread(3, What::Sleeps, &[8, 9])]).is_some());
        // One that could run, and does not, or has run.
        assert_eq!(always(vec![waits, home(What::Ready, &[])]), None);
        assert_eq!(always(vec![waits, thread(3, What::Ready, &[7])]), None);
        assert!(always(vec![waits, thread(3, What::Ready, &[8])]).is_some());
        let runs = |n: usize, threads: &mut Vec<Activity>| {
            threads[1] = ran(3, What::Ready, (n as u64 * LIMIT / 10) as u32, &[7]);
        };
        assert!(late(vec![waits, thread(3, What::Ready, &[7])], 13, runs).is_some());
        // One that is deeper than is told call by call.
        let deep = |beyond: usize| {
            let mut deep = Activity { depth: CALLS as u64 + 1, ..thread(3, What::Sleeps, &[8; CALLS]) };
            deep.beyond.add(beyond);
            deep
        };
        assert_eq!(always(vec![waits, deep(7)]), None);
        assert!(always(vec![waits, deep(9)]).is_some());
    }
}
#[test]
fn a_circle_is_late_and_who_waits_behind_it_is_not() {
    let circle = |server, other| [thread(2, What::Lock(3), &[server]), thread(3, What::Lock(2), &[other])].to_vec();
    assert!(always(circle(7, 70)).unwrap().circle.is_some());
    let mut behind = circle(9, 9);
    behind.push(thread(4, What::Lock(2), &[7]));
    assert_eq!(always(behind), None);
    // A call that has come back to its first server, of whose stacks none is left.
    assert!(always(vec![thread(2, What::Stack(8), &[7, 8])]).unwrap().circle.is_some());
    // A thread of the component's own.
    let own = Activity { home: 7, ..thread(3, What::Lock(2), &[]) };
    assert!(always(vec![thread(2, What::Lock(3), &[7]), own]).unwrap().circle.is_some());
}
#[test]
fn a_circle_that_a_client_closes_makes_nobody_late() {
    // A pager of the client's, which has no deadline, says that it waits for the one that waits in the server.
    let pager = |what| thread(3, what, &[8, 7]);
    let waits = thread(2, What::Lock(3), &[7]);
    assert_eq!(always(vec![waits, pager(What::Joins(2))]), None);
    assert_eq!(always(vec![waits, pager(What::Lock(2))]), None);
    // It has all stacks of another that the server calls.
    assert_eq!(always(vec![thread(2, What::Stack(70), &[7]), thread(3, What::Joins(2), &[8, 70])]), None);
    // One of the client's threads at home.
    assert_eq!(always(vec![waits, thread(3, What::Joins(2), &[])]), None);
}
#[test]
fn a_circle_is_found_beside_another_that_hides_it() {
    // Of all that have a stack of domain 8, the first wait for each other, and the last for the one that waits.
    let hides = [thread(2, What::Lock(3), &[8]), thread(3, What::Lock(2), &[8])];
    let real = [thread(4, What::Stack(8), &[7]), thread(5, What::Lock(4), &[70, 8])];
    let all = [&hides[..], &real[..]].concat();
    assert_eq!(circles(&all), [vec![2, 3], vec![4, 5]]);
    assert_eq!(always(all).unwrap().thread, 4);
}
#[test]
fn who_is_deeper_than_is_told_has_what_it_has_come_through() {
    let deep = |what| {
        let mut deep = Activity { depth: CALLS as u64 + 1, ..thread(3, what, &[9; CALLS]) };
        // Below those that are not told.
        deep.calls.iter_mut().for_each(|call| call.frame -= 80);
        deep.beyond.add(8);
        deep
    };
    let end = |servers: &[u64], what| {
        end(&[thread(2, What::Stack(8), &[7]), deep(what), thread(4, What::Lock(2), servers)], 2)
    };
    assert_eq!((end(&[8], What::Sleeps), end(&[8], What::Lock(2))), ("Stack".into(), "Circle".into()));
    assert_eq!((end(&[], What::Sleeps), end(&[], What::Lock(2))), ("Stack".into(), "Circle".into()));
    // A call that is measured, and not told for a while, is not forgotten, and one that has its place then has nothing of its time.
    let away = |marked: bool| {
        move |n: usize, threads: &mut Vec<Activity>| {
            threads[0] =
                if n % 4 < 2 { thread(2, What::Sleeps, &[7]) } else { Activity { index: 2, ..deep(What::Sleeps) } };
            if n.is_multiple_of(4) && !marked {
                threads[0].calls[0].frame &= !MARKED;
            }
        }
    };
    assert!(late(vec![thread(2, What::Sleeps, &[7])], 38, away(true)).is_some());
    assert!(late(vec![thread(2, What::Sleeps, &[7])], 90, away(false)).is_none());
}
#[test]
fn a_thread_that_has_ended_lets_nobody_go_on() {
    // Two that wait in one component, each for a lock that one there holds: of these two one, as far as is known.
    let waits = |index| thread(index, What::Lock(0), &[7]);
    let home = |what| Activity { home: 7, ..thread(4, what, &[]) };
    assert_eq!(circles(&[waits(2), waits(3)]), [[2, 3]]);
    assert_eq!(circles(&[waits(2), waits(3), home(What::Ended)]), [[2, 3]]);
    assert!(circles(&[waits(2), waits(3), home(What::Sleeps)]).is_empty(), "one of its own may hold both");
    // Who waits for its end goes on.
    assert_eq!(end(&[thread(2, What::Joins(4), &[]), home(What::Ended)], 2), "Gone");
}
#[test]
fn circles_are_found_beside_waits_of_many_levels() {
    // Each waits for a stack that the next one has, and the last goes on.
    let levels = (2..200).map(|n| thread(n, What::Stack(n as usize + 1), &[n]));
    let all: Vec<Activity> = levels.chain([thread(200, What::Sleeps, &[200])]).collect();
    assert!(circles(&all).is_empty() && end(&all, 2) == "Stack");
    let circle = [thread(300, What::Lock(301), &[7]), thread(301, What::Lock(300), &[7])];
    assert_eq!(circles(&[&all[..], &circle[..]].concat()), [[300, 301]]);
    let stuck = [&all[..all.len() - 1], &[thread(200, What::Lock(300), &[200])], &circle[..]].concat();
    assert_eq!((circles(&stuck), end(&stuck, 2)), (vec![vec![300, 301]], "BehindCircle".to_string()));
}
#[test]
fn what_was_seen_can_be_forgotten() {
    let mut deadlines = Deadlines::new();
    let all = picture(&[thread(2, What::Sleeps, &[7])]);
    for n in 0..30 {
        if n % 10 == 9 {
            deadlines.forget();
        }
        assert_eq!(deadlines.look(&all, LIMIT / 10, &mut OfSeven), Ok(None));
    }
}
#[test]
fn the_latest_is_found_first() {
    struct Two;
    impl Limits for Two {
        fn of(&mut self, call: &Inside) -> Option<u64> {
            Some(if call.server == 8 { LIMIT / 5 } else { LIMIT / 2 })
        }
        fn are_there(&mut self, _: u64) -> bool {
            true
        }
    }
    let mut deadlines = Deadlines::new();
    let all = [thread(2, What::Sleeps, &[7]), thread(3, What::Sleeps, &[8]), thread(4, What::Sleeps, &[7])];
    let mut look = || deadlines.look(&picture(&all), LIMIT / 10, &mut Two).unwrap().map(|late| late.thread);
    assert_eq!([(); 8].map(|()| look()), [None, None, Some(3), Some(3), Some(3), Some(3), Some(3), Some(3)]);
}
#[test]
fn what_has_returned_is_forgotten() {
    let away =
        |n: usize, threads: &mut Vec<Activity>| threads[0] = thread(2, What::Sleeps, if n == 5 { &[] } else { &[7] });
    assert_eq!(late(vec![thread(2, What::Sleeps, &[7])], 16, away), None);
    assert!(late(vec![thread(2, What::Sleeps, &[7])], 17, away).is_some());
}
#[test]
fn many_threads_are_looked_at_in_little_time() {
    // Those that wait for a stack, of others that wait for each other in a long line.
    let waits = (2..1000).map(|n| thread(n, What::Stack(8), &[7]));
    let line = (1000..2047).map(|n| thread(n, What::Lock(n as usize + 1), &[8; CALLS]));
    for last in [What::Sleeps, What::Lock(2), What::Stack(7)] {
        let all: Vec<Activity> = waits.clone().chain(line.clone()).chain([thread(2047, last, &[8])]).collect();
        let begun = std::time::Instant::now();
        let mut deadlines = Deadlines::new();
        for _ in 0..3 {
            let picture = picture(&all);
            deadlines.look(&picture, LIMIT / 10, &mut OfSeven).unwrap();
            assert_eq!(picture.circles().count(), usize::from(last != What::Sleeps));
        }
        // Some ten milliseconds in a program for tests, and seconds where each step looks at all.
        assert!(begun.elapsed().as_millis() < 1500, "{:?}", begun.elapsed());
    }
}

fn any_what() -> impl Strategy<Value = What> {
    prop_oneof![
        Just(What::Ready),
        Just(What::Sleeps),
        Just(What::Lock(0)),
        (2..12usize).prop_map(What::Lock),
        (2..12usize).prop_map(What::Joins),
        (5..9usize).prop_map(What::Stack),
    ]
}
proptest! {
    #![proptest_config(properties::config(512))]
    /// Who is in a circle can be reached from itself, and all who can, and wait in vain, are found; what is looked at ends.
    #[test]
    fn circles_are_those_that_lead_back(all in prop::collection::vec((any_what(), prop::collection::vec(5..9u64, 0..4)), 1..10)) {
        let all: Vec<Activity> = (2..).zip(&all).map(|(index, (what, servers))| thread(index, *what, servers)).collect();
        let awaited = |index: usize| -> Vec<usize> {
            let Some(one) = all.get(index - 2) else { return vec![] };
            match Doing::of(one.doing).what() {
                What::Lock(0) => {
                    let inside = |t: &Activity| t.calls().first().map_or(t.home, |call| call.server);
                    let may = |t: &&Activity| t.index != one.index && (t.home == inside(one) || t.calls().iter().any(|c| c.server == inside(one)));
                    all.iter().filter(may).map(|t| t.index as usize).collect()
                }
                What::Lock(other) | What::Joins(other) => if other < all.len() + 2 { vec![other] } else { vec![] },
                What::Stack(domain) => all.iter().filter(|t| t.calls().iter().any(|c| c.server == domain as u64)).map(|t| t.index as usize).collect(),
                _ => vec![],
            }
        };
        // Whoever may go on, and all who wait for one of those.
        let mut goes: BTreeSet<usize> = (2..all.len() + 2).filter(|&index| awaited(index).is_empty()).collect();
        loop {
            let more: Vec<usize> = (2..all.len() + 2).filter(|index| !goes.contains(index) && awaited(*index).iter().any(|other| goes.contains(other))).collect();
            if more.is_empty() { break }
            goes.extend(more);
        }
        let reaches = |from: usize, to: usize| {
            let (mut met, mut next) = (BTreeSet::new(), vec![from]);
            while let Some(index) = next.pop() {
                let more: Vec<usize> = awaited(index).into_iter().filter(|other| !goes.contains(other) && met.insert(*other)).collect();
                next.extend(more);
            }
            met.contains(&to)
        };
        let picture = picture(&all);
        for index in 2..all.len() + 2 {
            let end = picture.end(picture.thread(index).unwrap());
            let own = all[index - 2].doing;
            if Doing::of(own).what() != What::Lock(0) {
                prop_assert_eq!(matches!(end, End::Circle(_) | End::BehindCircle), !goes.contains(&index), "thread {}", index);
            }
            prop_assert_eq!(matches!(end, End::Circle(_)), !goes.contains(&index) && reaches(index, index), "thread {}", index);
        }
        let circles = circles(&all);
        for (circle, index) in circles.iter().flat_map(|circle| circle.iter().map(move |index| (circle, index))) {
            let with: Vec<usize> = (2..all.len() + 2).filter(|other| !goes.contains(other) && reaches(*index, *other) && reaches(*other, *index)).collect();
            prop_assert_eq!(circle, &with);
        }
        prop_assert_eq!(circles.is_empty(), goes.len() == all.len(), "{:?}", circles);
    }
}
