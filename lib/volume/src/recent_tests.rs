//! What is kept of the disk is what the disk has.

use super::recent::Recent;
use super::tests::{NEW, READ, both, empty, mount};
use super::*;

/// Reads and writes of many lengths, some of which overlap in part, and some of which fail.
#[test]
fn what_is_kept_is_what_the_disk_has() {
    let mut disk = empty();
    let mut recent = Recent::new(disk.clone());
    let mut seed = 1u64;
    let mut next = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    for turn in 0..20_000u32 {
        let (sector, sectors) = (SectorId::new(next(96)), [1, 2, 8, 16][next(4) as usize]);
        let length = sectors as usize * 512;
        if next(3) > 0 {
            let (mut seen, mut there) = (vec![0; length], vec![1; length]);
            recent.read(&mut seen, sector, sectors).unwrap();
            disk.read(&mut there, sector, sectors).unwrap();
            assert_eq!(seen, there, "turn {turn}");
        } else if next(4) > 0 {
            recent.write(&vec![turn as u8; length], sector, sectors).unwrap();
        } else {
            disk.power(0);
            assert!(recent.write(&vec![turn as u8; length], sector, sectors).is_err());
            disk.power(usize::MAX);
            // As much of it as came to the disk.
            disk.write(&[turn as u8; 512], sector, 1).unwrap();
        }
    }
}
#[test]
fn a_name_that_comes_and_goes_reads_nothing_again() {
    for disk in both() {
        let mut volume = mount(&disk);
        let once = |volume: &mut Volume<_, _>| {
            let open = volume.open("new", NEW, Owner::NOBODY).unwrap();
            volume.close(open).unwrap();
            volume.unlink("new").unwrap();
        };
        once(&mut volume);
        READ.take();
        for _ in 0..20 {
            once(&mut volume);
        }
        assert_eq!(READ.take(), []);
    }
}
