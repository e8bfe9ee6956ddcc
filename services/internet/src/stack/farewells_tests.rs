//! What was written is delivered when its writer has gone, and nothing is kept for who does not take it.

use super::super::machines::*;
use super::*;
use crate::Owner;
use abi::Error;
use abi::internet::{Address, kind};

const ALL: usize = usize::MAX - 1;
const BYTES: usize = SEND_BUFFER;

/// Two machines with a connection between them, which machine 1 has made.
struct Call {
    machines: [Machine; 2],
    caller: usize,
    called: usize,
}
impl Call {
    fn new() -> Call {
        let mut machines = [0, 1].map(machine);
        let door = listener(&mut machines[0].stack);
        let caller = bound(&mut machines[1].stack, kind::TCP);
        machines[1].stack.connect(caller, &socket(0), NOW).unwrap();
        talk(&mut machines, ALL);
        let (called, _) = machines[0].stack.accept(door, OWNER).unwrap();
        Call { machines, caller, called }
    }
    /// Machine 1 has sent words that machine 0 has not read.
    fn unread(mut self) -> Call {
        self.machines[1].stack.write(self.caller, b"words", NOW).unwrap();
        talk(&mut self.machines, ALL);
        self
    }
}
/// Machine 0 has written [`BYTES`] to machine 1, which has taken none of them, and has closed; machine 1's socket.
fn written(unread: bool) -> ([Machine; 2], usize) {
    let call = if unread { Call::new().unread() } else { Call::new() };
    let Call { mut machines, caller, called } = call;
    assert_eq!(machines[0].stack.write(called, &[7; BYTES], NOW), Ok(BYTES));
    machines[0].stack.remove(called, NOW);
    (machines, caller)
}
/// Takes all that comes, `piece` bytes in `seconds`, and does `also` before each; how many bytes there were until the end.
fn take(
    machines: &mut [Machine; 2],
    caller: usize,
    (piece, seconds): (usize, u64),
    mut also: impl FnMut(&mut Machine, Instant),
) -> super::super::Result<usize> {
    let (mut now, mut taken, mut buffer) = (NOW, 0, vec![0; piece]);
    loop {
        also(&mut machines[1], now);
        pass(&mut now, seconds, machines);
        match machines[1].stack.read(caller, &mut buffer) {
            Ok(0) => return Ok(taken),
            Ok(count) => taken += count,
            Err(error) => return Err(error),
        }
        machines[1].stack.has_taken(caller, now);
    }
}

#[test]
fn a_stray_word_behind_the_last_request_takes_nothing_away() {
    for unread in [false, true] {
        let (mut machines, caller) = written(unread);
        let mut said = 0;
        let taken = take(&mut machines, caller, (4096, 1), |machine, now| {
            said += 1;
            if said < 4 {
                machine.stack.write(caller, b"\r\n", now).unwrap();
            }
        });
        assert_eq!(taken, Ok(BYTES));
    }
}
#[test]
fn who_reads_slowly_gets_all_of_it() {
    let (mut machines, caller) = written(false);
    assert_eq!(take(&mut machines, caller, (1000, 10), |_, _| {}), Ok(BYTES));
}
#[test]
fn a_listener_that_ends_takes_no_place_of_those_who_still_send() {
    let (mut machines, caller) = written(false);
    let door = listener_at(&mut machines[0].stack, PORT + 1);
    let waiting = [(); 3].map(|()| {
        let one = machines[1].stack.create(OWNER, kind::TCP).unwrap();
        machines[1].stack.connect(one, &Address { port: PORT + 1, ..socket(0) }, NOW).unwrap();
        talk(&mut machines, ALL);
        assert_eq!(machines[1].stack.connected(one), Ok(()));
        one
    });
    machines[0].stack.remove(door, NOW);
    assert_eq!((machines[0].stack.closing.len(), machines[0].stack.count()), (1, 2));
    talk(&mut machines, ALL);
    for one in waiting {
        assert_eq!(machines[1].stack.read(one, &mut [0; 8]), Err(Error::ECONNRESET));
    }
    assert_eq!(take(&mut machines, caller, (8192, 1), |_, _| {}), Ok(BYTES));
}
#[test]
fn who_closes_many_connections_takes_no_place_of_others() {
    let (mut machines, caller) = written(false);
    let door = listener_at(&mut machines[0].stack, PORT + 2);
    let many = Owner { account: 2, ..OWNER };
    for n in 0..CLOSING {
        let one = machines[1].stack.create(Owner { account: 3 + n / SOCKETS_OF_ONE, ..OWNER }, kind::TCP).unwrap();
        machines[1].stack.connect(one, &Address { port: PORT + 2, ..socket(0) }, NOW).unwrap();
        talk_for(4, &mut machines, ALL);
        let (called, _) = machines[0].stack.accept(door, many).unwrap();
        machines[0].stack.write(called, &[7; BYTES], NOW).unwrap();
        machines[0].stack.remove(called, NOW + Duration::from_millis(1));
    }
    assert_eq!(machines[0].stack.closing.len(), CLOSING);
    assert_eq!(take(&mut machines, caller, (8192, 1), |_, _| {}), Ok(BYTES));
}
#[test]
fn who_takes_it_byte_by_byte_has_an_end() {
    let (mut machines, caller) = written(false);
    let taken = take(&mut machines, caller, (500, 30), |_, _| {});
    assert_eq!(taken, Err(Error::ECONNRESET));
    assert!(machines[0].stack.closing.is_empty());
}
#[test]
fn who_pauses_for_a_minute_and_a_half_has_all() {
    let (mut machines, caller) = written(false);
    assert_eq!(take(&mut machines, caller, (8192, 100), |_, _| {}), Ok(BYTES));
}
#[test]
fn what_a_program_did_not_read_is_not_taken_for_read() {
    // The other side ends, too, after it, or before, with nothing on its way to it.
    for (first, own) in [(false, BYTES), (true, 0)] {
        let mut call = Call::new().unread();
        if own > 0 {
            assert_eq!(call.machines[0].stack.write(call.called, &[7; BYTES], NOW), Ok(own));
        }
        if first {
            call.machines[1].stack.shutdown(call.caller, NOW).unwrap();
            talk(&mut call.machines, ALL);
        }
        call.machines[0].stack.remove(call.called, NOW);
        let taken = take(&mut call.machines, call.caller, (8192, 1), |machine, now| {
            if !first {
                _ = machine.stack.shutdown(call.caller, now);
            }
        });
        let resets = call.machines[0].sent.borrow().iter().filter(|frame| frame[23] == 6 && frame[47] & 4 != 0).count();
        assert!(resets > 0, "{taken:?}, {first}");
        assert!(first || taken == Ok(BYTES), "{taken:?}");
    }
}
#[test]
fn who_sends_without_an_end_is_reset_though_it_takes_what_was_written() {
    let (mut machines, caller) = written(false);
    let (mut now, mut sent) = (NOW, 0);
    while let Ok(count) = machines[1].stack.write(caller, &[9; 8192], now) {
        sent += count;
        assert!(sent < 2 * UNREAD, "{sent}");
        now += Duration::from_millis(20);
        talk_at(now, 2, &mut machines, ALL);
    }
    assert!(sent > UNREAD, "{sent}");
}
#[test]
fn what_came_before_the_close_shortens_nothing() {
    let mut call = Call::new().unread();
    call.machines[0].stack.remove(call.called, NOW);
    let mut now = NOW;
    pass(&mut now, 4 * PATIENCE_WITH_UNREAD, &mut call.machines);
    assert_eq!(call.machines[0].stack.closing.len(), 1);
    assert_eq!(call.machines[1].stack.read(call.caller, &mut [0; 8]), Ok(0));
}
#[test]
fn who_takes_nothing_any_more_keeps_nothing() {
    let (mut machines, _) = written(false);
    let mut now = NOW;
    // Its acknowledgements of probes are no progress.
    pass(&mut now, PATIENCE_TO_END + 10, &mut machines);
    assert_eq!((machines[0].stack.closing.len(), machines[0].stack.count()), (0, 1));
}
#[test]
fn who_goes_on_sending_is_told_that_nobody_reads_it() {
    let (mut machines, caller) = written(false);
    assert_eq!(take(&mut machines, caller, (8192, 1), |_, _| {}), Ok(BYTES));
    let mut now = NOW + Duration::from_secs(10);
    let mut seconds = 0;
    while machines[1].stack.write(caller, b"more", now).is_ok() {
        pass(&mut now, 1, &mut machines);
        seconds += 1;
        assert!(seconds < 2 * PATIENCE_WITH_UNREAD);
    }
    assert!(machines[0].stack.closing.is_empty());
}
