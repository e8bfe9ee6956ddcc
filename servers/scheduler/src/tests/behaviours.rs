//! One behaviour each, named after it.

use super::System;
use crate::scheduler::WAKES;
use crate::{NEVER, SEMAPHORES, SLICE, State, VALUE_MAX};
use abi::Error::*;
use abi::activity::{Doing, What};
use abi::lock::{NAME, TURNS};
use abi::nucleus::cancelled::{FOR_GOOD, FOR_THE_DEAD};
use abi::nucleus::{MAX_DOMAINS, MAX_THREADS};

#[test]
fn start_runs_the_highest_boot_thread() {
    let mut system = System::new(&[(2, 5), (3, 9), (4, 9)]);
    assert_eq!(system.running, 3);
    assert_eq!(system.enter(|s| s.start(2, [].into_iter())).1, EINVAL.code());
}
#[test]
fn without_ready_threads_the_idle_thread_runs() {
    let mut system = System::new(&[(2, 5)]);
    assert_eq!(system.enter(|s| s.sleep(10)), (1, 0));
    assert_eq!(system.state(1), State::Running as isize);
    assert_eq!(system.interrupt(), (2, 0));
    assert_eq!(system.state(1), State::Ready as isize);
}
#[test]
fn yield_goes_round_one_priority() {
    let mut system = System::new(&[(2, 5), (3, 5), (4, 5), (5, 4)]);
    let order: Vec<_> = (0..6).map(|_| system.enter(|s| s.r#yield()).0).collect();
    assert_eq!(order, [3, 4, 2, 3, 4, 2]);
}
#[test]
fn a_preempted_thread_stays_first_of_its_priority() {
    let mut system = System::new(&[(2, 5), (3, 5)]);
    let id = system.enter(|s| s.add(4, 9, 7, 9, 0));
    assert_eq!(id, (4, 0));
    assert_eq!(system.enter(|s| s.exit()), (2, 4), "add returns the new thread's id, late");
}
#[test]
fn v_switches_to_a_higher_waiter_at_once_and_keeps_a_lower_one_ready() {
    let mut system = System::new(&[(2, 5), (3, 9)]);
    let semaphore = system.semaphore(0);
    assert_eq!(system.p(semaphore, -1).0, 2);
    assert_eq!(system.v(semaphore), (3, 0));
    assert_eq!(system.enter(|s| s.set_priority(1)), (2, 0));
    assert_eq!(system.p(semaphore, -1).0, 3);
    assert_eq!(system.enter(|s| s.set_priority(9)), (3, 0));
    assert_eq!(system.v(semaphore), (3, 0));
    assert_eq!(system.state(2), State::Ready as isize);
}
#[test]
fn waiters_wake_by_priority_then_in_order() {
    let mut system = System::new(&[(2, 20), (3, 20), (4, 30), (5, 10), (6, 10), (7, 1)]);
    let semaphore = system.semaphore(0);
    for _ in 0..5 {
        system.p(semaphore, -1);
    }
    assert_eq!(system.running, 7);
    let order: Vec<_> = (0..5).map(|_| (system.v(semaphore), system.enter(|s| s.exit())).0.0).collect();
    assert_eq!(order, [4, 2, 3, 5, 6]);
}
#[test]
fn p_that_only_tries_does_not_wait() {
    let mut system = System::new(&[(2, 5)]);
    let semaphore = system.semaphore(1);
    assert_eq!(system.p(semaphore, 0), (2, 0));
    assert_eq!(system.p(semaphore, 0), (2, EAGAIN.code()));
}
#[test]
fn p_times_out_and_leaves_the_waiters() {
    let mut system = System::new(&[(2, 5), (3, 4)]);
    let semaphore = system.semaphore(0);
    assert_eq!(system.p(semaphore, 100).0, 3);
    assert_eq!(system.enter(|s| s.waiting(2)).1, 0, "it has a time-out");
    assert_eq!(system.interrupt(), (2, ETIMEDOUT.code()));
    assert!(system.scheduler.machine.now > 100);
    assert_eq!(system.v(semaphore), (2, 0));
    assert_eq!(system.p(semaphore, 0), (2, 0));
}
#[test]
fn a_met_p_has_no_deadline_left() {
    let mut system = System::new(&[(2, 5), (3, 4)]);
    let semaphore = system.semaphore(0);
    system.p(semaphore, 100);
    assert_eq!(system.v(semaphore), (2, 0));
    assert_eq!(system.interrupt(), (2, 0), "the timer comes for nothing");
    assert_eq!(system.scheduler.machine.timer, NEVER);
}
#[test]
fn destroying_a_semaphore_wakes_all_with_edead() {
    let mut system = System::new(&[(2, 5), (3, 4), (4, 3)]);
    let semaphore = system.semaphore(0);
    system.p(semaphore, -1);
    system.p(semaphore, 1000);
    assert_eq!(system.enter(|s| s.semaphore_destroy(semaphore)), (2, EDEAD.code()));
    assert_eq!(system.enter(|s| s.exit()), (3, EDEAD.code()));
    assert_eq!(system.enter(|s| s.exit()), (4, 0));
    assert_eq!(system.v(semaphore).1, EINVAL.code());
}
#[test]
fn an_old_semaphore_id_finds_nothing() {
    let mut system = System::new(&[(2, 5)]);
    let old = system.semaphore(0);
    system.enter(|s| s.semaphore_destroy(old));
    let new = system.semaphore(0);
    assert_eq!(old % SEMAPHORES, new % SEMAPHORES);
    assert_eq!(system.v(old).1, EINVAL.code());
    assert_eq!(system.enter(|s| s.interrupt(old)), (2, 0), "an interrupt goes on in any case");
    assert_eq!(system.v(new).1, 0);
}
#[test]
fn bad_semaphore_ids_are_einval() {
    let mut system = System::new(&[(2, 5)]);
    for id in [0, 1, SEMAPHORES, SEMAPHORES - 1, u32::MAX as usize, (1 << 32) + 1, usize::MAX, 1 << 63] {
        assert_eq!(system.p(id, -1).1, EINVAL.code());
        assert_eq!(system.v(id).1, EINVAL.code());
        assert_eq!(system.enter(|s| s.semaphore_destroy(id)).1, EINVAL.code());
    }
}
#[test]
fn a_semaphore_beyond_its_limit_is_einval() {
    let mut system = System::new(&[(2, 5)]);
    let full = system.semaphore(VALUE_MAX as usize);
    assert_eq!(system.v(full).1, EINVAL.code());
    assert_eq!(system.enter(|s| s.semaphore_create(VALUE_MAX as usize + 1)).1, EINVAL.code());
}
#[test]
fn semaphores_run_out_with_enfile() {
    let mut system = System::new(&[(2, 5)]);
    for _ in 1..SEMAPHORES {
        assert!(system.enter(|s| s.semaphore_create(0)).1 > 0);
    }
    assert_eq!(system.enter(|s| s.semaphore_create(0)).1, ENFILE.code());
    assert_eq!(system.enter(|s| s.semaphore_destroy(17)).1, 0);
    assert_eq!(system.enter(|s| s.semaphore_create(0)).1, 17 + SEMAPHORES as isize);
}
#[test]
fn a_time_slice_ends_only_where_another_thread_wants_it() {
    let mut system = System::new(&[(2, 5)]);
    assert_eq!(system.scheduler.machine.timer_writes, 0);
    system.enter(|s| s.add(3, 5, 7, 5, 0));
    assert_eq!(system.scheduler.machine.timer, SLICE);
    let order: Vec<_> = (0..4).map(|_| system.interrupt().0).collect();
    assert_eq!(order, [2, 3, 3, 2]);
    system.enter(|s| s.exit());
    system.interrupt();
    assert_eq!(system.scheduler.machine.timer, NEVER, "alone again");
}
#[test]
fn a_thread_that_waits_keeps_its_turn_when_the_slice_ends() {
    let mut system = System::new(&[(2, 5), (3, 5)]);
    let semaphore = system.semaphore(0);
    for _ in 0..5 {
        assert_eq!(system.p(semaphore, -1).0, 3);
        assert_eq!(system.v(semaphore), (2, 0), "the woken thread goes first");
        assert_eq!(system.interrupt().0, 2);
    }
}
#[test]
fn switches_do_not_touch_the_timer() {
    let mut system = System::new(&[(2, 5), (3, 5)]);
    let semaphore = system.semaphore(0);
    let writes = system.scheduler.machine.timer_writes;
    for _ in 0..10 {
        system.enter(|s| s.r#yield());
        system.p(semaphore, -1);
        system.v(semaphore);
    }
    assert_eq!(system.scheduler.machine.timer_writes, writes);
}
#[test]
fn sleepers_wake_in_order_and_never_early() {
    let mut system = System::new(&[(2, 5), (3, 5), (4, 5)]);
    for ticks in [300, 100, 200] {
        system.enter(|s| s.sleep(ticks));
    }
    for (thread, ticks) in [(3, 100), (4, 200), (2, 300)] {
        assert_eq!(system.interrupt(), (thread, 0));
        assert!(system.scheduler.machine.now >= ticks);
        system.enter(|s| s.exit());
    }
}
#[test]
fn an_interrupt_that_comes_early_wakes_nobody() {
    for ratio in [0, 2] {
        let mut system = System::new(&[(2, 5), (3, 4)]);
        if ratio == 0 {
            let machine = super::Bench { now: 0, ratio: 2, timer: NEVER, timer_writes: 0 };
            *system.scheduler = crate::Scheduler::new(machine);
            system.running = 1;
            system.enter(|s| s.start(0, [(2, 5, 7), (3, 4, 7)].into_iter()));
        }
        system.enter(|s| s.sleep(100));
        let deadline = system.scheduler.machine.timer;
        system.scheduler.machine.now = deadline - 1;
        assert_eq!(system.tick(), (3, 0));
        assert_eq!(system.scheduler.machine.timer, deadline);
        assert_eq!(system.interrupt(), (2, 0));
    }
}
#[test]
fn cycles_that_lag_behind_time_make_nobody_sleep_on() {
    let mut system = System::new(&[(2, 5), (3, 4)]);
    system.enter(|s| s.sleep(100));
    // As if `time` had been read late at the start: by the cycles the deadline has not come.
    system.scheduler.machine.ratio = 1;
    assert_eq!(system.interrupt(), (2, 0));
}
#[test]
fn a_sleeper_of_lower_priority_becomes_ready_and_no_more() {
    let mut system = System::new(&[(2, 5), (3, 9)]);
    let semaphore = system.semaphore(0);
    system.p(semaphore, -1);
    assert_eq!(system.enter(|s| s.sleep(100)), (1, 0));
    system.enter(|s| s.interrupt(semaphore));
    system.running = 3;
    assert_eq!(system.interrupt(), (3, 0));
    assert_eq!(system.state(2), State::Ready as isize);
    assert_eq!(system.scheduler.machine.timer, NEVER);
}
#[test]
fn a_sleeper_beside_another_of_its_priority_begins_a_slice() {
    let mut system = System::new(&[(2, 5), (3, 5)]);
    system.enter(|s| s.sleep(100));
    system.interrupt();
    assert!(system.scheduler.machine.timer <= system.scheduler.machine.now + SLICE);
    assert_eq!(system.running, 3);
}
#[test]
fn one_interrupt_wakes_one() {
    let boot: Vec<_> = (2..30).map(|index| (index, 5)).collect();
    let mut system = System::new(&boot);
    for _ in 2..30 {
        system.enter(|s| s.sleep(50));
    }
    assert_eq!(system.interrupt().0, 2);
    assert_eq!(system.state(10), State::Sleeping as isize);
    let soon = system.scheduler.machine.now + crate::scheduler::GAP;
    assert!(system.scheduler.machine.timer <= soon, "the rest is due soon");
    for _ in 0..27 {
        system.interrupt();
    }
    assert_eq!(system.state(29), State::Ready as isize);
}
#[test]
fn a_lower_threads_alarm_comes_later_where_a_higher_one_has_just_been_woken() {
    let gap = crate::scheduler::GAP;
    // By the interrupt that ends a slice as well as by the quick one, and to the last moment of the gap.
    for (slices, apart) in [(false, 1), (true, 1), (false, gap as usize - 1)] {
        let mut system = System::new(&[(2, 9), (3, 5), (4, 1), (5, 1)]);
        system.enter(|s| s.sleep(1000));
        system.enter(|s| s.sleep(1000 + 2 * apart as isize));
        if slices {
            system.scheduler.machine.now += SLICE;
        }
        assert_eq!(system.interrupt(), (2, 0));
        let (now, timer) = (system.scheduler.machine.now, system.scheduler.machine.timer);
        assert!(timer >= now + gap, "{timer} after {now}");
        assert!(timer <= now + gap.max(SLICE));
    }
}
#[test]
fn a_higher_threads_alarm_comes_at_its_time_whoever_has_just_been_woken() {
    let mut system = System::new(&[(2, 9), (3, 5), (4, 1)]);
    system.enter(|s| s.sleep(1002));
    system.enter(|s| s.sleep(1000));
    assert_eq!(system.interrupt(), (3, 0));
    let soon = system.scheduler.machine.now + 2;
    assert!(system.scheduler.machine.timer <= soon);
    assert_eq!(system.interrupt(), (2, 0));
}
#[test]
fn sleep_of_nothing_returns() {
    let mut system = System::new(&[(2, 5)]);
    assert_eq!(system.enter(|s| s.sleep(0)), (2, 0));
    assert_eq!(system.enter(|s| s.sleep(-5)), (2, 0));
    assert_eq!(system.enter(|s| s.sleep(isize::MAX)), (1, 0));
}
#[test]
fn join_waits_for_the_end_and_never_for_an_ended_thread() {
    let mut system = System::new(&[(2, 5), (3, 4)]);
    assert_eq!(system.enter(|s| s.join(3)).0, 3);
    assert_eq!(system.state(2), State::Joining as isize);
    assert_eq!(system.enter(|s| s.exit()), (2, 0));
    assert_eq!(system.enter(|s| s.join(3)), (2, 0));
    assert_eq!(system.enter(|s| s.reap()).1, 3);
    assert_eq!(system.enter(|s| s.join(3)), (2, 0));
    assert_eq!(system.enter(|s| s.add(3, 1, 7, 1, 0)).1, 4096 + 3);
    assert_eq!(system.enter(|s| s.join(3)), (2, 0), "the earlier thread of that index has ended");
}
#[test]
fn nobody_keeps_a_thread_from_ending_by_joining_the_next_one_of_its_index() {
    // More wait for it than wake at a time.
    let boot: Vec<_> = (3..4 + WAKES).map(|index| (index, 5)).chain([(2, 4)]).collect();
    let mut system = System::new(&boot);
    for index in 3..4 + WAKES {
        assert_ne!(system.enter(|s| s.join(2)).0, index, "it waits");
    }
    assert_eq!(system.enter(|s| s.exit()), (3, 0), "it is to call again later");
    assert_eq!(system.enter(|s| s.join(2)), (3, 0), "it has ended");
    assert_eq!(system.enter(|s| s.join(4096 + 2)), (3, ESRCH.code()), "there is no such thread yet");
}
#[test]
fn join_of_no_thread_is_esrch_and_of_oneself_einval() {
    let mut system = System::new(&[(2, 5)]);
    for id in [0, 1, 3, 4096 + 2, MAX_THREADS, 1 << 31, usize::MAX] {
        assert_eq!(system.enter(|s| s.join(id)).1, ESRCH.code());
    }
    assert_eq!(system.enter(|s| s.join(2)).1, EINVAL.code());
}
#[test]
fn ended_threads_are_reaped_once_each() {
    let mut system = System::new(&[(2, 5), (3, 4), (4, 3)]);
    system.enter(|s| s.exit());
    system.enter(|s| s.exit());
    assert_eq!(system.state(2), State::Ended as isize);
    let reaped: Vec<_> = (0..3).map(|_| system.enter(|s| s.reap()).1).collect();
    assert_eq!(reaped, [2, 3, 0]);
    assert_eq!(system.enter(|s| s.info(2)).1, ESRCH.code());
}
#[test]
fn add_refuses_what_is_out_of_range_or_in_use() {
    let mut system = System::new(&[(2, 5)]);
    let ranges = [(0, 1, 1), (1, 1, 1), (MAX_THREADS, 1, 1), (3, 10, 1), (3, -2, 1), (3, 1, MAX_DOMAINS)];
    for (index, priority, home) in ranges {
        assert_eq!(system.enter(|s| s.add(index, priority, home, 9, 0)).1, EINVAL.code());
    }
    assert_eq!(system.enter(|s| s.add(2, 1, 1, 1, 0)).1, EBUSY.code());
    assert_eq!(system.enter(|s| s.add(3, 1, 1, 64, 0)).1, EINVAL.code());
    assert_eq!(system.enter(|s| s.add(3, -1, 9, 63, 0)).1, 3);
    assert_eq!(system.enter(|s| s.info(3)).1, 2 << 48 | 5 << 32 | 9);
}
#[test]
fn priority_does_not_exceed_the_ceiling() {
    let mut system = System::new(&[(2, 5), (3, 3)]);
    assert_eq!(system.enter(|s| s.set_priority(6)), (2, EINVAL.code()));
    assert_eq!(system.enter(|s| s.set_priority(usize::MAX)), (2, EINVAL.code()));
    assert_eq!(system.enter(|s| s.set_priority(3)), (3, 0), "last of its new priority");
    assert_eq!(system.enter(|s| s.r#yield()), (2, 0));
    assert_eq!(system.enter(|s| s.set_priority(5)), (2, 0));
}
#[test]
fn a_freed_stack_wakes_the_first_waiter_of_its_domain() {
    let mut system = System::new(&[(2, 5), (3, 6), (4, 7), (5, 1)]);
    let (a, b, c) = (7, 8, 511);
    system.enter(|s| s.stack_wait(b, 0));
    system.enter(|s| s.stack_wait(a, 0));
    system.enter(|s| s.stack_wait(a, 0));
    assert_eq!(system.enter(|s| s.stack_free(c)), (5, 0));
    assert_eq!(system.enter(|s| s.stack_free(a)), (3, 0));
    assert_eq!(system.enter(|s| s.stack_free(a)), (3, 0));
    assert_eq!(system.state(2), State::Ready as isize);
    assert_eq!(system.enter(|s| s.stack_free(a)), (3, 0));
    assert_eq!(system.enter(|s| s.stack_free(b)), (4, 0));
}
#[test]
fn who_waited_for_a_stack_calls_before_who_has_brought_it_back() {
    let mut system = System::new(&[(2, 5), (3, 5), (4, 5)]);
    assert_eq!(system.enter(|s| s.stack_wait(7, 0)).0, 3);
    assert_eq!(system.enter(|s| s.stack_free(7)), (2, 0));
    // And who has brought it back before those of its priority who have only waited for their turn.
    assert_eq!(system.enter(|s| s.stack_wait(7, 0)), (3, 0));
}
#[test]
fn a_stack_that_came_back_when_nobody_waited_ends_one_wait_before_it_begins() {
    let mut system = System::new(&[(2, 5), (3, 1)]);
    system.enter(|s| s.stack_free(7));
    assert_eq!(system.enter(|s| s.stack_wait(8, 0)).0, 3, "another domain's");
    system.enter(|s| s.stack_free(8));
    assert_eq!(system.enter(|s| s.stack_wait(7, 0)), (2, 0));
    assert_eq!(system.enter(|s| s.stack_wait(7, 0)).0, 3);
}
#[test]
fn a_wait_for_a_stack_can_be_bounded() {
    let mut system = System::new(&[(2, 5), (3, 1)]);
    let start = system.scheduler.machine.now;
    assert_eq!(system.enter(|s| s.stack_wait(7, 5000)).0, 3);
    assert_eq!(system.interrupt(), (2, ETIMEDOUT.code()));
    assert!(system.scheduler.machine.now - start >= 5000);
    assert_eq!(system.enter(|s| s.stack_free(7)), (2, 0), "it does not wait any more");
}
#[test]
fn only_who_has_not_been_woken_since_is_stuck() {
    // All of domain 5, but for the one of domain 6 that runs at last.
    let mut system = System::new(&[(6, 1)]);
    for (index, home) in [(2, 5), (3, 5)] {
        assert!(system.enter(|s| s.add(index, 9, home, 9, 0)).1 > 0 || system.running == index);
        let semaphore = system.semaphore(0);
        system.p(semaphore, -1);
    }
    assert_eq!(system.running, 6);
    let waits: Vec<isize> = [2, 3].map(|index| system.enter(|s| s.waiting(index)).1).to_vec();
    // The second one is woken and waits for the same again: it may have done anything meanwhile.
    system.v(waits[1] as usize);
    system.p(waits[1] as usize, -1);
    assert_eq!(system.enter(|s| s.end_stuck(3, false)), (6, 0));
    assert_eq!(system.enter(|s| s.end_stuck(2, false)), (6, 1));
    assert_eq!(system.enter(|s| s.end_stuck(2, true)), (2, EDEAD.code()));
}
#[test]
fn wake_dead_ends_every_kind_of_wait() {
    let mut system = System::new(&[(2, 9), (3, 8), (4, 7), (5, 6), (7, 5), (6, 1)]);
    let semaphore = system.semaphore(0);
    system.p(semaphore, -1);
    system.enter(|s| s.sleep(1000));
    system.enter(|s| s.join(6));
    system.enter(|s| s.stack_wait(4, 0));
    system.enter(|s| s.lock_wait(1, 1, 8, 6, 0));
    assert_eq!(system.running, 6);
    assert_eq!(system.enter(|s| s.waiting(2)).1, semaphore as isize);
    for index in [2, 3, 4, 5, 7] {
        assert_eq!(system.enter(|s| s.wake_dead(index)), (index, EDEAD.code()));
        assert_eq!(system.enter(|s| s.exit()), (6, 0));
    }
    assert_eq!(system.enter(|s| s.wake_dead(6)), (6, 0), "it does not wait");
    assert_eq!(system.enter(|s| s.wake_dead(8)).1, ESRCH.code());
    assert_eq!(system.v(semaphore), (6, 0));
    assert_eq!(system.p(semaphore, 0), (6, 0), "no dead waiter took it");
}
#[test]
fn a_measured_clock_follows_the_cycles() {
    let mut system = System::new(&[(2, 5)]);
    // Without a fixed ratio: 300 cycles in a unit, where 100 are assumed at first.
    let machine = super::Bench { now: 1000, ratio: 300, timer: NEVER, timer_writes: 0 };
    *system.scheduler = crate::Scheduler::new(machine);
    system.running = 1;
    system.enter(|s| s.start(0, [(2, 5, 7)].into_iter()));
    system.enter(|s| s.sleep(15_000));
    assert!((1301..=1302).contains(&system.scheduler.machine.timer));
    system.interrupt();
    system.scheduler.machine.now = 21_000;
    system.enter(|s| s.sleep(15_000));
    assert!((21_101..=21_102).contains(&system.scheduler.machine.timer));
}
#[test]
fn a_holder_inherits_along_a_chain_and_gives_it_back() {
    // 5 holds a lock that 4 waits for, which holds one that 2 waits for; 3 has nothing to do with it.
    let mut system = System::new(&[(4, 6)]);
    let priority = |system: &mut System, index| system.enter(|s| s.info(index)).1 >> 32 & 0xffff;
    assert_eq!(system.enter(|s| s.add(5, 2, 7, 2, 0)).1, 5);
    let (inner, outer) = (8, 16);
    assert_eq!(system.enter(|s| s.lock_wait(7, 16, inner, 5, 0)), (5, 0));
    assert_eq!(priority(&mut system, 5), 6);
    assert_eq!(system.enter(|s| s.add(3, 4, 7, 4, 0)).0, 5, "a thread in the middle does not come before the holder");
    assert_eq!(system.enter(|s| s.add(2, 9, 7, 9, 0)).0, 2);
    assert_eq!(system.enter(|s| s.lock_wait(7, 16, outer, 4, 0)).0, 5);
    assert_eq!((priority(&mut system, 4), priority(&mut system, 5)), (9, 9));
    assert_eq!(system.enter(|s| s.lock_release(7, inner, 0)), (4, 0));
    assert_eq!((priority(&mut system, 4), priority(&mut system, 5)), (9, 2));
    assert_eq!(system.enter(|s| s.lock_release(7, outer, 0)), (2, 0));
    assert_eq!(priority(&mut system, 4), 6);
    let order: Vec<_> = (0..3).map(|_| system.enter(|s| s.exit()).0).collect();
    assert_eq!(order, [4, 3, 5]);
}
#[test]
fn who_waits_for_a_lock_let_go_meanwhile_does_not_wait() {
    let mut system = System::new(&[(2, 5), (3, 4)]);
    let turns = system.enter(|s| s.lock_wait(7, 16, 8, 3, -1)).1;
    system.enter(|s| s.sleep(10));
    assert_eq!(system.enter(|s| s.lock_release(7, 8, 0)), (3, 0));
    system.interrupt();
    assert_eq!(system.enter(|s| s.lock_wait(7, 16, 8, 3, turns)), (2, 0));
}
#[test]
fn who_still_waits_lends_its_priority_to_who_was_woken() {
    let mut system = System::new(&[(3, 8), (4, 1)]);
    assert_eq!(system.enter(|s| s.lock_wait(7, 16, 8, 4, 0)).0, 4);
    assert_eq!(system.enter(|s| s.add(2, 9, 7, 9, 0)).0, 2);
    assert_eq!(system.enter(|s| s.lock_wait(7, 16, 8, 4, 0)).0, 4);
    assert_eq!(system.enter(|s| s.lock_release(7, 8, 0)), (2, 0));
    assert_eq!(system.enter(|s| s.set_priority(2)), (2, 0), "3 waits for it");
    assert_eq!(system.enter(|s| s.info(2)).1 >> 32 & 0xffff, 8);
    assert_eq!(system.enter(|s| s.lock_release(7, 8, 0)), (3, 0));
    assert_eq!(system.enter(|s| s.info(2)).1 >> 32 & 0xffff, 2);
}
#[test]
fn who_was_woken_for_a_lock_and_came_too_late_keeps_nobody_waiting() {
    let mut system = System::new(&[(2, 5), (3, 5), (4, 5), (5, 5)]);
    for next in [3, 4, 5] {
        assert_eq!(system.enter(|s| s.lock_wait(7, 16, 8, 5, 0)).0, next);
    }
    assert_eq!(system.enter(|s| s.lock_release(7, 8, 0)), (2, 0));
    // 5 takes it again before 2, for which 3 and 4 wait, has done so: in the end all three wait for 5.
    for late in [2, 3, 4] {
        assert_eq!(system.running, late);
        if late != 4 {
            assert_eq!(system.enter(|s| s.lock_wait(7, 16, 8, 5, 1)), (late, 0), "the next looks too");
        }
        assert_eq!(system.enter(|s| s.lock_wait(7, 16, 8, 5, 1)).0, 5);
        system.enter(|s| s.r#yield());
    }
    for next in [2, 3, 4, 4] {
        assert_eq!(system.enter(|s| s.lock_release(7, 8, 0)), (next, 0));
    }
}
#[test]
fn who_waits_for_a_lock_does_not_hold_it() {
    let mut system = System::new(&[(2, 5), (3, 5), (4, 5)]);
    assert_eq!(system.enter(|s| s.lock_wait(7, 16, 8, 4, 0)).0, 3);
    assert_eq!(system.enter(|s| s.lock_wait(7, 16, 8, 2, 0)), (3, EINVAL.code()));
    assert_eq!(system.enter(|s| s.lock_wait(7, 16, 16, 2, 0)).0, 4, "another lock");
}
#[test]
fn locks_of_one_holder_are_eagain_beyond_most() {
    let mut system = System::new(&[(3, 8), (4, 1)]);
    assert_eq!(system.enter(|s| s.lock_wait(7, 1, 8, 4, 0)), (4, 0));
    assert_eq!(system.enter(|s| s.lock_wait(7, 1, 8, 4, 0)), (4, EINVAL.code()), "its own");
    assert_eq!(system.enter(|s| s.lock_wait(7, 1, 8, 5, 0)), (4, ESRCH.code()));
    assert_eq!(system.enter(|s| s.add(2, 9, 7, 9, 0)).0, 2);
    assert_eq!(system.enter(|s| s.lock_wait(7, 1, 16, 4, 0)), (2, EAGAIN.code()));
    assert_eq!(system.enter(|s| s.lock_wait(6, 1, 8, 4, 0)), (2, EAGAIN.code()), "another component's");
    assert_eq!(system.enter(|s| s.lock_wait(6, 2, 8, 4, 0)).0, 4);
}
/// For lock after lock of thread 2, which sleeps, thread 40 waits in front of another one, and is woken: the others are
/// left for it. → how many of its waits were refused.
fn gathers(system: &mut System, most: usize, locks: usize) -> isize {
    let mut refused = 0;
    for n in 1..=locks {
        assert_eq!(system.running, 40);
        let turns = n as isize - 1 - refused;
        if system.enter(|s| s.lock_wait(7, most, 8 * n, 2, turns)) == (40, EAGAIN.code()) {
            refused += 1;
            continue;
        }
        system.enter(|s| s.lock_wait(7, most, 8 * n, 2, turns));
        assert_eq!(system.enter(|s| s.lock_release(7, 8 * n, 2)), (40, 0));
        system.scheduler.check_locks();
    }
    refused
}
#[test]
fn a_thread_is_given_no_more_locks_than_are_looked_through() {
    let others = (3..30).map(|index| (index, 5));
    for (most, given) in [(8, 10), (16, 16usize)] {
        let boot: Vec<_> = others.clone().chain([(2, 10), (40, 9)]).collect();
        let mut system = System::new(&boot);
        system.enter(|s| s.sleep(1_000_000_000));
        assert_eq!(gathers(&mut system, most, 18), 18 - given as isize);
        // Its end wakes all the others, and ends.
        let mut calls = 1;
        while system.enter(|s| s.exit()).1 == 1 {
            calls += 1;
            assert!(calls < 20 && system.running == 40);
            system.scheduler.check_locks();
        }
        let waiting = (3..30).filter(|&n| system.state(n) == State::Semaphore as isize).count();
        assert_eq!((waiting, calls), (0, given.div_ceil(crate::scheduler::WAKES)));
    }
}
#[test]
fn who_waits_has_room_for_what_it_is_given_then() {
    // 2 is named for 15 locks while it waits, and not for one more.
    let boot: Vec<_> = (3..30).map(|index| (index, 5)).chain([(2, 6), (40, 1)]).collect();
    let mut system = System::new(&boot);
    assert_eq!(system.running, 2);
    system.enter(|s| s.lock_wait(7, 16, 8, 40, 0));
    for n in 2..17 {
        system.enter(|s| s.lock_wait(7, 16, 8 * n, 2, 0));
    }
    let running = system.running;
    assert_eq!(system.enter(|s| s.lock_wait(7, 16, 8 * 17, 2, 0)), (running, EAGAIN.code()));
    system.enter(|s| s.lock_wait(7, 16, 8, 40, 0));
    assert_eq!(system.enter(|s| s.lock_release(7, 8, 40)).0, 2);
    system.scheduler.check_locks();
}
#[test]
fn who_waits_for_a_lock_of_a_trusted_domain_is_woken_by_that_one_alone() {
    let mut system = System::new(&[(2, 9), (3, 8), (4, 1), (5, 1)]);
    let priority = |system: &mut System, index| system.enter(|s| s.info(index)).1 >> 32 & 0xffff;
    // 2 waits for 4, and 3 for a holder without a name, both in domain 7.
    assert_eq!(system.enter(|s| s.lock_wait(7, 16, 8, 4, 0)).0, 4);
    system.enter(|s| s.sleep(10));
    while system.running != 3 {
        system.enter(|s| s.r#yield());
    }
    assert_eq!(system.enter(|s| s.lock_wait(7, 16, 8, 0, 0)).0, 5);
    // 5, in domain 9, names each, and itself as the last one that waits for the same.
    for whom in [4, 3, 5] {
        assert_eq!(system.enter(|s| s.lock_release(9, 8, whom)), (5, 0), "{whom}");
    }
    assert_eq!(priority(&mut system, 4), 9);
    assert_eq!(system.enter(|s| s.lock_release(7, 8, 3)), (3, 0));
    system.enter(|s| s.sleep(1000));
    assert_eq!(system.enter(|s| s.lock_release(7, 8, 4)), (2, 0));
    assert_eq!(priority(&mut system, 4), 1);
}
#[test]
fn who_names_a_lock_of_other_domains_keeps_nobody_of_them_waiting() {
    let mut system = System::new(&[(2, 5), (3, 5), (4, 5), (5, 5)]);
    for (domain, next) in [(9, 3), (7, 4), (7, 5)] {
        assert_eq!(system.enter(|s| s.lock_wait(domain, 8, 8, 5, 0)).0, next);
    }
    // 2 names it alone, and came first; it does nothing with it.
    assert_eq!(system.enter(|s| s.lock_release(7, 8, 5)), (3, 0), "one of each domain");
    assert_eq!(system.state(2), State::Ready as isize);
    assert_eq!(system.enter(|s| s.lock_release(7, 8, 3)), (4, 0));
}
#[test]
fn of_few_domains_only_threads_wake_in_one_entry() {
    let boot: Vec<_> = (2..40).map(|index| (index, 5)).chain([(40, 9)]).collect();
    let mut system = System::new(&boot);
    system.enter(|s| s.sleep(1_000_000_000));
    let waiting = |system: &mut System| (2..40).filter(|&n| system.state(n) == State::Semaphore as isize).count();
    let mut refused = 0;
    for domain in 10..18 {
        for _ in 0..2 {
            let waits = system.enter(|s| s.lock_wait(domain, 8, 8, 40, 0)).1;
            refused += usize::from(waits == EAGAIN.code());
        }
    }
    assert_eq!((waiting(&mut system), refused), (12, 4));
    // Another lock's; and a trusted domain's, which are not woken with them.
    system.enter(|s| s.lock_wait(10, 8, 16, 40, 0));
    system.enter(|s| s.lock_wait(20, 16, 8, 40, 0));
    assert_eq!(waiting(&mut system), 14);
    system.enter(|s| s.lock_release(10, 8, 40));
    assert_eq!(waiting(&mut system), 8);
}
#[test]
fn a_lock_that_a_domain_has_to_itself_wakes_nobody_of_others() {
    let mut system = System::new(&[(2, 5), (3, 5), (5, 5)]);
    assert_eq!(system.enter(|s| s.lock_wait(9, 16, 8, 5, 0)).0, 3);
    assert_eq!(system.enter(|s| s.lock_wait(7, 16, 8, 5, 0)).0, 5);
    assert_eq!(system.enter(|s| s.lock_release(7, 8, 0)), (3, 0));
    assert_eq!(system.state(2), State::Semaphore as isize);
}
#[test]
fn who_waits_first_for_a_holder_without_a_name_is_woken_by_its_own() {
    let mut system = System::new(&[(2, 5), (3, 5), (4, 1), (5, 1)]);
    assert_eq!(system.enter(|s| s.lock_wait(7, 16, 8, 0, 0)).0, 3);
    assert_eq!(system.enter(|s| s.lock_wait(7, 16, 8, 2, 0)).0, 4, "another waits for that one");
    assert_eq!(system.enter(|s| s.lock_release(7, 16, 2)), (4, 0), "another lock");
    assert_eq!(system.enter(|s| s.lock_release(7, 8, 5)), (4, 0), "another thread");
    assert_eq!(system.enter(|s| s.lock_release(7, 8, 2)), (2, 0));
    assert_eq!(system.enter(|s| s.lock_release(7, 8, 0)), (3, 0));
}
#[test]
fn who_waits_for_a_copys_lock_is_not_taken_for_who_waits_for_its_parents() {
    let mut system = System::new(&[(2, 5), (3, 5), (4, 1)]);
    // 2 waits in the parent; in the copy the lock says the same of who waits.
    assert_eq!(system.enter(|s| s.lock_wait(7, 8, 8, 0, 0)).0, 3);
    assert_eq!(system.enter(|s| s.lock_wait(9, 8, 8, 2, 0)).0, 4);
    assert_eq!(system.enter(|s| s.lock_release(9, 8, 2)), (2, 0));
    system.enter(|s| s.exit());
    assert_eq!(system.running, 3);
}
#[test]
fn a_holders_end_is_told_and_so_is_its_domains() {
    let mut system = System::new(&[(2, 9), (3, 8), (4, 1)]);
    let identity = |serial: usize| serial << 16 | 9;
    system.enter(|s| s.sleep(10));
    system.enter(|s| s.sleep(20));
    let name = system.enter(|s| s.lock_wait(identity(5), 16, 8, 0, NAME)).1 as usize;
    system.interrupt();
    assert_eq!(system.enter(|s| s.lock_wait(7, 16, 8, name, TURNS)), (2, 0));
    assert_ne!(system.enter(|s| s.lock_wait(7, 16, 8, name, 0)).0, 2, "it waits");
    while system.running != 4 {
        system.interrupt();
        if system.running == 3 {
            system.enter(|s| s.lock_wait(7, 16, 16, name, 0));
        }
    }
    assert_eq!(system.enter(|s| s.domain_dead(8, 1)), (4, 0), "another domain");
    assert_eq!(system.enter(|s| s.domain_dead(9, 1)).0, 2);
    assert_eq!(system.enter(|s| s.lock_wait(7, 16, 8, name, 0)), (2, EOWNERDEAD.code()));
    // The next of that number is another.
    let next = system.enter(|s| s.lock_wait(identity(6), 16, 8, 0, NAME)).1 as usize;
    assert_eq!(system.enter(|s| s.lock_wait(7, 16, 8, name, TURNS)), (2, EOWNERDEAD.code()));
    assert_eq!(system.enter(|s| s.lock_wait(7, 16, 8, next, TURNS)), (2, 0));
    system.enter(|s| s.exit());
    assert_eq!(system.enter(|s| s.lock_wait(7, 16, 8, next, TURNS)).1, EOWNERDEAD.code(), "the thread's own end");
}
#[test]
fn all_who_wait_for_a_dead_domain_are_told_a_few_at_a_time() {
    let boot: Vec<_> = (2..200).map(|index| (index, 5)).chain([(200, 9)]).collect();
    let mut system = System::new(&boot);
    let holder = system.enter(|s| s.lock_wait(5 << 16 | 9, 16, 8, 0, NAME)).1 as usize;
    system.enter(|s| s.set_priority(1));
    for index in 2..200 {
        while system.running != index {
            system.enter(|s| s.r#yield());
        }
        system.enter(|s| s.lock_wait(10 + index % 3, 16, 8, holder, 0));
    }
    assert_eq!(system.running, 200);
    let (mut from, mut all) = (1, 0);
    while from != 0 {
        let waiting = |system: &mut System| (2..200).filter(|&n| system.state(n) == State::Semaphore as isize).count();
        let before = waiting(&mut system);
        let (mut running, mut value) = system.enter(|s| s.domain_dead(9, from as usize));
        let woken = before - waiting(&mut system);
        while running != 200 {
            (running, value) = system.enter(|s| s.exit());
        }
        assert!(woken <= crate::scheduler::WAKES);
        (from, all) = (value, all + woken);
    }
    assert_eq!(all, 198);
}
#[test]
fn a_few_wake_at_a_time_where_many_wait() {
    let boot: Vec<_> = (2..40).map(|index| (index, 5 + index as isize % 3)).chain([(40, 1)]).collect();
    let mut system = System::new(&boot);
    let semaphore = system.semaphore(0);
    for _ in 2..40 {
        system.p(semaphore, -1);
    }
    let ready = |system: &mut System| (2..40).filter(|&i| system.state(i) != State::Semaphore as isize).count();
    assert_eq!(system.enter(|s| s.semaphore_destroy(semaphore)).1, EDEAD.code());
    assert_eq!(ready(&mut system), crate::scheduler::WAKES);
    assert_eq!(system.v(semaphore).1, EINVAL.code());
    assert_ne!(system.semaphore(0) % SEMAPHORES, semaphore % SEMAPHORES, "its place is not free yet");
    let mut calls = 1;
    while system.enter(|s| s.semaphore_destroy(semaphore)).1 == 1 {
        calls += 1;
    }
    assert_eq!((calls, ready(&mut system)), (37 / crate::scheduler::WAKES, 38));
    assert_eq!(system.semaphore(0) % SEMAPHORES, semaphore % SEMAPHORES);
}
#[test]
fn who_ends_wakes_a_few_at_a_time_and_is_not_waited_for_meanwhile() {
    let boot: Vec<_> = (2..40).map(|index| (index, 5)).chain([(40, 1)]).collect();
    let mut system = System::new(&boot);
    for _ in 2..39 {
        system.enter(|s| s.join(40));
    }
    system.enter(|s| s.sleep(1000));
    assert_eq!((system.running, system.enter(|s| s.exit()).0), (40, 2));
    assert_eq!(system.enter(|s| s.join(40)).1, 0);
    let ready = (2..39).filter(|&i| system.state(i) != State::Joining as isize).count();
    assert_eq!(ready, crate::scheduler::WAKES);
}
#[test]
fn cancel_ends_every_kind_of_wait_and_bounds_the_next() {
    let mut system = System::new(&[(2, 9), (3, 8), (4, 7), (5, 6), (6, 1)]);
    let semaphore = system.semaphore(0);
    system.p(semaphore, -1);
    system.enter(|s| s.sleep(1 << 40));
    system.enter(|s| s.join(6));
    system.enter(|s| s.stack_wait(4, 0));
    for index in 2..6 {
        assert_eq!(system.enter(|s| s.cancel(index, FOR_THE_DEAD, 0)), (index, ECANCELED.code()));
        assert_eq!(system.enter(|s| s.cancelled(index)).1, FOR_THE_DEAD as isize);
        let start = system.scheduler.machine.now;
        match index {
            2 => system.p(semaphore, -1),
            3 => system.enter(|s| s.sleep(1 << 40)),
            4 => system.enter(|s| s.join(6)),
            _ => system.enter(|s| s.stack_wait(4, 0)),
        };
        assert_eq!(system.running, 6);
        assert_eq!(system.interrupt(), (index, ECANCELED.code()));
        assert!(system.scheduler.machine.now - start <= SLICE, "a slice at most");
        system.enter(|s| s.exit());
    }
    assert_eq!(system.v(semaphore), (6, 0));
    assert_eq!(system.p(semaphore, 0), (6, 0), "nobody who was cancelled took it");
}
#[test]
fn a_cancelled_thread_gets_what_is_there() {
    let mut system = System::new(&[(2, 9), (3, 8)]);
    let semaphore = system.semaphore(1);
    assert_eq!(system.enter(|s| s.cancel(2, FOR_GOOD, 2)), (2, FOR_GOOD as isize));
    assert_eq!(system.p(semaphore, -1), (2, 0));
    assert_eq!(system.p(semaphore, 0), (2, EAGAIN.code()));
    assert_eq!(system.p(semaphore, -1).0, 3);
    assert_eq!(system.v(semaphore), (2, 0), "in time");
    assert_eq!(system.scheduler.machine.now, 0);
}
#[test]
fn a_cancelled_thread_keeps_a_shorter_time_out() {
    let mut system = System::new(&[(2, 9), (3, 8)]);
    let semaphore = system.semaphore(0);
    system.enter(|s| s.cancel(2, FOR_THE_DEAD, 0));
    system.p(semaphore, 100);
    assert_eq!(system.interrupt(), (2, ECANCELED.code()));
    assert!(system.scheduler.machine.now < SLICE);
}
#[test]
fn cancellation_for_the_dead_is_taken_back_and_for_good_is_not() {
    let mut system = System::new(&[(2, 9), (3, 8)]);
    let semaphore = system.semaphore(0);
    system.enter(|s| s.cancel(2, FOR_THE_DEAD, 0));
    assert_eq!(system.enter(|s| s.cancel(2, 0, 0)), (2, 0));
    system.p(semaphore, -1);
    assert!(system.enter(|s| s.waiting(2)).1 > 0, "as long as it takes");
    assert_eq!(system.enter(|s| s.cancel(2, FOR_GOOD, 0)), (2, ECANCELED.code()));
    assert_eq!(system.enter(|s| s.cancel(2, 0, 0)), (2, FOR_GOOD as isize));
}
#[test]
fn another_thread_of_the_same_index_is_not_cancelled() {
    let mut system = System::new(&[(2, 5), (3, 4)]);
    system.enter(|s| s.exit());
    assert_eq!(system.enter(|s| s.cancel(2, FOR_GOOD, 2)).1, ESRCH.code(), "it has ended");
    system.enter(|s| s.reap());
    assert_eq!(system.enter(|s| s.add(2, 5, 7, 5, 0)), (2, 0));
    assert_eq!(system.enter(|s| s.cancel(2, FOR_GOOD, 2)).1, ESRCH.code());
    assert_eq!(system.enter(|s| s.cancel(2, 7, 0)).1, EINVAL.code());
    assert_eq!(system.enter(|s| s.cancel(9, FOR_GOOD, 0)).1, ESRCH.code());
    assert_eq!(system.enter(|s| s.cancelled(2)).1, 0);
}
#[test]
fn what_a_thread_waits_for_is_told() {
    let mut system = System::new(&[(2, 5), (3, 9), (4, 9), (5, 9), (6, 9), (7, 9), (8, 1)]);
    let semaphore = system.semaphore(0);
    let doing = |system: &mut System, index| Doing::of(system.enter(|s| s.doing(index, false)).1 as u64).what();
    assert_eq!(system.p(semaphore, -1).0, 4);
    assert_eq!(system.enter(|s| s.sleep(1_000_000)).0, 5);
    assert_eq!(system.enter(|s| s.join(2)).0, 6);
    assert_eq!(system.enter(|s| s.stack_wait(77, 0)).0, 7);
    assert_eq!(system.enter(|s| s.lock_wait(9, 2, 0x5000, 2, 0)).0, 2);
    let all: Vec<What> = (2..=8).map(|index| doing(&mut system, index)).collect();
    let wanted = [
        What::Runs,
        What::Semaphore(semaphore),
        What::Sleeps,
        What::Joins(2),
        What::Stack(77),
        What::Lock(2),
        What::Ready,
    ];
    assert_eq!(all, wanted);
    assert_eq!(doing(&mut system, 1), What::Ready);
    for index in [0, 9, MAX_THREADS, usize::MAX] {
        assert_eq!(system.enter(|s| s.doing(index, false)).1, ESRCH.code(), "{index}");
    }
}
#[test]
fn how_long_a_thread_has_run_is_told_from_the_first_question_on() {
    // Nobody has a limit, so nobody looks before it is asked.
    let mut system = System::new(&[(2, 5), (3, 9)]);
    system.enter(|s| s.doing(2, false));
    assert_eq!(system.scheduler.machine.timer, NEVER);
    let doing = |system: &mut System, index| Doing::of(system.enter(|s| s.doing(index, true)).1 as u64);
    let before = [2, 3].map(|index| doing(&mut system, index));
    let start = system.scheduler.machine.now;
    assert_ne!(system.scheduler.machine.timer, NEVER);
    while system.scheduler.machine.now < start + 10_000_000 {
        system.interrupt();
    }
    let ran = [2, 3].map(|index| doing(&mut system, index).ran_since(before[index - 2]));
    assert_eq!(ran[0], 0);
    assert!(ran[1].abs_diff(10_000_000) < 1_000_000, "{ran:?}");
}
