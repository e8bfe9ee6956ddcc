//! The checksums of TCP and UDP (RFC 1071), eight bytes at a time. A processor that reads no word from where it is not aligned makes
//! smoltcp's own, which go by pairs of bytes, the larger part of what a long segment costs; so the stack leaves them to its link, as it would to
//! a card that can do this.

/// Where a frame's TCP segment or UDP datagram is.
struct Segment {
    /// Sum of the pseudo-header (RFC 9293, section 3.1; RFC 8200, section 8.1).
    pseudo: u32,
    start: usize,
    end: usize,
    /// Of the checksum, from the start on.
    field: usize,
    udp: bool,
}
const ETHERNET: usize = 14;
const IPV4: [u8; 2] = [0x08, 0x00];
const IPV6: [u8; 2] = [0x86, 0xdd];
const HOP_BY_HOP: u8 = 0;
const TCP: u8 = 6;
const UDP: u8 = 17;

/// Pairs of bytes, added; the last one may lack a byte. The order within a pair is this machine's: a sum has the same (RFC 1071, section 2).
fn pairs(bytes: &[u8]) -> u32 {
    bytes.chunks(2).map(|pair| u16::from_le_bytes([pair[0], pair.get(1).copied().unwrap_or(0)]) as u32).sum()
}
fn fold(mut sum: u64) -> u16 {
    while sum > 0xffff {
        sum = (sum >> 16) + (sum & 0xffff);
    }
    sum as u16
}
/// The sum of all pairs.
fn sum(bytes: &[u8]) -> u16 {
    // SAFETY: any eight bytes are a word.
    let (before, words, after) = unsafe { bytes.align_to::<u64>() };
    // Of words the sum, and that of their upper halves, from which that of the lower ones follows: no carry is looked at. Carried out they
    // are with what is left of them: 2^32 is 1 here.
    let (mut all, mut upper) = (0u64, 0u64);
    let (blocks, others) = words.as_chunks::<8>();
    let mut add = |word: &u64| {
        all = all.wrapping_add(u64::from_le(*word));
        upper += u64::from_le(*word) >> 32;
    };
    blocks.iter().flatten().for_each(&mut add);
    others.iter().for_each(&mut add);
    let lower = all.wrapping_sub(upper << 32);
    let rest = fold(fold(lower) as u64 + fold(upper) as u64 + pairs(after) as u64);
    // Behind an odd number of bytes the pairs are of other bytes.
    let rest = if before.len() % 2 == 1 { rest.swap_bytes() } else { rest };
    fold(pairs(before) as u64 + rest as u64)
}
/// The segment of a frame; `None`: it has none, or is not all there, or a fragment, which the stack does not take.
fn segment(frame: &[u8]) -> Option<Segment> {
    let packet = frame.get(ETHERNET..)?;
    let word = |at: usize| Some(u16::from_be_bytes([*packet.get(at)?, *packet.get(at + 1)?]) as usize);
    let (addresses, protocol, start, end) = match [frame[12], frame[13]] {
        IPV4 => {
            if word(6)? & 0x3fff != 0 {
                return None;
            }
            (packet.get(12..20)?, packet[9], (packet[0] & 15) as usize * 4, word(2)?)
        }
        IPV6 => {
            let (next, end) = (*packet.get(6)?, 40 + word(4)?);
            match next {
                HOP_BY_HOP => (packet.get(8..40)?, *packet.get(40)?, 48 + *packet.get(41)? as usize * 8, end),
                next => (packet.get(8..40)?, next, 40, end),
            }
        }
        _ => return None,
    };
    let field = match protocol {
        TCP => 16,
        UDP => 6,
        _ => return None,
    };
    let length = end.checked_sub(start).filter(|length| *length >= field + 2)?;
    packet.get(start..end)?;
    let pseudo = sum(addresses) as u32 + u16::to_be(protocol as u16) as u32 + pairs(&(length as u16).to_be_bytes());
    Some(Segment { pseudo, start: ETHERNET + start, end: ETHERNET + end, field, udp: protocol == UDP })
}
/// Fills in the checksum of a frame that goes out, whose field is 0.
pub fn fill(frame: &mut [u8]) {
    let Some(Segment { pseudo, start, end, field, udp }) = segment(frame) else { return };
    let sum = !fold(pseudo as u64 + sum(&frame[start..end]) as u64);
    // Of UDP, 0 says that there is none.
    let sum = if udp && sum == 0 { u16::MAX } else { sum };
    frame[start + field..][..2].copy_from_slice(&sum.to_le_bytes());
}
/// Whether the checksum of a frame that has come is right, where it has one.
pub fn is_right(frame: &[u8]) -> bool {
    let Some(Segment { pseudo, start, end, field, udp }) = segment(frame) else { return true };
    let none = udp && frame[12..14] == IPV4 && frame[start + field..][..2] == [0, 0];
    none || fold(pseudo as u64 + sum(&frame[start..end]) as u64) == u16::MAX
}

#[cfg(test)]
mod tests {
    use super::*;
    use smoltcp::phy::ChecksumCapabilities;
    use smoltcp::wire::{
        EthernetFrame, EthernetProtocol, IpAddress, IpProtocol, IpRepr, Ipv4Address, Ipv6Address, UdpPacket, UdpRepr,
    };

    /// A frame with a datagram, as smoltcp makes it, checksum included.
    fn datagram(six: bool, bytes: usize) -> Vec<u8> {
        let payload: Vec<u8> = (0..bytes).map(|n| (n * 37 + 200) as u8).collect();
        let udp = UdpRepr { src_port: 0xfedc, dst_port: 53 };
        let (from, to): (IpAddress, IpAddress) = match six {
            true => (Ipv6Address::new(0xfec0, 0, 0, 0, 1, 2, 3, 0xffff).into(), Ipv6Address::LOCALHOST.into()),
            false => (Ipv4Address::new(10, 0, 2, 15).into(), Ipv4Address::new(255, 254, 253, 252).into()),
        };
        let length = udp.header_len() + bytes;
        let ip = IpRepr::new(from, to, IpProtocol::Udp, length, 64);
        let mut frame = vec![0; ETHERNET + ip.header_len() + length];
        let kind = if six { EthernetProtocol::Ipv6 } else { EthernetProtocol::Ipv4 };
        EthernetFrame::new_unchecked(&mut frame[..]).set_ethertype(kind);
        ip.emit(&mut frame[ETHERNET..], &ChecksumCapabilities::default());
        let mut packet = UdpPacket::new_unchecked(&mut frame[ETHERNET + ip.header_len()..]);
        let checksums = ChecksumCapabilities::default();
        udp.emit(&mut packet, &from, &to, bytes, |room| room.copy_from_slice(&payload), &checksums);
        frame
    }
    #[test]
    fn checksums_are_smoltcps_at_every_length_and_place() {
        for six in [false, true] {
            for bytes in (0..40).chain([511, 1400]) {
                let right = datagram(six, bytes);
                for place in 0..8 {
                    let mut room = vec![0; place + right.len()];
                    let frame = &mut room[place..];
                    frame.copy_from_slice(&right);
                    assert!(is_right(frame));
                    let start = ETHERNET + if six { 40 } else { 20 };
                    frame[start + 6..start + 8].fill(0);
                    fill(frame);
                    assert_eq!(frame, right, "{bytes} bytes at {place}");
                    let last = frame.len() - 1;
                    frame[last] ^= 0x10;
                    assert!(!is_right(frame), "{bytes} bytes at {place}, one bit is another");
                }
            }
        }
    }
    #[test]
    fn a_datagram_of_ipv4_may_have_none() {
        let mut frame = datagram(false, 20);
        frame[ETHERNET + 26..ETHERNET + 28].fill(0);
        assert!(is_right(&frame));
        let mut frame = datagram(true, 20);
        frame[ETHERNET + 46..ETHERNET + 48].fill(0);
        assert!(!is_right(&frame));
    }
    #[test]
    fn frames_that_are_cut_off_anywhere_are_left_to_the_stack() {
        for six in [false, true] {
            let mut frame = datagram(six, 30);
            for length in ETHERNET..frame.len() {
                is_right(&frame[..length]);
                fill(&mut frame.clone()[..length]);
            }
            for at in 12..ETHERNET + 48 {
                for value in 0..=255 {
                    let before = std::mem::replace(&mut frame[at], value);
                    is_right(&frame);
                    fill(&mut frame.clone());
                    frame[at] = before;
                }
            }
        }
    }
}
