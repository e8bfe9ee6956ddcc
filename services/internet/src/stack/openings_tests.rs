//! Numbers that were seen say nothing of others, and are those that were chosen: smoltcp sends what it was handed.

use super::super::machines::*;
use super::*;
use crate::numbers::Numbers;
use abi::internet::{family, kind};
use smoltcp::wire::IpAddress;

/// Connections that are made one after the other.
const CONNECTIONS: usize = 256;

/// The ends of a segment that opens a connection, and its number.
struct Opening {
    from: IpEndpoint,
    to: IpEndpoint,
    sequence: u32,
}
/// What opens connections among the frames that a machine has sent.
fn openings(machine: &Machine) -> Vec<Opening> {
    let end = |frame: &[u8], address: usize, port: usize| {
        let [a, b, c, d] = *frame[address..].first_chunk().unwrap();
        IpEndpoint::new(IpAddress::v4(a, b, c, d), u16::from_be_bytes(*frame[port..].first_chunk().unwrap()))
    };
    let sent = machine.sent.borrow();
    let opening = sent.iter().filter(|frame| frame.len() >= 54 && frame[12..14] == [8, 0] && frame[23] == 6);
    opening
        .filter(|frame| frame[47] & 2 != 0)
        .map(|frame| Opening {
            from: end(frame, 26, 34),
            to: end(frame, 30, 36),
            sequence: u32::from_be_bytes(*frame[38..].first_chunk().unwrap()),
        })
        .collect()
}
/// Two machines of which one has called the other again and again.
fn acquainted() -> [Machine; 2] {
    let mut machines = [0, 1].map(machine);
    let door = listener(&mut machines[1].stack);
    for _ in 0..CONNECTIONS {
        let call = machines[0].stack.create(OWNER, kind::TCP).unwrap();
        machines[0].stack.connect(call, &socket(1), NOW).unwrap();
        talk_for(4, &mut machines, usize::MAX - 1);
        assert_eq!(machines[0].stack.connected(call), Ok(()));
        let (answer, _) = machines[1].stack.accept(door, OWNER).unwrap();
        machines[0].stack.remove(call, NOW);
        machines[1].stack.remove(answer, NOW);
        talk_for(4, &mut machines, usize::MAX - 1);
    }
    machines
}
/// What somebody does who knows smoltcp's generator: finds its state by two outputs, knows by a third that it is right, and computes the fourth.
struct Listening {
    /// What a step makes of each of the lower half of the bits that do not come out, in order.
    products: Vec<(u64, u64)>,
}
impl Listening {
    const FACTOR: u64 = 0xbb2e_fcec_3c39_611d;
    const LOW: u64 = 15;

    fn new() -> Listening {
        let mut products: Vec<_> = (0..1 << Self::LOW).map(|low: u64| (low.wrapping_mul(Self::FACTOR), low)).collect();
        products.sort();
        Listening { products }
    }
    fn step(state: u64) -> (u64, u32) {
        let state = state.wrapping_mul(Self::FACTOR).wrapping_add(0x7590_ef39);
        (state, (state >> (29 - (state >> 61))) as u32)
    }
    /// The fourth number, where the two first came out of the middle of a state, as one of 64 pairs does.
    fn foresees(&self, seen: [u32; 3]) -> Option<u32> {
        let [first, second] = [seen[0], seen[1]].map(|number| (number as u64) << 29);
        for high in 0..1u64 << (29 - Self::LOW) {
            let known = first | high << Self::LOW;
            let wanted = second.wrapping_sub(Self::step(known).0);
            let at = self.products.partition_point(|&(product, _)| product < wanted) % self.products.len();
            let (product, low) = self.products[at];
            if product.wrapping_sub(wanted) >> 29 == 0 {
                let (state, _) = Self::step(known | low);
                let (state, third) = Self::step(state);
                if third == seen[2] {
                    return Some(Self::step(state).1);
                }
            }
        }
        None
    }
}
/// How many of the numbers are foreseen by the three before.
fn foreseen(numbers: &[u32]) -> usize {
    let listening = Listening::new();
    numbers.windows(4).filter(|seen| listening.foresees([seen[0], seen[1], seen[2]]) == Some(seen[3])).count()
}

#[test]
fn three_numbers_of_a_generator_that_is_seeded_once_tell_the_next() {
    let mut state = 7;
    let drawn: Vec<u32> = (0..CONNECTIONS)
        .map(|_| {
            let number;
            (state, number) = Listening::step(state);
            number
        })
        .collect();
    assert!(foreseen(&drawn) > 0);
}
#[test]
fn no_connections_number_is_foreseen_by_those_before() {
    for machine in acquainted() {
        let numbers: Vec<u32> = openings(&machine).iter().map(|opening| opening.sequence).collect();
        assert!(numbers.len() >= CONNECTIONS);
        assert_eq!(foreseen(&numbers), 0);
    }
}
#[test]
fn a_connection_begins_with_the_number_that_is_its_ends() {
    for (n, machine) in acquainted().iter().enumerate() {
        let numbers = Numbers::new(&secret(n));
        for Opening { from, to, sequence } in openings(machine) {
            assert_eq!(sequence, numbers.sequence(from, to, NOW), "from {from} to {to}");
        }
    }
}
#[test]
fn a_question_has_the_port_that_was_chosen_and_an_identifier_of_its_own() {
    let mut machines = [0, 1].map(machine);
    let mut chosen = Vec::new();
    for _ in 0..64 {
        let question = machines[0].stack.ask_name(OWNER, "some.name", family::IPV4 as usize, NOW).unwrap();
        talk_for(4, &mut machines, usize::MAX - 1);
        let crate::Kind::Question { port, .. } = machines[0].stack.slot(question).unwrap().kind else { panic!() };
        chosen.push(port);
        machines[0].stack.remove(question, NOW);
    }
    let asked: Vec<Question> = machines[0].sent.borrow().iter().filter_map(|frame| question_in(frame)).collect();
    assert_eq!(asked.iter().map(|question| question.port).collect::<Vec<_>>(), chosen);
    let mut identifiers: Vec<u16> = asked.iter().map(|question| question.identifier).collect();
    identifiers.sort();
    identifiers.dedup();
    assert!(identifiers.len() >= 62, "{} of 64 are different", identifiers.len());
}
