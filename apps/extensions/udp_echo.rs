//! Sends datagrams for port 7 back to where they came from (RFC 862), before TCP/IP sees them.
#![no_std]
use packets::Verdict;

/// Where Ethernet's type is, then of IPv4 version with length, of fragments the place, protocol, addresses; and UDP's ports.
const ETHERNET_TYPE: usize = 12;
const IP: usize = 14;
const FRAGMENT: usize = 20;
const PROTOCOL: usize = 23;
const ADDRESSES: usize = 26;
const PORTS: usize = 34;

/// Exchanges the two parts of `bytes`.
fn exchange(bytes: &mut [u8]) {
    let middle = bytes.len() / 2;
    let (one, other) = bytes.split_at_mut(middle);
    one.swap_with_slice(other);
}
pub fn arrived(frame: &mut [u8]) -> Verdict {
    let is_echo = frame.len() >= PORTS + 8
        && frame[ETHERNET_TYPE..IP] == [8, 0]
        // No options, and the whole of a datagram.
        && frame[IP] == 0x45
        && (frame[FRAGMENT] & 0x3f, frame[FRAGMENT + 1]) == (0, 0)
        && frame[PROTOCOL] == 17
        && frame[PORTS + 2..PORTS + 4] == [0, 7]
        // To this machine alone, and not from another's port for echoes: they would never end.
        && frame[0] & 1 == 0
        && frame[PORTS..PORTS + 2] != [0, 7];
    if !is_echo {
        return Verdict::Pass;
    }
    // No sum of words changes by that.
    exchange(&mut frame[..ETHERNET_TYPE]);
    exchange(&mut frame[ADDRESSES..ADDRESSES + 8]);
    exchange(&mut frame[PORTS..PORTS + 4]);
    Verdict::Return
}
