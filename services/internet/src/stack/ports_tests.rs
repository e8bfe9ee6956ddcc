//! What is one's is not given to another, in whatever way it is asked for.

use super::super::machines::*;
use super::*;
use crate::Owner;
use crate::limits::*;
use abi::internet::{Address, family, kind};

/// A socket of this account, one of many.
fn socket_of(stack: &mut Stack<Sender>, account: usize, what: usize) -> usize {
    stack.create(Owner { domain: DOMAIN, account }, what).unwrap()
}
fn port_of(stack: &mut Stack<Sender>, number: usize) -> u16 {
    stack.address(number, false).unwrap().port
}
/// None is another's, all are of those that are given so, and one says nothing of the next.
fn are_scattered(ports: &[u16]) {
    let mut sorted = ports.to_vec();
    sorted.sort();
    sorted.dedup();
    assert_eq!(sorted.len(), ports.len(), "some are given twice");
    assert!(sorted[0] >= FIRST_DYNAMIC_PORT);
    let next = ports.windows(2).filter(|pair| pair[1].abs_diff(pair[0]) == 1).count();
    assert!(next < 4, "{next} are the next of the one before");
}
#[test]
fn ports_of_datagrams_that_nobody_asked_for_are_one_sockets() {
    let mut stack = machine(0).stack;
    let ports: Vec<u16> = (0..SOCKETS)
        .map(|n| {
            let number = socket_of(&mut stack, n / SOCKETS_OF_ONE, kind::UDP);
            match n % 3 {
                0 => stack.bind(number, 0).unwrap(),
                1 => stack.connect(number, &socket(1), NOW).unwrap(),
                _ => _ = stack.send(number, &socket(1), b"words", NOW).unwrap(),
            }
            port_of(&mut stack, number)
        })
        .collect();
    are_scattered(&ports);
}
#[test]
fn ports_of_connections_that_nobody_asked_for_are_one_sockets() {
    let mut stack = machine(0).stack;
    let ports: Vec<u16> = (0..SOCKETS)
        .map(|n| {
            let number = socket_of(&mut stack, n / SOCKETS_OF_ONE, kind::TCP);
            match n % 2 {
                0 => stack.bind(number, 0).unwrap(),
                _ => stack.connect(number, &socket(1), NOW).unwrap(),
            }
            port_of(&mut stack, number)
        })
        .collect();
    are_scattered(&ports);
}
#[test]
fn a_port_that_another_socket_has_is_refused() {
    for what in [kind::TCP, kind::UDP] {
        for wanted in [0, 7] {
            let mut stack = machine(0).stack;
            let first = socket_of(&mut stack, 1, what);
            stack.bind(first, wanted).unwrap();
            let port = port_of(&mut stack, first);
            let second = socket_of(&mut stack, 2, what);
            assert_eq!(stack.bind(second, port), Err(Error::EADDRINUSE));
            // The other protocol has ports of its own.
            let third = socket_of(&mut stack, 2, if what == kind::TCP { kind::UDP } else { kind::TCP });
            stack.bind(third, port).unwrap();
            assert_eq!(stack.bind(first, port + 1), Err(Error::EINVAL), "it has one");
            if what == kind::TCP {
                stack.listen(first, 4).unwrap();
                assert_eq!(stack.bind(second, port), Err(Error::EADDRINUSE));
            }
            stack.remove(first, NOW);
            stack.bind(second, port).unwrap();
        }
    }
}
/// Who asks for any port when all but one are somebody's has that one.
#[test]
fn the_ports_that_are_left_are_found() {
    let mut stack = machine(0).stack;
    let numbers: Vec<usize> = (0..600).map(|n| socket_of(&mut stack, n / SOCKETS_OF_ONE, kind::UDP)).collect();
    // The generator begins anywhere: behind most places there are some that are taken.
    for (n, &number) in numbers.iter().enumerate().take(300) {
        stack.bind(number, FIRST_DYNAMIC_PORT + (n as u16) * 54).unwrap();
    }
    for &number in &numbers[300..] {
        stack.bind(number, 0).unwrap();
    }
    let mut ports: Vec<u16> = numbers.iter().map(|&number| port_of(&mut stack, number)).collect();
    ports.sort();
    ports.dedup();
    assert_eq!(ports.len(), numbers.len());
}
/// A socket at a port of its own, for which it has asked.
fn from_port(stack: &mut Stack<Sender>, account: usize, port: u16) -> usize {
    let number = socket_of(stack, account, kind::TCP);
    stack.bind(number, port).unwrap();
    number
}
#[test]
fn no_connection_is_opened_between_the_ends_of_another() {
    let mut machines = [0, 1].map(machine);
    let door = listener(&mut machines[1].stack);
    let own = from_port(&mut machines[0].stack, 1, 5000);
    machines[0].stack.connect(own, &socket(1), NOW).unwrap();
    talk(&mut machines, usize::MAX - 1);
    assert_eq!(machines[0].stack.connected(own), Ok(()));
    let (other_side, _) = machines[1].stack.accept(door, OWNER).unwrap();
    // Who asks for the port may have it, but not to there.
    let thief = from_port(&mut machines[0].stack, 2, 5000);
    assert_eq!(machines[0].stack.connect(thief, &socket(1), NOW), Err(Error::EADDRINUSE));
    talk(&mut machines, usize::MAX - 1);
    machines[1].stack.write(other_side, b"for the first", NOW).unwrap();
    talk(&mut machines, usize::MAX - 1);
    let mut words = [0; 20];
    assert_eq!(machines[0].stack.read(own, &mut words), Ok(13));
    // It has the ends as long as it is closing, too.
    machines[0].stack.remove(own, NOW);
    assert_eq!(machines[0].stack.connect(thief, &socket(1), NOW), Err(Error::EADDRINUSE));
    assert_eq!(machines[0].stack.connect(thief, &Address { port: 81, ..socket(1) }, NOW), Ok(()));
}
#[test]
fn a_connection_from_outside_is_not_opened_from_inside_again() {
    let mut machines = [0, 1].map(machine);
    let door = listener(&mut machines[0].stack);
    let caller = from_port(&mut machines[1].stack, 1, 5000);
    machines[1].stack.connect(caller, &socket(0), NOW).unwrap();
    talk(&mut machines, usize::MAX - 1);
    let to_caller = Address { port: 5000, ..socket(1) };
    let (accepted, from) = machines[0].stack.accept(door, OWNER).unwrap();
    assert_eq!(from, to_caller);
    machines[0].stack.remove(door, NOW);
    let thief = from_port(&mut machines[0].stack, 2, PORT);
    assert_eq!(machines[0].stack.connect(thief, &to_caller, NOW), Err(Error::EADDRINUSE));
    machines[1].stack.write(caller, b"words", NOW).unwrap();
    talk(&mut machines, usize::MAX - 1);
    assert_eq!(machines[0].stack.read(accepted, &mut [0; 8]), Ok(5));
}
#[test]
fn the_port_that_a_question_comes_from_is_nobody_elses() {
    let mut machines = [0, 1].map(machine);
    let question = machines[0].stack.ask_name(OWNER, "some.name", family::IPV4 as usize, NOW).unwrap();
    talk(&mut machines, usize::MAX - 1);
    let asked = machines[0].sent.borrow().iter().find_map(|frame| question_in(frame)).expect("it was asked");
    let stack = &mut machines[0].stack;
    let thief = socket_of(stack, 2, kind::UDP);
    assert_eq!(stack.bind(thief, asked.port), Err(Error::EADDRINUSE));
    stack.remove(question, NOW);
    assert_eq!(stack.bind(thief, asked.port), Ok(()));
}
