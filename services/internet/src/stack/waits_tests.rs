//! Who waits is woken by what it waits for, and what others wait for is not looked at.

use super::super::machines::*;
use super::*;
use abi::internet::{Address, kind};

const ALL: usize = usize::MAX - 1;
const OTHERS: Owner = Owner { domain: ELSEWHERE, account: 2 };

/// Datagram sockets of machine 0 at these ports.
fn sockets(machines: &mut [Machine; 2], owner: Owner, ports: core::ops::Range<u16>) -> Vec<usize> {
    let stack = &mut machines[0].stack;
    ports
        .map(|port| {
            let number = stack.create(owner, kind::UDP).unwrap();
            stack.bind(number, port).unwrap();
            number
        })
        .collect()
}
/// Machine 1 sends a datagram to that port.
fn send(machines: &mut [Machine; 2], port: u16) {
    let sender = machines[1].stack.create(OWNER, kind::UDP).unwrap();
    machines[1].stack.send(sender, &Address { port, ..socket(0) }, b"words", NOW).unwrap();
    talk(machines, ALL);
    machines[1].stack.remove(sender, NOW);
}
fn waits(machines: &mut [Machine; 2], owner: Owner, semaphore: usize, list: &[(usize, u32)]) -> Result<bool> {
    machines[0].stack.wait(Waiter { owner, semaphore, interests: Interests::Many(list.to_vec()) })
}
/// Whose semaphores are posted.
fn woken(machines: &mut [Machine; 2]) -> Vec<usize> {
    let mut posted = Vec::new();
    machines[0].stack.wake(|semaphore| posted.push(semaphore));
    posted.sort();
    posted
}

#[test]
fn what_others_wait_for_is_not_looked_at_when_a_socket_changes() {
    let mut machines = [0, 1].map(machine);
    let own = sockets(&mut machines, OWNER, 7..8)[0];
    bound(&mut machines[1].stack, kind::UDP);
    let many = sockets(&mut machines, OTHERS, 100..100 + SOCKETS_OF_ONE as u16);
    let list: Vec<(usize, u32)> = many.iter().map(|&number| (number, event::READ)).collect();
    for semaphore in 0..WAITERS_OF_ONE {
        assert_eq!(waits(&mut machines, OTHERS, 100 + semaphore, &list), Ok(true));
    }
    // The machines come to know each other, for which all is looked at.
    send(&mut machines, 7);
    machines[0].stack.read(own, &mut [0; 8]).unwrap();
    woken(&mut machines);
    machines[0].stack.looked_at.set(0);
    for _ in 0..10 {
        assert_eq!(waits(&mut machines, OWNER, 9, &[(own, event::READ)]), Ok(true));
        send(&mut machines, 7);
        assert_eq!(woken(&mut machines), [9]);
        machines[0].stack.read(own, &mut [0; 8]).unwrap();
        machines[0].stack.send(own, &socket(1), b"echo", NOW).unwrap();
        assert_eq!(woken(&mut machines), []);
    }
    let looked_at = machines[0].stack.looked_at.get();
    assert!(looked_at <= 20, "{looked_at} sockets");
    send(&mut machines, 150);
    assert_eq!(woken(&mut machines), (100..100 + WAITERS_OF_ONE).collect::<Vec<_>>());
}
#[test]
fn who_waits_is_woken_by_each_of_its_sockets_and_by_its_events_only() {
    let mut machines = [0, 1].map(machine);
    let [first, second] = sockets(&mut machines, OWNER, 7..9)[..] else { panic!() };
    let list = [(first, event::READ), (second, event::READ)];
    for port in [7, 8] {
        assert_eq!(waits(&mut machines, OWNER, 5, &list), Ok(true));
        assert_eq!(waits(&mut machines, OWNER, 6, &[(first, 0)]), Ok(true));
        assert_eq!(woken(&mut machines), []);
        send(&mut machines, port);
        assert_eq!(woken(&mut machines), [5]);
        // What is ready already nobody waits for.
        assert_eq!(waits(&mut machines, OWNER, 5, &list), Ok(false));
        machines[0].stack.read(if port == 7 { first } else { second }, &mut [0; 8]).unwrap();
        machines[0].stack.leave(6);
    }
    // Who has a seat after another does not wait for what that one did.
    assert_eq!(waits(&mut machines, OWNER, 5, &[(first, event::READ)]), Ok(true));
    machines[0].stack.leave(5);
    assert_eq!(waits(&mut machines, OWNER, 6, &[(second, event::READ)]), Ok(true));
    send(&mut machines, 7);
    assert_eq!(woken(&mut machines), []);
    machines[0].stack.leave(6);
    machines[0].stack.read(first, &mut [0; 8]).unwrap();
    // The end of a socket wakes all, and who has left is not woken any more.
    assert_eq!(waits(&mut machines, OWNER, 5, &list), Ok(true));
    assert_eq!(waits(&mut machines, OWNER, 6, &[(first, 0)]), Ok(true));
    assert_eq!(waits(&mut machines, OWNER, 7, &list), Ok(true));
    machines[0].stack.leave(7);
    machines[0].stack.remove(first, NOW);
    assert_eq!(woken(&mut machines), [5, 6]);
    assert_eq!(machines[0].stack.waiters.iter().flatten().count(), 0);
    send(&mut machines, 8);
    assert_eq!(woken(&mut machines), []);
}
#[test]
fn callers_and_connections_wake_who_waits_for_them() {
    let mut machines = [0, 1].map(machine);
    let door = listener(&mut machines[0].stack);
    assert_eq!(waits(&mut machines, OWNER, 5, &[(door, event::READ)]), Ok(true));
    let call = machines[1].stack.create(OWNER, kind::TCP).unwrap();
    machines[1].stack.connect(call, &socket(0), NOW).unwrap();
    talk(&mut machines, ALL);
    assert_eq!(woken(&mut machines), [5]);
    let (own, _) = machines[0].stack.accept(door, OWNER).unwrap();
    for last in [false, true] {
        assert_eq!(waits(&mut machines, OWNER, 5, &[(own, event::READ)]), Ok(true));
        match last {
            false => _ = machines[1].stack.write(call, b"words", NOW).unwrap(),
            true => machines[1].stack.shutdown(call, NOW).unwrap(),
        }
        talk(&mut machines, ALL);
        assert_eq!(woken(&mut machines), [5]);
        let _ = machines[0].stack.read(own, &mut [0; 8]);
    }
}
#[test]
fn nobody_waits_for_more_sockets_than_an_account_has_or_for_anothers() {
    let mut machines = [0, 1].map(machine);
    let own = sockets(&mut machines, OWNER, 7..8)[0];
    assert_eq!(waits(&mut machines, OWNER, 5, &[(own, event::READ); INTERESTS]), Ok(true));
    assert_eq!(waits(&mut machines, OWNER, 6, &[(own, event::READ); INTERESTS + 1]), Err(Error::EINVAL));
    assert_eq!(waits(&mut machines, OTHERS, 6, &[(own, event::READ)]), Ok(false), "it is told so at once");
}
