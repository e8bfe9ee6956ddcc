//! Machines for tests: stacks with a card whose frames the other one gets.

use super::*;
use abi::identity::DomainId;
use abi::internet::{Address, family, kind};
use abi::network::{FRAME, LEAD};
use fallible::failing::with_only;
use std::cell::RefCell;
use std::rc::Rc;

/// Whose all sockets are, but for those of another.
pub const DOMAIN: DomainId = DomainId::of(1 << 16 | 9).unwrap();
pub const ELSEWHERE: DomainId = DomainId::of(1 << 16 | 8).unwrap();
pub const OWNER: Owner = Owner { domain: DOMAIN, account: 1 };
pub const NOW: Instant = Instant::from_micros_const(1_000_000);
pub const PORT: u16 = 80;
/// Rounds after which two machines have said what they have to say.
const ROUNDS: usize = 12;

/// What a card has sent.
pub type Wire = Rc<RefCell<Vec<Vec<u8>>>>;
pub struct Sender {
    wire: Wire,
    sent: Wire,
    buffer: Vec<u8>,
}
impl Card for Sender {
    fn buffer(&mut self) -> &mut [u8] {
        &mut self.buffer
    }
    fn send(&mut self, bytes: usize) -> Option<usize> {
        // The wire is not the stack's.
        fallible::failing::spared(|| {
            let frame = &self.buffer[..bytes];
            self.wire.borrow_mut().push(frame.to_vec());
            self.sent.borrow_mut().push(frame.to_vec());
        });
        Some(64)
    }
}
pub fn address(n: usize) -> [u8; 4] {
    [10, 0, 2, 15 + n as u8]
}
pub fn socket(n: usize) -> Address {
    let mut address = Address { port: PORT, family: family::IPV4, ..Address::default() };
    address.bytes[..4].copy_from_slice(&self::address(n));
    address
}
pub fn secret(n: usize) -> Secret {
    Secret([7 + n as u8; 32])
}
/// A machine, which has all memory until it is made.
pub struct Machine {
    pub stack: Stack<Sender>,
    wire: Wire,
    /// All that it has sent.
    pub sent: Wire,
}
pub fn sender(wire: &Wire, sent: &Wire) -> Sender {
    Sender { wire: wire.clone(), sent: sent.clone(), buffer: vec![0; FRAME] }
}
pub fn machine(n: usize) -> Machine {
    let (wire, sent) = (Wire::default(), Wire::default());
    let given = Given { address: Ipv4Cidr::new(address(n).into(), 24), gateway: None, name_server: Some(address(1)) };
    let stack = Stack::new(sender(&wire, &sent), [2, 0, 0, 0, 0, n as u8], &secret(n), NOW, Some(given)).unwrap();
    Machine { stack, wire, sent }
}
/// What machines have to say to each other is said; `left` allocations of the first one's succeed in each round.
pub fn talk(machines: &mut [Machine], left: usize) {
    talk_for(ROUNDS, machines, left);
}
pub fn talk_for(rounds: usize, machines: &mut [Machine], left: usize) {
    talk_at(NOW, rounds, machines, left);
}
/// Time passes, in steps of a tenth of a second, with what machines say meanwhile.
pub fn pass(now: &mut Instant, seconds: u64, machines: &mut [Machine]) {
    for _ in 0..10 * seconds {
        *now += Duration::from_millis(100);
        machines.iter_mut().for_each(|machine| machine.stack.input(&[], *now));
        talk_at(*now, 2, machines, usize::MAX - 1);
    }
}
pub fn talk_at(now: Instant, rounds: usize, machines: &mut [Machine], left: usize) {
    for _ in 0..rounds {
        for from in 0..machines.len() {
            let mut filled = Vec::new();
            for frame in machines[from].wire.take() {
                filled.extend((frame.len() as u64).to_le_bytes());
                filled.extend([0; LEAD]);
                filled.extend(&frame);
                filled.resize(filled.len().next_multiple_of(8), 0);
            }
            // All are on one wire.
            for (to, machine) in machines.iter_mut().enumerate().filter(|(to, _)| *to != from && !filled.is_empty()) {
                match to {
                    0 => with_only(left, || machine.stack.input(&filled, now)),
                    _ => machine.stack.input(&filled, now),
                }
            }
        }
    }
}
pub fn bound(stack: &mut Stack<Sender>, kind: usize) -> usize {
    bound_to(stack, kind, PORT)
}
fn bound_to(stack: &mut Stack<Sender>, kind: usize, port: u16) -> usize {
    let number = stack.create(OWNER, kind).unwrap();
    stack.bind(number, port).unwrap();
    number
}
pub fn listener(stack: &mut Stack<Sender>) -> usize {
    listener_at(stack, PORT)
}
pub fn listener_at(stack: &mut Stack<Sender>, port: u16) -> usize {
    let number = bound_to(stack, kind::TCP, port);
    stack.listen(number, 4).unwrap();
    number
}
/// What a question to a name server is known by.
pub struct Question {
    pub port: u16,
    pub identifier: u16,
}
/// That in a frame, if it is one.
pub fn question_in(frame: &[u8]) -> Option<Question> {
    let word = |at: usize| frame.get(at..)?.first_chunk().map(|&bytes| u16::from_be_bytes(bytes));
    let is_question = frame.get(12..14)? == [8, 0] && frame[23] == 17 && word(36)? == 53;
    is_question.then_some(Question { port: word(34)?, identifier: word(42)? })
}
