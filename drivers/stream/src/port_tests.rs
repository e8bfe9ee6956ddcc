//! Ports that do what they should, and devices that lie.

use super::*;
use abi::console::PORT_NUMBER;
use virtio::DeviceType;
use virtio::fake::{Fake, Memory};

fn device() -> Fake {
    Fake::new(DeviceType::Console, Features::PORTS.bits(), &[])
}
/// The device says something.
fn says(device: &Fake, n: usize, what: &[u8]) {
    let token = device.available(CONTROL_RECEIVE)[n];
    device.write(CONTROL_RECEIVE, token, what);
    device.give_back(CONTROL_RECEIVE, token, what.len() as u32);
}
/// What the device was told, and gave back.
fn told(device: &Fake, from: usize) -> Vec<Vec<u8>> {
    let tokens = device.available(CONTROL_TRANSMIT).split_off(from);
    let told = tokens.iter().map(|&token| device.buffers(CONTROL_TRANSMIT, token).concat()).collect();
    tokens.iter().for_each(|&token| device.give_back(CONTROL_TRANSMIT, token, 0));
    told
}
fn port() -> (Port<Memory, Fake>, Fake) {
    let device = device();
    let mut port = Port::new(device.clone()).unwrap();
    says(&device, 0, &message(PORT_NUMBER, PORT_ADD, 1));
    assert_eq!(port.is_open(), Ok(true));
    (port, device)
}
fn send(port: &mut Port<Memory, Fake>, bytes: &[u8]) -> Option<()> {
    let fill = |buffer: &mut [u8]| {
        buffer[..bytes.len()].copy_from_slice(bytes);
        (bytes.len(), ())
    };
    port.send(fill).unwrap()
}
#[test]
fn the_port_is_opened_when_the_device_says_that_it_is_there() {
    let device = device();
    let mut port = Port::<Memory, _>::new(device.clone()).unwrap();
    assert_eq!((port.is_open(), told(&device, 0)), (Ok(false), vec![message(u32::MAX, DEVICE_READY, 1).to_vec()]));
    // Another one, and what nobody knows.
    says(&device, 0, &message(0, PORT_ADD, 1));
    says(&device, 1, &message(PORT_NUMBER, 77, 1));
    assert_eq!(port.is_open(), Ok(false));
    says(&device, 2, &[&message(PORT_NUMBER, PORT_ADD, 0)[..], b"name"].concat());
    // Said twice, it is opened once.
    says(&device, 3, &message(PORT_NUMBER, PORT_ADD, 0));
    assert_eq!(port.is_open(), Ok(true));
    let opened = [PORT_READY, PORT_OPEN].map(|event| message(PORT_NUMBER, event, 1).to_vec());
    assert_eq!(told(&device, 1), opened);
    // Each buffer for messages is lent anew.
    assert_eq!(device.available(CONTROL_RECEIVE).len(), MESSAGES + 4);
}
#[test]
fn a_device_without_ports_is_refused() {
    let device = Fake::new(DeviceType::Console, 0, &[]);
    assert_eq!(Port::<Memory, _>::new(device).err(), Some(Lie::Queue));
}
#[test]
fn a_device_that_talks_on_and_on_is_not_answered_for_ever() {
    let (mut port, device) = port();
    for n in 1..200 {
        let token = *device.available(CONTROL_RECEIVE).last().unwrap();
        device.write(CONTROL_RECEIVE, token, &message(PORT_NUMBER, PORT_ADD, n));
        device.give_back(CONTROL_RECEIVE, token, 8);
        assert_eq!(port.is_open(), Ok(true));
    }
    assert_eq!(device.available(CONTROL_TRANSMIT).len(), 3);
}
#[test]
fn input_arrives_in_its_order_and_buffers_are_lent_anew() {
    let (mut port, device) = port();
    let lent = device.available(RECEIVE);
    assert_eq!(lent.len(), BUFFERS);
    for (token, bytes) in lent.iter().zip([&b"some "[..], b"input"]) {
        device.write(RECEIVE, *token, bytes);
        device.give_back(RECEIVE, *token, bytes.len() as u32);
    }
    let mut all = Vec::new();
    port.receive(|bytes| all.extend_from_slice(bytes)).unwrap();
    assert_eq!((&all[..], device.available(RECEIVE).len()), (&b"some input"[..], BUFFERS + 2));
}
#[test]
fn what_the_host_does_not_take_waits_here() {
    let (mut port, device) = port();
    for n in 0..BUFFERS {
        assert_eq!(send(&mut port, &[n as u8; 9]), Some(()));
    }
    assert_eq!((send(&mut port, b"more"), port.is_drained()), (None, Ok(false)));
    let lent = device.available(TRANSMIT);
    let sent: Vec<_> = lent.iter().map(|&token| device.buffers(TRANSMIT, token).concat()).collect();
    assert_eq!(sent, (0..BUFFERS as u8).map(|n| vec![n; 9]).collect::<Vec<_>>());
    device.give_back(TRANSMIT, lent[0], 0);
    assert_eq!(send(&mut port, b"more"), Some(()));
    for &token in &device.available(TRANSMIT)[1..] {
        device.give_back(TRANSMIT, token, 0);
    }
    assert_eq!(port.is_drained(), Ok(true));
}
#[test]
fn a_device_that_tells_an_impossible_length_has_lied() {
    let (mut port, device) = port();
    device.give_back(RECEIVE, device.available(RECEIVE)[0], BUFFER as u32 + 1);
    assert!(matches!(port.receive(|_| {}), Err(Lie::Length { .. })));
    device.give_back(CONTROL_RECEIVE, device.available(CONTROL_RECEIVE)[1], 7);
    assert!(matches!(port.is_open(), Err(Lie::Length { .. })));
}
#[test]
fn a_device_that_gives_back_what_it_does_not_have_has_lied() {
    for queue in [RECEIVE, TRANSMIT, CONTROL_RECEIVE] {
        let (mut port, device) = port();
        device.give_back(queue, 7777, 0);
        let told = [port.receive(|_| {}).err(), port.is_drained().err(), port.is_open().err()];
        assert!(told.iter().flatten().any(|lie| matches!(lie, Lie::Descriptor(_))), "{queue}");
    }
}
