//! Networks as they are: without a router, with peers that are silent, vanish, come back or are not who they say.

use super::machines::*;
use super::*;
use crate::checksum;
use abi::internet::{Address, family, kind};

const ALL: usize = usize::MAX - 1;

/// Two machines with a connection between them, its sockets and the listener of machine 0: machine 1 has called from port [`PORT`].
struct Call {
    machines: [Machine; 2],
    now: Instant,
    door: usize,
    caller: usize,
    called: usize,
}
fn call() -> Call {
    let mut machines = [0, 1].map(machine);
    let door = listener(&mut machines[0].stack);
    let caller = bound(&mut machines[1].stack, kind::TCP);
    machines[1].stack.connect(caller, &socket(0), NOW).unwrap();
    talk(&mut machines, ALL);
    let (called, _) = machines[0].stack.accept(door, OWNER).unwrap();
    assert_eq!(machines[1].stack.connected(caller), Ok(()));
    Call { machines, now: NOW, door, caller, called }
}
impl Call {
    fn pass(&mut self, seconds: u64) {
        pass(&mut self.now, seconds, &mut self.machines);
    }
    /// Whether words go both ways.
    fn goes_on(&mut self) -> bool {
        let Call { machines: [own, other], now, caller, called, .. } = self;
        let wrote =
            own.stack.write(*called, b"words", *now).is_ok() & other.stack.write(*caller, b"words", *now).is_ok();
        self.pass(2);
        let Call { machines: [own, other], caller, called, .. } = self;
        let heard = |machine: &mut Machine, number| machine.stack.read(number, &mut [0; 8]) == Ok(5);
        wrote & heard(own, *called) & heard(other, *caller)
    }
}
/// The last segment that machine 1 has sent, changed.
fn forged(call: &Call, change: impl FnOnce(&mut [u8])) -> Vec<u8> {
    let mut frame =
        call.machines[1].sent.borrow().iter().rfind(|frame| frame[12..14] == [8, 0] && frame[23] == 6).unwrap().clone();
    change(&mut frame);
    frame[50..52].fill(0);
    checksum::fill(&mut frame);
    frame
}
fn feed(call: &mut Call, frame: &[u8]) {
    let mut filled = (frame.len() as u64).to_le_bytes().to_vec();
    filled.extend([0; abi::network::LEAD]);
    filled.extend(frame);
    filled.resize(filled.len().next_multiple_of(8), 0);
    call.machines[0].stack.input(&filled, call.now);
}

#[test]
fn without_a_router_nothing_is_due_when_it_was_asked_for() {
    let (wire, mut now) = (Wire::default(), NOW);
    let mut stack = Stack::new(sender(&wire, &wire), [2; 6], &secret(0), NOW, None).unwrap();
    for _ in 0..300 {
        now += Duration::from_millis(100);
        stack.input(&[], now);
    }
    assert!(stack.deadline(now).is_none_or(|due| due > now), "{:?} at {now}", stack.deadline(now));
}
#[test]
fn a_connection_on_which_nobody_has_anything_to_say_stays() {
    let mut call = call();
    call.pass(2 * 60 * 60);
    assert!(call.goes_on());
    call.pass(PATIENCE + 10);
    assert!(call.goes_on());
}
#[test]
fn one_that_waits_to_be_accepted_stays() {
    let mut machines = [0, 1].map(machine);
    let door = listener(&mut machines[0].stack);
    let caller = bound(&mut machines[1].stack, kind::TCP);
    machines[1].stack.connect(caller, &socket(0), NOW).unwrap();
    talk(&mut machines, ALL);
    let mut now = NOW;
    pass(&mut now, 120, &mut machines);
    let (called, _) = machines[0].stack.accept(door, OWNER).unwrap();
    assert!(Call { machines, now, door, caller, called }.goes_on());
}
#[test]
fn who_has_vanished_is_missed_though_nobody_has_anything_to_say() {
    let mut call = call();
    // One more, which waits to be accepted, and one that machine 1 has called and ended on its side.
    let waits = call.machines[1].stack.create(OWNER, kind::TCP).unwrap();
    call.machines[1].stack.connect(waits, &socket(0), call.now).unwrap();
    let to = listener_at(&mut call.machines[1].stack, PORT + 1);
    let half = call.machines[0].stack.create(OWNER, kind::TCP).unwrap();
    call.machines[0].stack.connect(half, &Address { port: PORT + 1, ..socket(1) }, call.now).unwrap();
    call.pass(1);
    assert_eq!(call.machines[0].stack.connected(half), Ok(()));
    let (other, _) = call.machines[1].stack.accept(to, OWNER).unwrap();
    call.machines[1].stack.shutdown(other, call.now).unwrap();
    call.pass(2 * SILENCE);
    assert_eq!(call.machines[0].stack.count(), 4);
    let alone = &mut call.machines[..1];
    pass(&mut call.now, PATIENCE_WITH_SILENCE - SILENCE, alone);
    assert_eq!(alone[0].stack.read(call.called, &mut [0; 8]), Err(Error::EAGAIN));
    pass(&mut call.now, SILENCE + 2, alone);
    assert_eq!(alone[0].stack.read(call.called, &mut [0; 8]), Err(Error::ECONNRESET));
    assert!(matches!(alone[0].stack.accept(call.door, OWNER), Err(Error::EAGAIN)));
    assert_eq!(alone[0].stack.write(half, b"words", call.now), Err(Error::EPIPE));
}
#[test]
fn what_is_not_answered_is_given_up_in_the_end() {
    let mut call = call();
    call.pass(2 * PATIENCE);
    let now = call.now;
    call.machines[0].stack.write(call.called, b"words", now).unwrap();
    let alone = &mut call.machines[..1];
    pass(&mut call.now, PATIENCE - 10, alone);
    assert_eq!(alone[0].stack.read(call.called, &mut [0; 8]), Err(Error::EAGAIN));
    pass(&mut call.now, 20, alone);
    assert_eq!(alone[0].stack.read(call.called, &mut [0; 8]), Err(Error::ECONNRESET));
}
#[test]
fn who_says_farewell_after_a_long_silence_is_heard() {
    let mut call = call();
    call.pass(2 * PATIENCE);
    let now = call.now;
    call.machines[1].stack.shutdown(call.caller, now).unwrap();
    call.pass(1);
    assert_eq!(call.machines[0].stack.read(call.called, &mut [0; 8]), Ok(0));
    call.machines[0].stack.write(call.called, b"words", call.now).unwrap();
    call.pass(1);
    assert_eq!(call.machines[1].stack.read(call.caller, &mut [0; 8]), Ok(5));
}
#[test]
fn a_peer_that_came_back_is_answered() {
    for silence in [0, 30, 200] {
        let mut call = call();
        call.pass(silence);
        // It knows nothing any more, and calls from the same port.
        call.machines[1] = machine(2);
        call.machines[1].stack.configure(Some(Ipv4Cidr::new(address(1).into(), 24)), None, &[]);
        let again = bound(&mut call.machines[1].stack, kind::TCP);
        let now = call.now;
        call.machines[1].stack.connect(again, &socket(0), now).unwrap();
        call.pass(5);
        assert_eq!(call.machines[1].stack.connected(again), Ok(()), "after {silence} s");
        assert_eq!(call.machines[0].stack.read(call.called, &mut [0; 8]), Err(Error::ECONNRESET));
        let (called, _) = call.machines[0].stack.accept(call.door, OWNER).unwrap();
        assert!(Call { caller: again, called, ..call }.goes_on());
    }
}
#[test]
fn a_reset_that_was_guessed_ends_nothing() {
    const RST: u8 = 4;
    let sequence = |frame: &[u8]| u32::from_be_bytes(*frame[38..].first_chunk().unwrap());
    for off in [1, 100, 4000, -1i32 as u32, 1 << 20] {
        let mut call = call();
        let frame = forged(&call, |frame| {
            let forged = sequence(frame).wrapping_add(off).to_be_bytes();
            frame[38..42].copy_from_slice(&forged);
            frame[47] = RST;
        });
        feed(&mut call, &frame);
        assert!(call.goes_on(), "{off} octets off");
    }
    // A real one does.
    let mut call = call();
    let frame = forged(&call, |frame| frame[47] = RST);
    feed(&mut call, &frame);
    assert_eq!(call.machines[0].stack.read(call.called, &mut [0; 8]), Err(Error::ECONNRESET));
}
#[test]
fn resets_that_were_guessed_take_no_acknowledgement_from_the_other_side() {
    const RST: u8 = 4;
    let sequence = |frame: &[u8]| u32::from_be_bytes(*frame[38..].first_chunk().unwrap());
    let mut call = call();
    let frame = forged(&call, |frame| {
        let forged = sequence(frame).wrapping_add(100).to_be_bytes();
        frame[38..42].copy_from_slice(&forged);
        frame[47] = RST;
    });
    let probe = forged(&call, |frame| {
        let before = sequence(frame).wrapping_sub(1).to_be_bytes();
        frame[38..42].copy_from_slice(&before);
    });
    let sent = |call: &Call| call.machines[0].sent.borrow().len();
    let before = sent(&call);
    (0..100).for_each(|_| feed(&mut call, &frame));
    let challenges = sent(&call) - before;
    assert!((2..10).contains(&challenges), "{challenges}");
    feed(&mut call, &probe);
    assert_eq!(sent(&call) - before, challenges + 1);
}
#[test]
fn a_call_that_was_guessed_ends_nothing() {
    const SYN: u8 = 2;
    for off in [0, 1, 4000, 1 << 20] {
        let mut call = call();
        let frame = forged(&call, |frame| {
            let forged = u32::from_be_bytes(*frame[38..].first_chunk().unwrap()).wrapping_add(off).to_be_bytes();
            frame[38..42].copy_from_slice(&forged);
            frame[47] = SYN;
        });
        feed(&mut call, &frame);
        assert!(call.goes_on(), "{off} octets off");
    }
}

/// The address `a.b.c.d`, or `::1`, with this port.
fn at(bytes: &[u8], port: u16) -> Address {
    let family = if bytes.len() == 4 { family::IPV4 } else { family::IPV6 };
    let mut address = Address { port, family, ..Address::default() };
    address.bytes[..bytes.len()].copy_from_slice(bytes);
    address
}
#[test]
fn a_machine_talks_to_itself_and_nothing_of_it_goes_out() {
    let localhost = core::net::Ipv6Addr::LOCALHOST.octets();
    for own in [&[127, 0, 0, 1][..], &address(0), &localhost] {
        let mut machine = machine(0);
        let stack = &mut machine.stack;
        let door = listener(stack);
        let caller = stack.create(OWNER, kind::TCP).unwrap();
        stack.connect(caller, &at(own, PORT), NOW).unwrap();
        assert_eq!(stack.connected(caller), Ok(()), "{own:?}");
        let (called, from) = stack.accept(door, OWNER).unwrap();
        assert_eq!(&from.bytes[..own.len()], own);
        let (mut sent, mut taken) = (0, 0);
        while taken < 100_000 {
            sent += stack.write(caller, &[7; 4096], NOW).unwrap_or(0);
            taken += stack.read(called, &mut [0; 4096]).unwrap_or(0);
            stack.has_taken(called, NOW);
        }
        assert!(sent >= taken);
        let sockets = [PORT, 9].map(|port| {
            let number = stack.create(OWNER, kind::UDP).unwrap();
            stack.bind(number, port).unwrap();
            number
        });
        stack.send(sockets[0], &at(own, 9), b"words", NOW).unwrap();
        assert_eq!(stack.read(sockets[1], &mut [0; 8]), Ok(5));
        // Where nobody is, a call is refused at once, and so is a datagram.
        let caller = stack.create(OWNER, kind::TCP).unwrap();
        stack.connect(caller, &at(own, 81), NOW).unwrap();
        assert_eq!(stack.connected(caller), Err(Error::ECONNREFUSED));
        assert!(
            machine.sent.borrow().iter().all(|frame| frame[..6] != frame[6..12] && frame[23] != 6 && frame[23] != 17)
        );
    }
}
#[test]
fn who_pretends_to_be_this_machine_is_not_heard() {
    let mut machines = [0, 1].map(machine);
    let number = bound(&mut machines[0].stack, kind::UDP);
    let sender = machines[1].stack.create(OWNER, kind::UDP).unwrap();
    machines[1].stack.send(sender, &socket(0), b"words", NOW).unwrap();
    talk(&mut machines, ALL);
    assert_eq!(machines[0].stack.read(number, &mut [0; 8]), Ok(5));
    for at in [26, 30] {
        let mut frame = machines[1].sent.borrow().last().unwrap().clone();
        frame[at..at + 4].copy_from_slice(&[127, 0, 0, 1]);
        assert!(!is_good(&frame), "{at}");
    }
}
#[test]
fn who_sends_where_nobody_takes_datagrams_is_told_once() {
    let mut machines = [0, 1].map(machine);
    let number = machines[0].stack.create(OWNER, kind::UDP).unwrap();
    machines[0].stack.connect(number, &socket(1), NOW).unwrap();
    let other = bound(&mut machines[0].stack, kind::UDP);
    machines[0].stack.write(number, b"words", NOW).unwrap();
    assert_eq!(machines[0].stack.error(number), Ok(None));
    talk(&mut machines, ALL);
    assert_ne!(machines[0].stack.ready(number, DOMAIN) & abi::internet::event::READ, 0);
    assert_eq!(machines[0].stack.error(other), Ok(None));
    assert_eq!(machines[0].stack.error(number), Ok(Some(Error::ECONNREFUSED)));
    assert_eq!(machines[0].stack.error(number), Ok(None));
    machines[0].stack.write(number, b"words", NOW).unwrap();
    talk(&mut machines, ALL);
    assert_eq!(machines[0].stack.write(number, b"words", NOW), Err(Error::ECONNREFUSED));
    assert_eq!(machines[0].stack.write(number, b"words", NOW), Ok(5));
}
#[test]
fn what_has_become_of_a_socket_is_asked_without_taking_anything() {
    let mut machines = [0, 1].map(machine);
    let own = bound(&mut machines[0].stack, kind::UDP);
    let sender = machines[1].stack.create(OWNER, kind::UDP).unwrap();
    for words in [&b"words"[..], b""] {
        machines[1].stack.send(sender, &socket(0), words, NOW).unwrap();
        talk(&mut machines, ALL);
        assert_eq!(machines[0].stack.error(own), Ok(None));
        assert_eq!(machines[0].stack.receive(own, &mut [0; 8]).map(|(bytes, _)| bytes), Ok(words.len()));
    }
}
