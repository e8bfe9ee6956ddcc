//! Cards that do what they should, and cards that lie.

use super::*;
use virtio::DeviceType;
use virtio::fake::{Fake, Memory, configuration};

const ADDRESS: [u8; 6] = [0x52, 0x54, 0, 0x12, 0x34, 0x56];

fn device(address: [u8; 6]) -> Fake {
    Fake::new(DeviceType::Network, Features::ADDRESS.bits(), &configuration(&address))
}
fn card() -> (Card<Memory, Fake>, Fake) {
    let device = device(ADDRESS);
    (Card::new(device.clone()).unwrap(), device)
}
/// A frame comes in by the buffer that was lent next; `told`: bytes that the card says to have written.
fn arrive(device: &Fake, n: usize, frame: &[u8], told: usize) {
    let token = device.available(RECEIVE)[n];
    let mut bytes = vec![0; HEADER];
    bytes.extend(frame);
    device.write(RECEIVE, token, &bytes);
    device.give_back(RECEIVE, token, told as u32);
}
#[test]
fn frames_come_in_and_go_out() {
    let (mut card, device) = card();
    assert_eq!(card.address(), ADDRESS);
    let mut out = vec![0; 8 * 4096];
    assert_eq!(card.receive(&mut out), Ok(0));
    let frames: Vec<Vec<u8>> = (0..3u8).map(|n| vec![n; 60 + 500 * n as usize]).collect();
    for (n, frame) in frames.iter().enumerate() {
        arrive(&device, n, frame, HEADER + frame.len());
    }
    let filled = card.receive(&mut out).unwrap();
    assert_eq!(abi::network::frames(&out[..filled]).collect::<Vec<_>>(), frames);
    // Each buffer is lent anew.
    assert_eq!(device.available(RECEIVE).len(), FRAMES + 3);
    assert_eq!(card.send(&frames[2]), Ok(Some(FRAMES - 1)));
    let sent = device.buffers(TRANSMIT, device.available(TRANSMIT)[0]);
    assert_eq!(sent[0][HEADER..], frames[2]);
}
#[test]
fn who_has_no_room_to_send_is_told_when_there_is_some() {
    let (mut card, device) = card();
    let frame = [7; 100];
    for left in (0..FRAMES).rev() {
        assert_eq!(card.send(&frame), Ok(Some(left)));
    }
    assert_eq!((card.send(&frame), card.room_again()), (Ok(None), Ok(false)));
    for token in device.available(TRANSMIT) {
        device.give_back(TRANSMIT, token, 0);
    }
    assert_eq!((card.room_again(), card.send(&frame)), (Ok(true), Ok(Some(FRAMES - 1))));
}
#[test]
fn a_card_that_tells_an_impossible_length_has_lied() {
    for told in [0, HEADER, HEADER + SHORTEST - 1, HEADER + FRAME + 1, BUFFER + 1, u32::MAX as usize] {
        let (mut card, device) = card();
        arrive(&device, 0, &[0; 60], told);
        assert!(matches!(card.receive(&mut [0; 8192]), Err(Lie::Length { .. })), "{told}");
    }
}
#[test]
fn a_card_that_gives_back_what_it_does_not_have_has_lied() {
    for token in [FRAMES as u32, 0x7fff, u32::MAX] {
        let (mut card, device) = card();
        device.give_back(RECEIVE, token, 100);
        assert!(matches!(card.receive(&mut [0; 8192]), Err(Lie::Descriptor(_))), "{token}");
    }
}
#[test]
fn a_card_that_gives_back_twice_what_was_sent_once_has_lied() {
    let (mut card, device) = card();
    for _ in 0..FRAMES {
        card.send(&[7; 100]).unwrap();
    }
    let token = device.available(TRANSMIT)[0];
    device.give_back(TRANSMIT, token, 0);
    device.give_back(TRANSMIT, token, 0);
    assert_eq!(card.room_again(), Err(Lie::Descriptor(token as u16)));
}
#[test]
fn a_card_whose_index_runs_away_has_lied_and_keeps_nobody() {
    for count in [1, 1000, u16::MAX] {
        let (mut card, device) = card();
        device.skip(RECEIVE, count);
        // What it skipped says of buffer 0 that nothing was written.
        assert!(matches!(card.receive(&mut [0; 8192]), Err(Lie::Length { .. })), "{count}");
    }
}
#[test]
fn a_card_with_the_address_of_a_group_has_lied() {
    assert_eq!(Card::<Memory, _>::new(device([0xff; 6])).err(), Some(Lie::Answer(0xff)));
}
