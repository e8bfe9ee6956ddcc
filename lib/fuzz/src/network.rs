//! Frames for TCP/IP, broken on their way: between two machines with sockets in use, from a DHCP server, from a name server.

use crate::Random;
use abi::identity::DomainId;
use abi::internet::{Address, family, kind};
use abi::network::{FRAME, LEAD};
use internet_logic::{Card, Given, Owner, Secret, Stack, checksum};
use smoltcp::time::{Duration, Instant};
use smoltcp::wire::Ipv4Cidr;
use std::cell::RefCell;
use std::rc::Rc;

/// What a card has sent.
#[derive(Clone, Default)]
struct Wire(Rc<RefCell<Vec<Vec<u8>>>>);
struct Sender {
    wire: Wire,
    buffer: Vec<u8>,
}
impl Card for Sender {
    fn buffer(&mut self) -> &mut [u8] {
        &mut self.buffer
    }
    fn send(&mut self, bytes: usize) -> Option<usize> {
        self.wire.0.borrow_mut().push(self.buffer[..bytes].to_vec());
        Some(64)
    }
}
const OWNER: Owner = Owner { domain: DomainId::of(1 << 16 | 9).unwrap(), account: 1 };
const CARDS: [[u8; 6]; 2] = [[0x52, 0x54, 0, 0x12, 0x34, 0x56], [0x52, 0x55, 10, 0, 2, 2]];
const ADDRESSES: [[u8; 4]; 2] = [[10, 0, 2, 15], [10, 0, 2, 2]];
const ETHERNET: usize = 14;
const IPV4: usize = 20;
const UDP: usize = 8;

/// A machine, and what it sends.
struct Machine {
    stack: Stack<Sender>,
    wire: Wire,
}
impl Machine {
    fn new(n: usize, seed: u64, given: bool) -> Machine {
        let wire = Wire::default();
        let sender = Sender { wire: wire.clone(), buffer: vec![0; FRAME] };
        let given = given.then_some(Given {
            address: Ipv4Cidr::new(ADDRESSES[n].into(), 24),
            gateway: Some(ADDRESSES[1]),
            name_server: Some(ADDRESSES[1]),
        });
        let secret = Secret(core::array::from_fn(|n| seed.to_le_bytes()[n % 8]));
        let stack = Stack::new(sender, CARDS[n], &secret, Instant::from_secs(1), given).expect("there is memory");
        Machine { stack, wire }
    }
    fn sent(&self) -> Vec<Vec<u8>> {
        self.wire.0.take()
    }
    /// Takes frames, as a driver hands them over.
    fn take(&mut self, frames: &[Vec<u8>], now: Instant) {
        let mut filled = Vec::new();
        for frame in frames {
            filled.extend((frame.len() as u64).to_le_bytes());
            filled.extend([0; LEAD]);
            filled.extend(frame);
            filled.resize(filled.len().next_multiple_of(8), 0);
        }
        self.stack.input(&filled, now);
    }
    fn socket(&mut self, what: usize, port: u16) -> usize {
        let number = self.stack.create(OWNER, what).expect("there are few sockets");
        self.stack.bind(number, port).expect("nobody has the port");
        number
    }
    fn listener(&mut self, port: u16) -> usize {
        let number = self.socket(kind::TCP, port);
        self.stack.listen(number, 4).expect("it is bound");
        number
    }
}
fn address(of: usize, port: u16) -> Address {
    let mut address = Address { port, family: family::IPV4, ..Address::default() };
    address.bytes[..4].copy_from_slice(&ADDRESSES[of]);
    address
}
/// Breaks a frame; as often as not its checksums are right all the same, so that somebody looks at it.
fn break_frame(random: &mut Random, frame: &mut Vec<u8>) {
    for _ in 0..1 + random.below(3) {
        // Addresses and type of a frame are seldom what is wrong.
        let head = if random.once_in(8) { 0 } else { ETHERNET.min(frame.len()) };
        let mut rest = frame.split_off(head);
        random.break_bytes(&mut rest);
        frame.extend(rest);
    }
    frame.truncate(FRAME);
    if !random.once_in(4) {
        set_lengths(random, frame);
        set_checksums(frame);
    }
}
/// Those of IPv4's head and of UDP's are right again, mostly.
fn set_lengths(random: &mut Random, frame: &mut [u8]) {
    let Some(packet) = frame.get_mut(ETHERNET..).filter(|packet| packet.len() >= IPV4 + UDP) else { return };
    if !random.once_in(4) {
        let bytes = packet.len() as u16;
        packet[2..4].copy_from_slice(&bytes.to_be_bytes());
        if packet[9] == 17 {
            packet[IPV4 + 4..IPV4 + 6].copy_from_slice(&(bytes - IPV4 as u16).to_be_bytes());
        }
    }
}
fn set_checksums(frame: &mut [u8]) {
    if frame.len() < ETHERNET + IPV4 {
        return;
    }
    if frame[12..14] == [8, 0] {
        let head = &mut frame[ETHERNET..];
        let bytes = ((head[0] & 15) as usize * 4).clamp(IPV4, head.len().min(60)) & !1;
        head[10..12].fill(0);
        let sum: u32 = head[..bytes].chunks(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]) as u32).sum();
        let sum = (sum & 0xffff) + (sum >> 16);
        head[10..12].copy_from_slice(&(!((sum & 0xffff) + (sum >> 16)) as u16).to_be_bytes());
    }
    checksum::fill(frame);
}
/// A datagram from port to port, from the second machine to the first, whatever address that has.
fn datagram(from: u16, to: u16, address: [u8; 4], payload: &[u8]) -> Vec<u8> {
    let mut frame = [&CARDS[0][..], &CARDS[1], &[8, 0]].concat();
    let bytes = (IPV4 + UDP + payload.len()) as u16;
    frame.extend([0x45, 0, (bytes >> 8) as u8, bytes as u8, 0, 0, 0, 0, 64, 17, 0, 0]);
    frame.extend(ADDRESSES[1]);
    frame.extend(address);
    for word in [from, to, bytes - IPV4 as u16, 0] {
        frame.extend(word.to_be_bytes());
    }
    frame.extend(payload);
    set_checksums(&mut frame);
    frame
}
/// What is in a datagram to this port, of IPv4.
fn payload(frame: &[u8], port: u16) -> Option<&[u8]> {
    let udp = frame.get(ETHERNET + IPV4..)?;
    (frame[12..14] == [8, 0] && frame[ETHERNET + 9] == 17 && udp.get(2..4)? == port.to_be_bytes())
        .then(|| udp.get(UDP..))?
}
/// The answer to who asks for the second machine's address (RFC 826).
fn arp_answer(frame: &[u8]) -> Option<Vec<u8>> {
    let asks = frame.get(12..14)? == [8, 6] && frame.get(20..22)? == [0, 1] && frame.get(38..42)? == ADDRESSES[1];
    let head = [frame.get(6..12)?, &CARDS[1], &[8, 6, 0, 1, 8, 0, 6, 4, 0, 2], &CARDS[1], &ADDRESSES[1]];
    asks.then(|| [head.concat(), frame[22..32].to_vec()].concat())
}

/// Two machines talk, and frames to the first are broken; then it answers all the same.
pub fn frames(random: &mut Random) {
    let mut machines = [0, 1].map(|n| Machine::new(n, random.word(), true));
    let [door, datagrams, peers_door] =
        [machines[0].listener(80), machines[0].socket(kind::UDP, 7), machines[1].listener(9)];
    let mut now = Instant::from_secs(2);
    let mut streams = Vec::new();
    for step in 0..40 {
        if step % 8 == 0 {
            streams.push((1, connected(&mut machines[1], address(0, 80), now)));
            streams.push((0, connected(&mut machines[0], address(1, 9), now)));
            let sender = machines[1].socket(kind::UDP, 1000 + step);
            let _ = machines[1].stack.send(sender, &address(0, 7), &random.bytes(100), now);
        }
        for &(n, stream) in &streams {
            let _ = machines[n].stack.write(stream, &[7; 3000], now);
            let _ = machines[n].stack.read(stream, &mut [0; 2000]);
        }
        let _ = machines[0].stack.receive(datagrams, &mut [0; 2000]);
        for (n, door) in [(0, door), (1, peers_door)] {
            if let Ok((stream, _)) = machines[n].stack.accept(door, OWNER) {
                streams.push((n, stream));
            }
        }
        if random.once_in(6) && !streams.is_empty() {
            let (n, stream) = streams.swap_remove(random.below(streams.len()));
            machines[n].stack.remove(stream, now);
        }
        exchange(&mut machines, now, |frame| {
            if random.once_in(3) {
                break_frame(random, frame);
            }
        });
        now += Duration::from_millis(random.below(300) as u64);
    }
    for (n, stream) in streams {
        machines[n].stack.remove(stream, now);
    }
    // Long enough for what was said wrongly of others' cards to be forgotten.
    for _ in 0..40 {
        now += Duration::from_secs(5);
        exchange(&mut machines, now, |_| {});
        while let Ok((stream, _)) = machines[0].stack.accept(door, OWNER) {
            machines[0].stack.remove(stream, now);
        }
    }
    assert!(is_answered(&mut machines, door, now), "the next one is not answered");
}
fn connected(machine: &mut Machine, to: Address, now: Instant) -> usize {
    let number = machine.stack.create(OWNER, kind::TCP).expect("there are few sockets");
    machine.stack.connect(number, &to, now).expect("it is near");
    number
}
/// Each takes what the other has sent; `spoil` sees what goes to the first.
fn exchange(machines: &mut [Machine; 2], now: Instant, mut spoil: impl FnMut(&mut Vec<u8>)) {
    let mut sent = machines[1].sent();
    sent.iter_mut().for_each(&mut spoil);
    machines[0].take(&sent, now);
    let sent = machines[0].sent();
    machines[1].take(&sent, now);
    assert!(machines.iter_mut().all(|machine| machine.wire.0.borrow().len() < 2000), "they send without end");
}
/// Whether a connection is made, and carries something.
fn is_answered(machines: &mut [Machine; 2], door: usize, mut now: Instant) -> bool {
    let client = connected(&mut machines[1], address(0, 80), now);
    let mut server = None;
    for _ in 0..100 {
        exchange(machines, now, |_| {});
        now += Duration::from_millis(100);
        server = server.or_else(|| machines[0].stack.accept(door, OWNER).ok());
        if let Some((server, _)) = server {
            let _ = machines[0].stack.write(server, b"hello", now);
        }
        let mut heard = [0; 5];
        if machines[1].stack.read(client, &mut heard) == Ok(5) && &heard == b"hello" {
            return true;
        }
    }
    false
}
/// A server offers addresses, and what goes with them, wrongly.
pub fn dhcp(random: &mut Random) {
    let mut machine = Machine::new(0, random.word(), false);
    let mut now = Instant::from_secs(2);
    for _ in 0..60 {
        let asked: Vec<Vec<u8>> = machine.sent();
        let mut answers = Vec::new();
        for question in asked.iter().filter_map(|frame| payload(frame, 67)).filter(|question| question.len() > 240) {
            // Message types 1 and 3 are answered by 2 and 5 (RFC 2132, section 9.6), or by anything.
            let own = question.windows(3).find(|option| option[..2] == [53, 1]).map_or(1, |option| option[2]);
            let what = if random.once_in(6) {
                random.below(9) as u8
            } else if own == 1 {
                2
            } else {
                5
            };
            let mut frame = datagram(67, 68, [255; 4], &offer(random, question, what));
            frame[..6].fill(0xff);
            if !random.once_in(3) {
                break_frame(random, &mut frame);
            }
            answers.push(frame);
        }
        machine.take(&answers, now);
        assert!(machine.stack.configuration().prefix <= 32);
        now += Duration::from_millis(random.one_of(&[100, 1000, 20_000, 4_000_000]));
    }
}
/// The answer to a question of a DHCP client, with options that have lengths of all kinds.
fn offer(random: &mut Random, question: &[u8], what: u8) -> Vec<u8> {
    let mut answer = question[..240].to_vec();
    answer[0] = 2;
    answer[16..20].copy_from_slice(&ADDRESSES[0]);
    let mut option = |number: u8, bytes: &[u8]| answer.extend([&[number, bytes.len() as u8], bytes].concat());
    option(53, &[what]);
    option(54, &ADDRESSES[1]);
    option(1, &random.one_of(&[[255, 255, 255, 0], [255, 255, 255, 255], [0; 4], [255, 0, 255, 0]]));
    option(3, &ADDRESSES[1]);
    option(51, &random.one_of(&[0u32, 1, 60, 86_400, u32::MAX]).to_be_bytes());
    let servers = some_bytes(random);
    option(6, &servers);
    let unknown = some_bytes(random);
    option(random.word() as u8, &unknown);
    answer.push(255);
    random.break_bytes(&mut answer);
    answer
}
fn some_bytes(random: &mut Random) -> Vec<u8> {
    let count = random.one_of(&[0, 1, 3, 4, 8, 12, 60, 255]);
    random.bytes(count)
}
/// A name server answers wrongly: the question comes to an end.
pub fn dns(random: &mut Random) {
    let mut machine = Machine::new(0, random.word(), true);
    let mut now = Instant::from_secs(2);
    let asked = machine.stack.ask_name(OWNER, "example.org", family::IPV4 as usize, now).expect("a name");
    for _ in 0..600 {
        let mut answers = Vec::new();
        for frame in machine.sent() {
            answers.extend(arp_answer(&frame));
            let Some(question) = payload(&frame, 53).filter(|question| question.len() > 12) else { continue };
            let port = u16::from_be_bytes([frame[ETHERNET + IPV4], frame[ETHERNET + IPV4 + 1]]);
            let mut answer = datagram(53, port, ADDRESSES[0], &records(random, question));
            if random.once_in(3) {
                break_frame(random, &mut answer);
            }
            answers.push(answer);
        }
        machine.take(&answers, now);
        match machine.stack.answer(asked) {
            Err(abi::Error::EAGAIN) => now += Duration::from_millis(200),
            _ => return,
        }
    }
    panic!("a question is without an end");
}
/// What is answered to a question (RFC 1035, section 4.1): records of all kinds, with names that lead to others and to themselves.
fn records(random: &mut Random, question: &[u8]) -> Vec<u8> {
    let mut answer = question.to_vec();
    let count = random.below(4) as u16;
    answer[2] = 0x81;
    answer[3] = 0x80 | random.one_of(&[0, 0, 0, 3]);
    answer[6..8].copy_from_slice(&count.to_be_bytes());
    for _ in 0..count {
        let pointer = 0xc000 | random.one_of(&[12, 12, 12, answer.len(), answer.len() + 12, 0, 0x3fff]) as u16;
        answer.extend(pointer.to_be_bytes());
        let (kind, data) = match random.below(3) {
            0 => (5, (0xc000 | random.one_of(&[12, answer.len() + 10, answer.len()]) as u16).to_be_bytes().to_vec()),
            1 => (1, random.bytes(4)),
            _ => (random.one_of(&[1, 5, 28]), some_bytes(random)),
        };
        answer.extend([0, kind, 0, 1, 0, 0, 0, 60]);
        answer.extend((data.len() as u16).to_be_bytes());
        answer.extend(data);
    }
    if random.once_in(2) {
        let mut rest = answer.split_off(2);
        random.break_bytes(&mut rest);
        answer.extend(rest);
    }
    answer
}
