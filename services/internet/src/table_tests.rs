//! Whose frames are.

use super::*;
use alloc::vec;
use smoltcp::socket::udp;
use smoltcp::wire::IpListenEndpoint;

fn listener(port: u16) -> tcp::Socket<'static> {
    let buffer = || tcp::SocketBuffer::new(vec![0; 64]);
    let mut socket = tcp::Socket::new(buffer(), buffer());
    socket.listen(IpListenEndpoint { addr: None, port }).unwrap();
    socket
}
fn datagrams(port: u16) -> udp::Socket<'static> {
    let buffer = || udp::PacketBuffer::new(vec![udp::PacketMetadata::EMPTY; 1], vec![0; 64]);
    let mut socket = udp::Socket::new(buffer(), buffer());
    socket.bind(port).unwrap();
    socket
}
/// A frame from port 1000 of one machine to this port of another, with so many words of options.
fn frame(six: bool, protocol: u8, port: u16, options: usize) -> Vec<u8> {
    let mut frame = vec![0; ETHERNET];
    frame[KIND..].copy_from_slice(if six { &[0x86, 0xdd] } else { &[8, 0] });
    let mut head = if six { vec![0; 40] } else { vec![0; 20 + 4 * options] };
    head[0] = if six { 0x60 } else { 0x45 + options as u8 };
    head[if six { 6 } else { 9 }] = protocol;
    let end = if six { 40 } else { 20 };
    head[end - 1] = 7;
    frame.extend(head);
    frame.extend(1000u16.to_be_bytes());
    frame.extend(port.to_be_bytes());
    frame.extend([0; 16]);
    frame
}
#[test]
fn a_frame_is_of_who_has_its_port_by_its_protocol() {
    let mut table = Table::new();
    let web = table.add(listener(80)).unwrap();
    let echo = table.add(datagrams(7)).unwrap();
    let other = table.add(listener(7)).unwrap();
    for six in [false, true] {
        for options in [0, 3] {
            let mut of =
                |protocol, port| Flow::of(&frame(six, protocol, port, options)).and_then(|flow| table.of(&flow));
            // Twice: the second time it is known.
            for _ in 0..2 {
                assert_eq!((of(6, 80), of(17, 7), of(6, 7)), (Some(web), Some(echo), Some(other)));
                assert_eq!((of(6, 81), of(17, 80), of(1, 80)), (None, None, None));
            }
        }
    }
}
#[test]
fn who_is_removed_has_no_frames_and_its_place_is_anothers() {
    let mut table = Table::new();
    let first = table.add(datagrams(7)).unwrap();
    let flow = Flow::of(&frame(false, 17, 7, 0)).unwrap();
    assert_eq!(table.of(&flow), Some(first));
    table.remove(first);
    assert_eq!((table.of(&flow), table.count()), (None, 0));
    let second = table.add(datagrams(8)).unwrap();
    assert_eq!((second, table.of(&flow)), (first, None));
    let third = table.add(datagrams(7)).unwrap();
    assert_eq!((table.of(&flow), table.count()), (Some(third), 2));
}
#[test]
fn frames_that_are_cut_off_or_say_anything_are_nobodys_or_somebodys() {
    for six in [false, true] {
        let whole = frame(six, 6, 80, 0);
        for length in 0..whole.len() {
            let _ = Flow::of(&whole[..length]);
        }
        for at in KIND..whole.len() {
            for value in 0..=255 {
                let mut frame = whole.clone();
                frame[at] = value;
                let _ = Flow::of(&frame);
            }
        }
    }
}
