//! The n-th allocation fails, for every n, in every operation: it is an `ENOMEM`, or a frame that is as if lost, and all goes on when there is memory.

use super::machines::*;
use super::*;
use abi::identity::DomainId;
use abi::internet::{Address, event, family, kind};
use fallible::failing::with_only;

/// Who else can be seen of a stack.
fn picture(stack: &Stack<Sender>) -> (u64, usize, usize) {
    (stack.configuration().sockets, stack.count(), stack.waiters.iter().flatten().count())
}

#[test]
fn a_stack_is_made_or_not() {
    for n in 0.. {
        let wire = Wire::default();
        let sender = sender(&wire, &wire);
        let made = with_only(n, || Stack::new(sender, [2; 6], &Secret([7; 32]), NOW, None).map(drop));
        match made {
            Ok(()) => return assert!(n > 5, "{n}"),
            Err(error) => assert_eq!(error, Error::ENOMEM),
        }
    }
}
#[test]
fn every_allocation_of_a_call_can_fail() {
    type Step = (&'static str, bool, fn(&mut Stack<Sender>, usize) -> Result<()>);
    let steps: [Step; 10] = [
        ("create", true, |s, _| s.create(OWNER, kind::TCP).map(|_| ())),
        ("create for datagrams", true, |s, _| s.create(OWNER, kind::UDP).map(|_| ())),
        ("listen", true, |s, own| s.listen(own, 4)),
        ("connect", true, |s, own| s.connect(own, &socket(1), NOW)),
        ("nonblocking", false, |s, own| s.nonblocking(own, Some(true)).map(|_| ())),
        ("ask", true, |s, _| s.ask_name(OWNER, "some.name", family::IPV4 as usize, NOW).map(|_| ())),
        ("wait", false, |s, own| {
            s.wait(Waiter { owner: OWNER, semaphore: 5, interests: Interests::One([(own, event::READ)]) }).map(drop)
        }),
        ("wake", false, |s, _| {
            s.wake(|_| {});
            Ok(())
        }),
        ("time", false, |s, _| {
            s.input(&[], NOW + Duration::from_secs(100));
            Ok(())
        }),
        ("end", false, |s, own| {
            s.remove(own, NOW);
            Ok(())
        }),
    ];
    for (what, asks, step) in steps {
        // As many sockets as fill their table's room are there before it.
        for filled in [0, 1, 3, 7] {
            for n in 0.. {
                let mut stack = machine(0).stack;
                let own = bound(&mut stack, kind::TCP);
                (0..filled).for_each(|_| _ = stack.create(OWNER, kind::UDP).unwrap());
                let before = picture(&stack);
                let result = with_only(n, || step(&mut stack, own));
                if result.is_ok() {
                    assert!(n == 0 || asks, "{what} asks for something");
                    break;
                }
                assert_eq!((result, picture(&stack)), (Err(Error::ENOMEM), before), "{what} without {n}");
                assert_eq!(step(&mut stack, own), Ok(()), "{what} after it failed");
                assert!(n < 50, "{what} does not come to its end");
            }
        }
    }
}
#[test]
fn a_caller_for_whom_there_is_no_memory_is_not_heard_and_the_next_one_is() {
    for n in 0..20 {
        let mut machines = [0, 1].map(machine);
        let door = listener(&mut machines[0].stack);
        let mut unheard = 0;
        // The first finds the socket that is there; for the next there may be none.
        let calls: Vec<usize> = (0..3)
            .map(|_| {
                let call = machines[1].stack.create(OWNER, kind::TCP).unwrap();
                machines[1].stack.connect(call, &socket(0), NOW).unwrap();
                talk(&mut machines, n);
                unheard += (machines[1].stack.connected(call) == Err(Error::EAGAIN)) as usize;
                call
            })
            .collect();
        assert!(n > 0 || unheard == 2, "{unheard} were not heard of three");
        let (accepted, _) = with_only(0, || machines[0].stack.accept(door, OWNER)).unwrap_or_else(|error| {
            assert_eq!(error, Error::ENOMEM);
            machines[0].stack.accept(door, OWNER).unwrap()
        });
        // What goes over a connection needs no memory, nor its end.
        machines[1].stack.write(calls[0], b"words", NOW).unwrap();
        talk(&mut machines, 0);
        let mut words = [0; 8];
        assert_eq!(with_only(0, || machines[0].stack.read(accepted, &mut words)), Ok(5));
        with_only(0, || {
            machines[0].stack.remove(accepted, NOW);
            machines[0].stack.remove(door, NOW);
        });
        let door = listener(&mut machines[0].stack);
        let last = machines[1].stack.create(OWNER, kind::TCP).unwrap();
        machines[1].stack.connect(last, &socket(0), NOW).unwrap();
        talk(&mut machines, 50);
        assert_eq!(machines[1].stack.connected(last), Ok(()));
        assert!(machines[0].stack.accept(door, OWNER).is_ok());
    }
}
#[test]
fn more_questions_than_there_are_places_for_are_refused_and_take_no_memory() {
    let mut stack = machine(0).stack;
    let mut ask = |account| {
        let owner = Owner { domain: DOMAIN, account };
        stack.ask_name(owner, "some.name", family::IPV4 as usize, NOW)
    };
    for n in 0..QUESTIONS {
        ask(1 + n / (QUESTIONS / 2)).unwrap();
    }
    assert_eq!(ask(9), Err(Error::EAGAIN));
}
#[test]
fn who_waits_too_much_is_refused_and_others_are_not() {
    let mut stack = machine(0).stack;
    let number = stack.create(OWNER, kind::UDP).unwrap();
    let mut wait = |account, semaphore| {
        let owner = Owner { domain: DOMAIN, account };
        with_only(0, || stack.wait(Waiter { owner, semaphore, interests: Interests::One([(number, event::READ)]) }))
    };
    for account in 0..3 {
        assert!((0..WAITERS_OF_ONE).all(|n| wait(account, 100 * account + n).is_ok()));
        assert_eq!(wait(account, 99), Err(Error::EBUSY));
    }
    assert!((0..WAITERS - 3 * WAITERS_OF_ONE).all(|n| wait(3, 300 + n).is_ok()));
    assert_eq!(wait(4, 400), Err(Error::EBUSY));
}
#[test]
fn callers_from_outside_leave_half_of_the_sockets_to_who_is_here() {
    let mut machines = [0, 1].map(machine);
    let doors: Vec<usize> = (0..3)
        .map(|n| {
            let stack = &mut machines[0].stack;
            let owner = Owner { domain: DOMAIN, account: n };
            let number = stack.create(owner, kind::TCP).unwrap();
            stack.bind(number, PORT + n as u16).unwrap();
            stack.listen(number, BACKLOG).unwrap();
            number
        })
        .collect();
    let mut calls = Vec::new();
    for n in 0..SOCKETS - 1 {
        // As many accounts as it takes.
        let owner = Owner { domain: DOMAIN, account: n / SOCKETS_OF_ONE };
        let caller = &mut machines[1].stack;
        let call = caller.create(owner, kind::TCP).unwrap();
        let to = Address { port: PORT + (n % 3) as u16, ..socket(0) };
        caller.connect(call, &to, NOW).unwrap();
        talk_for(2, &mut machines, usize::MAX - 1);
        calls.push(call);
    }
    let made = calls.iter().filter(|&&call| machines[1].stack.connected(call) == Ok(())).count();
    assert!(made >= OUTSIDE - doors.len(), "{made} were let in");
    assert!(machines[0].stack.count() <= OUTSIDE, "{} sockets", machines[0].stack.count());
    // Who begins to listen then has callers too.
    let owner = Owner { domain: DOMAIN, account: 3 };
    let last = machines[0].stack.create(owner, kind::TCP).unwrap();
    machines[0].stack.bind(last, PORT + 3).unwrap();
    machines[0].stack.listen(last, BACKLOG).unwrap();
    machines[1].stack.remove(calls[0], NOW);
    let caller = machines[1].stack.create(Owner { domain: DOMAIN, account: 8 }, kind::TCP).unwrap();
    machines[1].stack.connect(caller, &Address { port: PORT + 3, ..socket(0) }, NOW).unwrap();
    talk(&mut machines, usize::MAX - 1);
    assert!(machines[0].stack.accept(last, owner).is_ok());
    let stack = &mut machines[0].stack;
    let here = |n: usize| Owner { domain: DOMAIN, account: 10 + n / SOCKETS_OF_ONE };
    assert!((0..SOCKETS - OUTSIDE - OUTSIDE_FOR_EACH).all(|n| stack.create(here(n), kind::UDP).is_ok()));
}
/// Which domain may send there is remembered for that one, and a socket is its own: not for who has its number later.
#[test]
fn what_one_was_permitted_another_of_its_number_is_not() {
    let mut machine = machine(0);
    let stack = &mut machine.stack;
    let number = stack.create(OWNER, kind::UDP).unwrap();
    let heir = DomainId::of(2 << 16 | 9).unwrap();
    let to = socket(1);
    assert_eq!(stack.may_send(number, DOMAIN, &to, false), Ok(false));
    assert_eq!(stack.may_send(number, DOMAIN, &to, true), Ok(true));
    assert_eq!([DOMAIN, heir].map(|domain| stack.may_send(number, domain, &to, false)), [Ok(true), Ok(false)]);
    assert_eq!([DOMAIN, heir].map(|domain| stack.ready(number, domain) & event::INVALID != 0), [false, true]);
}
