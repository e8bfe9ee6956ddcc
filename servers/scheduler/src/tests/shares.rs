//! Shares of the processor: what is left for others, and who gets it.

use super::System;
use crate::processor::{PERIOD, SHORTEST, SPREAD};
use crate::scheduler::HEIRS;
use crate::{NEVER, State};
use abi::Error::EINVAL;
use abi::account::{ACCOUNTS, Share};
use proptest::prelude::*;

/// Threads of account 1, with this share, in domain 10, and one each of account 2 and so on in domain 11 and so on: by their priorities, from
/// thread 3 on. Thread 2 has made them, and ended.
fn with(percent: usize, own: &[isize], others: &[isize]) -> System {
    let mut system = System::new(&[(2, 63)]);
    system.enter(|s| s.share(1, percent));
    let domains = own.iter().map(|priority| (10, 1, *priority));
    let others = others.iter().enumerate().map(|(n, priority)| (11 + n, 2 + n, *priority));
    for (n, (home, account, priority)) in domains.chain(others).enumerate() {
        add(&mut system, 3 + n, home, account, priority);
    }
    system.enter(|s| s.exit());
    system
}
fn add(system: &mut System, index: usize, home: usize, account: usize, priority: isize) {
    system.enter(|s| s.add(index, priority, home, priority, account));
}
/// How long each of so many threads has run, by its index, in `time` from now on, with nothing but the timer's interrupts.
fn run(system: &mut System, time: u64) -> [u64; 64] {
    let mut had = [0; 64];
    let end = system.scheduler.machine.now + time;
    while system.scheduler.machine.now < end {
        let (before, who) = (system.scheduler.machine.now, system.running);
        if system.scheduler.machine.timer > end {
            system.scheduler.machine.now = end;
        } else {
            system.interrupt();
        }
        had[who] += system.scheduler.machine.now - before;
    }
    had
}
/// Of 100, and how far from that it may be.
fn about(had: u64, percent: u64, of: u64) -> bool {
    (had * 100 / of).abs_diff(percent) <= 4
}

#[test]
fn who_has_had_its_share_comes_after_all_others_until_the_period_ends() {
    let mut system = with(50, &[45], &[5]);
    let had = run(&mut system, 40 * PERIOD);
    assert!(about(had[3], 54, 40 * PERIOD) && about(had[4], 46, 40 * PERIOD), "{had:?}");
}
#[test]
fn without_a_limit_a_high_thread_keeps_all_others_waiting() {
    let mut system = with(100, &[45], &[5]);
    assert_eq!(system.scheduler.machine.timer, NEVER, "and nobody looks");
    system.scheduler.machine.now += 40 * PERIOD;
    assert_eq!(system.running, 3);
}
#[test]
fn a_limit_is_none_while_nobody_waits() {
    let mut system = with(10, &[45, 20], &[]);
    let had = run(&mut system, 10 * PERIOD);
    assert_eq!(had[3], 10 * PERIOD, "not even for another of its own account");
}
#[test]
fn many_threads_have_one_share() {
    let mut system = with(50, &[45; 9], &[5]);
    let had = run(&mut system, 40 * PERIOD);
    assert!(about(had[12], 46, 40 * PERIOD), "{had:?}");
}
#[test]
fn who_puts_many_of_its_own_before_others_keeps_them_waiting_no_longer() {
    let mut own = [5; 20];
    own[0] = 45;
    let mut system = with(50, &own, &[5]);
    let had = run(&mut system, 40 * PERIOD);
    assert!(about(had[23], 46, 40 * PERIOD), "{had:?}");
}
#[test]
fn who_takes_turns_with_its_own_has_one_share() {
    // The running one of two ends each time before it has run for a look, and a new one comes.
    let mut system = with(50, &[45], &[5]);
    let (mut other, mut time) = (0, 0);
    for n in 0..20_000 {
        let who = system.running;
        let next = system.scheduler.machine.timer.min(system.scheduler.machine.now + 3_000);
        let had = next - system.scheduler.machine.now;
        (other, time) = (other + if who == 4 { had } else { 0 }, time + had);
        system.scheduler.machine.now = next;
        if system.scheduler.machine.timer <= next {
            system.tick();
        } else if who != 4 {
            add(&mut system, 5 + n % 2, 10, 1, 45);
            if system.running == who {
                system.enter(|s| s.exit());
            }
            system.enter(|s| s.reap());
        }
    }
    assert!(other * 100 / time >= 30, "{other} of {time}");
}
#[test]
fn all_together_leave_a_tenth() {
    for many in [2, 3, 10] {
        let mut others = vec![45; many - 1];
        others.push(5);
        let mut system = with(80, &[45], &others);
        (2..=many).for_each(|account| assert!(system.enter(|s| s.share(account, 80)).1 >= 0));
        let had = run(&mut system, 40 * PERIOD);
        assert!(had[3 + many] * 100 / (40 * PERIOD) >= 4, "{many}: {had:?}");
    }
}
#[test]
fn accounts_of_many_threads_each_leave_a_tenth_together() {
    // With slices of ten milliseconds, one has its whole share before the other runs.
    let mut system = with(80, &[45; 21], &[5]);
    system.enter(|s| s.share(3, 80));
    (0..21).for_each(|n| add(&mut system, 40 + n, 20, 3, 45));
    let had = run(&mut system, 40 * PERIOD);
    assert!(had[24] * 100 / (40 * PERIOD) >= 4, "{had:?}");
}
#[test]
fn who_holds_what_a_higher_one_waits_for_has_its_priority_also_without_a_share() {
    let mut system = with(20, &[45], &[30, 25]);
    while system.running == 3 {
        system.interrupt();
    }
    assert_eq!(system.running, 4);
    let turns = system.enter(|s| s.lock_wait(11, 16, 8, 3, abi::lock::TURNS)).1;
    assert_eq!(system.enter(|s| s.lock_wait(11, 16, 8, 3, turns)).0, 3, "before thread 5");
    assert_eq!(system.enter(|s| s.lock_release(11, 8, 3)).0, 4);
}
#[test]
fn a_new_thread_of_a_spent_account_is_demoted() {
    let mut system = with(20, &[45], &[30]);
    while system.running == 3 {
        system.interrupt();
    }
    add(&mut system, 5, 10, 1, 45);
    assert_eq!(system.running, 4);
    assert_eq!(system.enter(|s| s.info(5)).1 >> 32 & 0xFF, 45 >> 4);
    run(&mut system, PERIOD);
    assert_eq!(system.enter(|s| s.info(5)).1 >> 32 & 0xFF, 45);
}
#[test]
fn nobody_looks_while_nothing_runs_and_somebody_does_again_after_that() {
    let mut system = with(20, &[45], &[30]);
    run(&mut system, PERIOD / 2);
    while system.running != 1 {
        system.enter(|s| s.sleep(5 * PERIOD as isize));
    }
    // One look finds that nothing runs.
    system.interrupt();
    let timer = system.scheduler.machine.timer;
    assert!(timer > system.scheduler.machine.now + SHORTEST + SPREAD, "{timer}");
    system.interrupt();
    run(&mut system, PERIOD / 100);
    assert_eq!((system.running, system.enter(|s| s.info(3)).1 >> 32 & 0xFF), (3, 45), "what was spent is long ago");
    let had = run(&mut system, 40 * PERIOD);
    assert!(had[4] > 0, "{had:?}");
}
#[test]
fn an_interrupt_from_idle_begins_looks() {
    let mut system = with(20, &[45], &[30]);
    let semaphore = system.semaphore(0);
    while system.running != 1 {
        system.p(semaphore, -1);
    }
    while system.scheduler.machine.timer != NEVER {
        system.interrupt();
    }
    for who in [3, 4] {
        system.enter(|s| s.interrupt_quick(semaphore).unwrap_or_else(|| s.interrupt(semaphore)));
        assert_eq!(system.state(who), if who == 3 { State::Running } else { State::Ready } as isize);
    }
    let had = run(&mut system, 10 * PERIOD);
    assert!(had[4] > PERIOD, "{had:?}");
}
#[test]
fn the_use_of_the_last_period_is_told() {
    let mut system = with(50, &[45], &[5]);
    run(&mut system, 10 * PERIOD);
    let used = system.enter(|s| s.share(1, Share::AS_BEFORE)).1;
    assert!((50..=60).contains(&used), "{used}");
}
#[test]
fn a_share_that_is_none_and_one_of_no_account_are_refused() {
    let mut system = with(50, &[45], &[5]);
    for (account, percent) in [(1, 0), (1, 101), (ACCOUNTS, 50), (ACCOUNTS, Share::AS_BEFORE)] {
        assert_eq!(system.enter(|s| s.share(account, percent)).1, EINVAL.code());
    }
}
/// The running thread, of domain 10, waits for a lock that it says `holder` has.
fn wait_for(system: &mut System, holder: usize) {
    let lock = 8 * holder;
    let turns = system.enter(|s| s.lock_wait(10, 16, lock, holder, abi::lock::TURNS)).1;
    system.enter(|s| s.lock_wait(10, 16, lock, holder, turns));
}
#[test]
fn a_chain_of_waiters_longer_than_inherit_at_once_keeps_no_priority() {
    let many = 3 * HEIRS + 2;
    let mut system = with(50, &vec![45; many], &[5]);
    // Each waits for the one before it; the first runs.
    for index in 4..3 + many {
        while system.running != index {
            system.enter(|s| s.r#yield());
        }
        wait_for(&mut system, index - 1);
    }
    let had = run(&mut system, 40 * PERIOD);
    assert!(about(had[3 + many], 46, 40 * PERIOD), "{had:?}");
}
#[test]
fn who_lends_a_priority_to_who_has_had_its_share_pays() {
    let mut system = with(20, &[45], &[50, 5]);
    system.enter(|s| s.share(2, 20));
    assert_eq!(system.running, 4);
    wait_for(&mut system, 3);
    let had = run(&mut system, 40 * PERIOD);
    assert!(had[3] * 100 / (40 * PERIOD) < 50 && had[5] * 100 / (40 * PERIOD) > 50, "{had:?}");
}
#[test]
fn a_thread_is_its_accounts_whoever_has_the_number_of_its_home() {
    let mut system = with(50, &[45], &[5]);
    system.enter(|s| s.share(3, 50));
    // Domain 10 has ended, and is another component's.
    add(&mut system, 5, 10, 3, 45);
    for other in [3, 5] {
        while system.running != other {
            system.enter(|s| s.r#yield());
        }
        if other == 5 {
            system.enter(|s| s.sleep(400 * PERIOD as isize));
        }
    }
    let had = run(&mut system, 40 * PERIOD);
    assert!(about(had[4], 46, 40 * PERIOD), "{had:?}");
    assert_eq!(system.enter(|s| s.share(3, Share::AS_BEFORE)).1, 0);
}
#[test]
fn who_is_above_others_of_its_account_is_so_still() {
    let mut system = with(20, &[15, 20], &[5]);
    while system.running == 4 {
        system.interrupt();
    }
    system.enter(|s| s.sleep(PERIOD as isize / 2));
    assert_eq!((system.running, system.enter(|s| s.info(4)).1 >> 32 & 0xFF), (4, 20 >> 4));
    let had = run(&mut system, PERIOD / 10);
    assert_eq!(had[3], 0, "{had:?}");
}
#[test]
fn who_has_had_its_share_is_below_priority_four() {
    let mut system = with(20, &[63], &[4]);
    let had = run(&mut system, 40 * PERIOD);
    assert!(had[4] * 100 / (40 * PERIOD) > 70, "{had:?}");
}
/// A high, a middle and a low thread of account 1, in each order of their indices.
const ORDERS: [[isize; 3]; 6] = [[20, 10, 15], [20, 15, 10], [10, 20, 15], [15, 20, 10], [10, 15, 20], [15, 10, 20]];

#[test]
fn who_waits_for_a_lower_one_of_its_account_is_never_held_up_by_a_middle_one() {
    for order in ORDERS {
        let mut system = with(20, &order, &[5]);
        let [high, middle, low] = [20, 15, 10].map(|own| 3 + order.iter().position(|&other| other == own).unwrap());
        assert_eq!(system.running, high);
        wait_for(&mut system, low);
        let (end, mut others) = (system.scheduler.machine.now + 4 * PERIOD, 0);
        while system.scheduler.machine.now < end {
            assert_ne!(system.running, middle, "{order:?}");
            assert_eq!(system.scheduler.check_order(), None, "{order:?}");
            others += usize::from(system.running == 6);
            system.interrupt();
        }
        assert!(others > 4, "{order:?}: it was demoted, and restored, and demoted");
    }
}

/// What happens while threads of an account are demoted or restored.
#[derive(Clone, Debug)]
enum Meanwhile {
    /// So many interrupts come.
    Interrupts(usize),
    /// Nothing but interrupts, for so many hundredths of a period.
    Time(u64),
    /// The running thread makes one with that index and priority, of one of three accounts.
    Add(usize, isize, usize),
    SetPriority(usize),
    /// For hundredths of a period.
    Sleep(isize),
    Exit,
}
fn meanwhile() -> impl Strategy<Value = Meanwhile> {
    use Meanwhile::*;
    prop_oneof![
        8 => (1..6usize).prop_map(Interrupts),
        3 => (1..40u64).prop_map(Time),
        4 => (8..60usize, 0..64isize, 1..4usize).prop_map(|(index, priority, account)| Add(index, priority, account)),
        3 => (0..64usize).prop_map(SetPriority),
        2 => (1..60isize).prop_map(Sleep),
        1 => Just(Exit),
    ]
}
impl Meanwhile {
    fn happens(&self, system: &mut System) {
        match *self {
            Meanwhile::Interrupts(many) => (0..many).for_each(|_| checked_interrupt(system)),
            Meanwhile::Time(time) => {
                let end = system.scheduler.machine.now + time * PERIOD / 100;
                while system.scheduler.machine.timer < end {
                    checked_interrupt(system);
                }
                system.scheduler.machine.now = system.scheduler.machine.now.max(end);
            }
            Meanwhile::Add(index, priority, account) => {
                system.enter(|s| s.reap());
                system.enter(|s| s.add(index, priority, 10, 63, account));
            }
            Meanwhile::SetPriority(priority) => _ = system.enter(|s| s.set_priority(priority)),
            Meanwhile::Sleep(time) => _ = system.enter(|s| s.sleep(time * PERIOD as isize / 100)),
            Meanwhile::Exit => _ = system.enter(|s| s.exit()),
        }
    }
}
fn checked_interrupt(system: &mut System) {
    if system.scheduler.machine.timer != NEVER {
        system.interrupt();
    }
    assert_eq!(system.scheduler.check_order(), None);
}
proptest! {
    #![proptest_config(properties::config(64))]
    /// At no moment is a thread above one of its account that has given itself more, and in the end all are demoted that should be, and no others.
    #[test]
    fn threads_of_one_account_keep_their_order(own in prop::collection::vec(0..64isize, 3..40), steps in prop::collection::vec(meanwhile(), 1..200)) {
        let mut system = with(20, &own, &[30]);
        system.enter(|s| s.share(2, 30));
        for step in steps {
            step.happens(&mut system);
            prop_assert_eq!(system.scheduler.check_order(), None, "after {:?}", step);
        }
        while system.scheduler.is_demoting() {
            checked_interrupt(&mut system);
        }
        prop_assert!(system.scheduler.all_are_demoted_that_should_be());
    }
}
#[test]
fn to_demote_as_many_threads_as_are_usual_takes_a_sixteenth_of_a_period_at_most() {
    // As many threads as a component has whose manifest does not say, each with a priority of its own, and with one for all.
    // The highest are the first and the last: for each priority, nearly all are looked at.
    let each: Vec<isize> = (0..64).map(|n: isize| if n < 32 { 63 - 2 * n } else { 2 * (n - 32) }).collect();
    for (own, most) in [(each, PERIOD / 16), (vec![45; 64], PERIOD / 80)] {
        let mut system = with(20, &own, &[30]);
        let mut changes = 0;
        while !system.scheduler.all_are_demoted_that_should_be() || changes == 0 {
            let before = system.scheduler.machine.now;
            system.interrupt();
            changes += if system.scheduler.is_demoting() { system.scheduler.machine.now - before } else { 0 };
        }
        assert!(changes < most, "{changes}");
    }
}
