//! Disks that do what they should, and disks that lie.

use super::*;
use virtio::DeviceType;
use virtio::fake::{Fake, Memory, configuration};

fn disk() -> (Disk<Memory, Fake>, Fake) {
    let device = Fake::new(DeviceType::Block, Features::FLUSH.bits(), &configuration(&1000u64.to_le_bytes()));
    (Disk::new(device.clone()).unwrap(), device)
}
/// The device ends the request that it was given last.
fn end(device: &Fake, answer: u8, written: u32) {
    let token = *device.available(0).last().unwrap();
    device.write_last(0, token, &[answer]);
    device.give_back(0, token, written);
}
#[test]
fn what_is_written_is_what_the_disk_was_given() {
    let (mut disk, device) = disk();
    assert_eq!(disk.sectors(), 1000);
    disk.data().unwrap()[..SECTOR].fill(9);
    disk.write(77, SECTOR).unwrap();
    assert!(disk.is_busy() && disk.data().is_none() && disk.finish() == Ok(None));
    let parts = device.buffers(0, device.available(0)[0]);
    assert_eq!((&parts[0][..4], &parts[0][8..]), (&WRITE.to_le_bytes()[..], &77u64.to_le_bytes()[..]));
    assert_eq!((&parts[1][..], parts[2].len()), (&[9; SECTOR][..], 1));
    end(&device, DONE, 1);
    assert_eq!(disk.finish(), Ok(Some(Outcome::Done)));
    assert!(disk.flush().unwrap());
    end(&device, FAILED, 1);
    assert_eq!((disk.finish(), disk.is_busy()), (Ok(Some(Outcome::Failed)), false));
}
#[test]
fn disks_that_can_not_be_used_are_told_of() {
    let with = |features: Features, bytes: u32| {
        let mut told = vec![0; 24];
        told[..8].copy_from_slice(&1000u64.to_le_bytes());
        told[20..].copy_from_slice(&bytes.to_le_bytes());
        let features = (Features::FLUSH | features).bits();
        let disk: Disk<Memory, Fake> =
            Disk::new(Fake::new(DeviceType::Block, features, &configuration(&told))).unwrap();
        disk.unfit().map(|why| why.to_string())
    };
    assert_eq!(with(Features::READ_ONLY, 512).as_deref(), Some("the disk can not be written"));
    let said = "the disk has blocks of 4096 bytes, where 512 are wanted";
    assert_eq!(with(Features::BLOCK_SIZE, 4096).as_deref(), Some(said));
    assert_eq!(with(Features::BLOCK_SIZE, 512), None);
    // Where it does not say so there is nothing to read.
    assert_eq!(with(Features::empty(), 4096), None);
}
#[test]
fn what_lies_beyond_the_disk_is_not_asked_for() {
    let (disk, _) = disk();
    assert!(disk.has(999, SECTOR) && !disk.has(999, 2 * SECTOR) && !disk.has(u64::MAX, SECTOR));
    assert!(!disk.has(0, 0) && !disk.has(0, SECTOR + 1) && !disk.has(0, MOST + SECTOR));
}
#[test]
fn a_disk_whose_answer_means_nothing_has_lied() {
    for answer in [3, 0x80, NOTHING] {
        let (mut disk, device) = disk();
        disk.read(0, SECTOR).unwrap();
        end(&device, answer, SECTOR as u32 + 1);
        assert_eq!(disk.finish(), Err(Lie::Answer(answer)));
    }
}
#[test]
fn a_disk_that_ends_what_it_was_not_given_has_lied() {
    for token in [1, 7, 0x7fff, u32::MAX] {
        let (mut disk, device) = disk();
        disk.read(0, SECTOR).unwrap();
        device.give_back(0, token, 1);
        assert!(matches!(disk.finish(), Err(Lie::Descriptor(_))), "{token}");
    }
    // The same with nothing to do, and twice.
    let (mut disk, device) = disk();
    device.skip(0, 1);
    assert_eq!(disk.finish(), Err(Lie::Descriptor(0)));
    let (mut disk, device) = self::disk();
    disk.read(0, SECTOR).unwrap();
    end(&device, DONE, SECTOR as u32 + 1);
    end(&device, DONE, SECTOR as u32 + 1);
    assert_eq!(disk.finish(), Ok(Some(Outcome::Done)));
    assert!(matches!(disk.finish(), Err(Lie::Descriptor(_))));
}
