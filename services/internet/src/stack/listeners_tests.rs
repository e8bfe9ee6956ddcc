//! Callers from outside: many of one host, few of others.

use super::super::machines::*;
use super::*;
use crate::Owner;
use abi::Error;
use abi::internet::{Address, kind};

const ALL: usize = usize::MAX - 1;

/// Machine `n` calls a port of the first one as often; the numbers of its sockets.
fn call(machines: &mut [Machine], n: usize, port: u16, times: usize) -> Vec<usize> {
    (0..times)
        .map(|_| {
            let caller = &mut machines[n].stack;
            // As many accounts as it takes.
            let account = caller.count() / SOCKETS_OF_ONE;
            let call = caller.create(Owner { domain: DOMAIN, account }, kind::TCP).unwrap();
            caller.connect(call, &Address { port, ..socket(0) }, NOW).unwrap();
            talk_for(4, machines, ALL);
            call
        })
        .collect()
}
/// How many of them are connected.
fn made(machine: &mut Machine, calls: &[usize]) -> usize {
    let stack = &mut machine.stack;
    calls.iter().filter(|&&call| stack.connected(call) == Ok(()) && stack.address(call, true).is_ok()).count()
}
/// A listener of an account at a port, with room for so many.
fn door(machines: &mut [Machine], account: usize, port: u16, backlog: usize) -> usize {
    let stack = &mut machines[0].stack;
    let number = stack.create(Owner { domain: DOMAIN, account }, kind::TCP).unwrap();
    stack.bind(number, port).unwrap();
    stack.listen(number, backlog).unwrap();
    number
}
/// The machine that the next accepted connection is from.
fn accepted(machines: &mut [Machine], door: usize) -> usize {
    let (_, from) = machines[0].stack.accept(door, OWNER).unwrap();
    talk_for(2, machines, ALL);
    (1..machines.len()).find(|&n| address(n) == from.bytes[..4]).unwrap()
}

#[test]
fn a_host_that_fills_a_listener_gives_way_to_others_until_each_has_as_many() {
    let mut machines = [0, 1, 2, 3].map(machine);
    let door = door(&mut machines, 1, PORT, 8);
    let many = call(&mut machines, 1, PORT, 20);
    assert_eq!(made(&mut machines[1], &many), 8);
    let few = call(&mut machines, 2, PORT, 20);
    assert_eq!((made(&mut machines[1], &many), made(&mut machines[2], &few)), (4, 4));
    // Those that were there first keep their places, and who had to go was told.
    assert_eq!(made(&mut machines[1], &many[..4]), 4);
    assert_eq!(machines[1].stack.read(many[7], &mut [0; 4]), Err(Error::ECONNRESET));
    let one = call(&mut machines, 3, PORT, 1);
    assert_eq!(made(&mut machines[3], &one), 1);
    let order: Vec<usize> = (0..8).map(|_| accepted(&mut machines, door)).collect();
    let (first, rest) = order.split_at(3);
    assert_eq!(first.iter().sum::<usize>(), 6, "each has its turn in the first round: {order:?}");
    assert!(!rest.contains(&3) && rest.windows(2).filter(|pair| pair[0] == pair[1]).count() <= 1, "{order:?}");
}
#[test]
fn who_calls_once_does_not_wait_for_all_that_another_host_has_called_before() {
    let mut machines = [0, 1, 2].map(machine);
    let door = door(&mut machines, 1, PORT, 64);
    call(&mut machines, 1, PORT, 50);
    (0..10).for_each(|_| assert_eq!(accepted(&mut machines, door), 1));
    call(&mut machines, 2, PORT, 3);
    // The round that goes on is not begun again for it, nor does it have all that it has missed.
    let order: Vec<usize> = (0..8).map(|_| accepted(&mut machines, door)).collect();
    assert_eq!(order.iter().filter(|&&from| from == 2).count(), 3, "{order:?}");
    assert!(order[..2].contains(&2) && order[..4].iter().filter(|&&from| from == 1).count() == 2, "{order:?}");
}
#[test]
fn who_calls_where_all_places_are_taken_is_not_refused_and_has_the_next_one() {
    let mut machines = [0, 1].map(machine);
    let door = door(&mut machines, 1, PORT, 2);
    let calls = call(&mut machines, 1, PORT, 3);
    assert_eq!(machines[1].stack.connected(calls[2]), Err(Error::EAGAIN));
    assert_eq!(accepted(&mut machines, door), 1);
    // It calls again after a second.
    let later = NOW + Duration::from_secs(2);
    machines[1].stack.output(later);
    talk_for(4, &mut machines, ALL);
    assert_eq!(made(&mut machines[1], &calls), 3);
    // Where nobody listens it is told at once.
    let nowhere = call(&mut machines, 1, PORT + 1, 1);
    assert_eq!(machines[1].stack.connected(nowhere[0]), Err(Error::ECONNREFUSED));
}
#[test]
fn a_host_that_fills_some_listeners_gives_way_to_who_calls_others() {
    let mut machines = [0, 1, 2].map(machine);
    for n in 0..3 {
        door(&mut machines, n, PORT + n as u16, BACKLOG);
    }
    let many: Vec<usize> = (0..3).flat_map(|n| call(&mut machines, 1, PORT + n, OUTSIDE / 2)).collect();
    assert!(made(&mut machines[1], &many) <= OUTSIDE + 3 * OUTSIDE_FOR_EACH);
    let others = call(&mut machines, 2, PORT + 2, 3 * OUTSIDE_FOR_EACH);
    assert_eq!(made(&mut machines[2], &others), others.len());
    assert!(machines[0].stack.waiting() <= OUTSIDE + 3 * OUTSIDE_FOR_EACH);
}
#[test]
fn callers_from_outside_and_those_that_are_closing_leave_half_of_the_sockets_to_who_is_here() {
    let mut machines = [0, 1].map(machine);
    let door = door(&mut machines, 1, PORT, BACKLOG);
    call(&mut machines, 1, PORT, CLOSING);
    for _ in 0..CLOSING {
        let (number, _) = machines[0].stack.accept(door, OWNER).unwrap();
        // The other side does not end it.
        machines[0].stack.remove(number, NOW);
    }
    talk(&mut machines, ALL);
    assert_eq!(machines[0].stack.closing.len(), CLOSING);
    call(&mut machines, 1, PORT, SOCKETS - CLOSING - 1);
    let stack = &mut machines[0].stack;
    let here = |n: usize| Owner { domain: DOMAIN, account: 10 + n / SOCKETS_OF_ONE };
    let created = (0..SOCKETS).take_while(|&n| stack.create(here(n), kind::UDP).is_ok()).count();
    assert!(created >= SOCKETS / 2, "{created} sockets are left");
    assert!(stack.waiting() >= OUTSIDE);
}
