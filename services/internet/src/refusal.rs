//! What a router or a machine says of datagrams that it did not take (RFC 792, RFC 4443): ports and protocols that nobody has.

use smoltcp::phy::ChecksumCapabilities;
use smoltcp::wire::{
    EthernetFrame, EthernetProtocol, Icmpv4DstUnreachable, Icmpv4Packet, Icmpv4Repr, Icmpv6DstUnreachable,
    Icmpv6Packet, Icmpv6Repr, IpEndpoint, IpProtocol, Ipv4Packet, Ipv6Packet, UdpPacket,
};

/// The ends of a datagram of this machine's, from and to, that was refused.
pub fn of(frame: &[u8]) -> Option<(IpEndpoint, IpEndpoint)> {
    let frame = EthernetFrame::new_checked(frame).ok()?;
    match frame.ethertype() {
        EthernetProtocol::Ipv4 => {
            let packet = Ipv4Packet::new_checked(frame.payload()).ok()?;
            if packet.next_header() != IpProtocol::Icmp {
                return None;
            }
            let said = Icmpv4Packet::new_checked(packet.payload()).ok()?;
            let Ok(Icmpv4Repr::DstUnreachable { reason, header, data }) =
                Icmpv4Repr::parse(&said, &ChecksumCapabilities::default())
            else {
                return None;
            };
            let is_refused =
                matches!(reason, Icmpv4DstUnreachable::PortUnreachable | Icmpv4DstUnreachable::ProtoUnreachable);
            let ports = ports(data).filter(|_| is_refused && header.next_header == IpProtocol::Udp)?;
            Some((IpEndpoint::new(header.src_addr.into(), ports.0), IpEndpoint::new(header.dst_addr.into(), ports.1)))
        }
        EthernetProtocol::Ipv6 => {
            let packet = Ipv6Packet::new_checked(frame.payload()).ok()?;
            if packet.next_header() != IpProtocol::Icmpv6 {
                return None;
            }
            let said = Icmpv6Packet::new_checked(packet.payload()).ok()?;
            let (from, to) = (packet.src_addr(), packet.dst_addr());
            let Ok(Icmpv6Repr::DstUnreachable { reason: Icmpv6DstUnreachable::PortUnreachable, header, data }) =
                Icmpv6Repr::parse(&from, &to, &said, &ChecksumCapabilities::default())
            else {
                return None;
            };
            let ports = ports(data).filter(|_| header.next_header == IpProtocol::Udp)?;
            Some((IpEndpoint::new(header.src_addr.into(), ports.0), IpEndpoint::new(header.dst_addr.into(), ports.1)))
        }
        _ => None,
    }
}
/// The ports of a datagram, of which only the head may be there.
fn ports(data: &[u8]) -> Option<(u16, u16)> {
    let head = data.get(..smoltcp::wire::UDP_HEADER_LEN)?;
    let head = UdpPacket::new_unchecked(head);
    Some((head.src_port(), head.dst_port()))
}
