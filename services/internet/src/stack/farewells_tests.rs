//! What was written is delivered when its writer has gone, and nothing is kept for who does not take it.

use super::super::machines::*;
use super::*;
use abi::internet::kind;

const ALL: usize = usize::MAX - 1;
const BYTES: usize = SEND_BUFFER;

/// Machine 0 has written [`BYTES`] to machine 1, which has taken none of them, and has closed; machine 1's socket.
fn written(unread: bool) -> ([Machine; 2], usize) {
    let mut machines = [0, 1].map(machine);
    let door = listener(&mut machines[0].stack);
    let caller = bound(&mut machines[1].stack, kind::TCP);
    machines[1].stack.connect(caller, &socket(0), NOW).unwrap();
    talk(&mut machines, ALL);
    let (called, _) = machines[0].stack.accept(door, OWNER).unwrap();
    if unread {
        machines[1].stack.write(caller, b"words", NOW).unwrap();
        talk(&mut machines, ALL);
    }
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
    let mut now = NOW + Duration::from_secs(60);
    let mut seconds = 0;
    while machines[1].stack.write(caller, b"more", now).is_ok() {
        pass(&mut now, 1, &mut machines);
        seconds += 1;
        assert!(seconds < 2 * PATIENCE_WITH_UNREAD);
    }
    assert!(machines[0].stack.closing.is_empty());
}
