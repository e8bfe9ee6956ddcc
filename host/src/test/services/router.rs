//! A network with a router at the other end of the guest's cable: it gives addresses, and who asks it by datagrams is answered by a test.

use std::net::Ipv4Addr;

/// Of the router, and of the guest once it has asked for one.
pub const ROUTER: Ipv4Addr = Ipv4Addr::new(10, 0, 2, 2);
const GUEST: Ipv4Addr = Ipv4Addr::new(10, 0, 2, 15);
const HARDWARE: [u8; 6] = [0x52, 0x55, 10, 0, 2, 2];
/// What frames have (IEEE 802.3, RFC 894), and what lies in them (RFC 791).
const IPV4: [u8; 2] = [8, 0];
const ARP: [u8; 2] = [8, 6];
const UDP: u8 = 17;
/// Where a frame's payload begins, and the head of IPv4 and that of a datagram in it.
const ETHERNET: usize = 14;
const HEAD: usize = 20;
const DATAGRAM: usize = 8;
/// Ports of DHCP (RFC 2131): its server's and its clients'.
const SERVER: u16 = 67;
const CLIENT: u16 = 68;

/// A datagram that the guest has sent.
pub struct Datagram<'a> {
    pub to: Ipv4Addr,
    pub port: u16,
    pub bytes: &'a [u8],
}
fn word(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}
fn address(bytes: &[u8], at: usize) -> Option<Ipv4Addr> {
    Some(Ipv4Addr::from(<[u8; 4]>::try_from(bytes.get(at..at + 4)?).ok()?))
}
/// What is sent for a frame that comes: answers for addresses and for those who look for one, whom it tells of these name servers, all of which are the
/// router; and what `answer` says to a datagram.
pub fn answers(
    frame: &[u8],
    name_servers: &[Ipv4Addr],
    answer: impl FnOnce(Datagram) -> Option<Vec<u8>>,
) -> Vec<Vec<u8>> {
    let kind = frame.get(12..ETHERNET).unwrap_or_default();
    let sent = if kind == ARP { arp(frame) } else { datagram(frame, name_servers, answer) };
    sent.into_iter().collect()
}
/// Whatever address is asked for but the guest's own is the router's (RFC 826).
fn arp(frame: &[u8]) -> Option<Vec<u8>> {
    let (sender, wanted) = (frame.get(22..32)?, address(frame, 38)?);
    if word(frame, 20)? != 1 || wanted == GUEST {
        return None;
    }
    // Ethernet, IPv4, lengths of their addresses, an answer.
    let payload = [&[0, 1, 8, 0, 6, 4, 0, 2][..], &HARDWARE, &wanted.octets(), sender].concat();
    Some(framed(frame, ARP, &payload))
}
fn datagram(
    frame: &[u8],
    name_servers: &[Ipv4Addr],
    answer: impl FnOnce(Datagram) -> Option<Vec<u8>>,
) -> Option<Vec<u8>> {
    let packet = frame.get(ETHERNET..)?;
    if frame.get(12..ETHERNET)? != IPV4 || *packet.get(9)? != UDP {
        return None;
    }
    let (from, to, segment) = (address(packet, 12)?, address(packet, 16)?, packet.get(HEAD..)?);
    let (from_port, port) = (word(segment, 0)?, word(segment, 2)?);
    let bytes = segment.get(DATAGRAM..usize::from(word(segment, 4)?))?;
    if port == SERVER {
        let reply = lease(bytes, name_servers)?;
        return Some(framed(frame, IPV4, &packed((ROUTER, SERVER), (GUEST, CLIENT), &reply)));
    }
    let reply = answer(Datagram { to, port, bytes })?;
    Some(framed(frame, IPV4, &packed((to, port), (from, from_port), &reply)))
}
/// An offer to who looks for a server of DHCP, and the address to who asks for it.
fn lease(question: &[u8], name_servers: &[Ipv4Addr]) -> Option<Vec<u8>> {
    const OPTIONS: usize = 240;
    let kind = question.get(OPTIONS..)?.windows(3).find(|option| option[..2] == [53, 1])?[2];
    let mut reply = question.get(..OPTIONS)?.to_vec();
    reply[0] = 2;
    reply[16..20].copy_from_slice(&GUEST.octets());
    let option = |kind: u8, value: &[u8]| [&[kind, value.len() as u8][..], value].concat();
    let servers: Vec<u8> = name_servers.iter().flat_map(Ipv4Addr::octets).collect();
    // Of the message, who sends it, for how many seconds, the mask, the router, name servers (RFC 2132).
    reply.extend(option(53, &[if kind == 1 { 2 } else { 5 }]));
    reply.extend(option(54, &ROUTER.octets()));
    reply.extend(option(51, &86_400u32.to_be_bytes()));
    reply.extend(option(1, &[255, 255, 255, 0]));
    reply.extend(option(3, &ROUTER.octets()));
    reply.extend(option(6, &servers));
    reply.push(255);
    Some(reply)
}
/// A datagram in a packet; without a sum of its own, which IPv4 allows.
fn packed((from, from_port): (Ipv4Addr, u16), (to, port): (Ipv4Addr, u16), bytes: &[u8]) -> Vec<u8> {
    let length = (HEAD + DATAGRAM + bytes.len()) as u16;
    let [high, low] = length.to_be_bytes();
    let mut head = [&[0x45, 0, high, low, 0, 0, 0, 0, 64, UDP, 0, 0][..], &from.octets(), &to.octets()].concat();
    let sum: u32 = head.chunks(2).map(|pair| u32::from(u16::from_be_bytes([pair[0], pair[1]]))).sum();
    let folded = (sum & 0xffff) + (sum >> 16);
    head[10..12].copy_from_slice(&(!folded as u16).to_be_bytes());
    let ports = [from_port, port, length - HEAD as u16, 0].map(u16::to_be_bytes);
    [&head[..], ports.as_flattened(), bytes].concat()
}
/// A frame to whom another has come from.
fn framed(frame: &[u8], kind: [u8; 2], payload: &[u8]) -> Vec<u8> {
    let mut sent = [&frame[6..12], &HARDWARE, &kind, payload].concat();
    sent.resize(sent.len().max(60), 0);
    sent
}
