//! What is said of disks that are not mounted, and that nothing is written to them.

use crate::tests::{Four, Memory, Still, empty, fresh, mount, put};
use crate::{Unfit, Volume};

/// Mounts a disk with these bytes at these places; why that is refused. Nothing of it has changed then.
fn refused(disk: Memory, changes: &[(usize, &[u8])]) -> Unfit {
    changes.iter().for_each(|(at, bytes)| disk.change(*at, bytes));
    let before = disk.contents();
    let why = Volume::mount(disk.clone(), Still, Four).err().expect("it is refused");
    assert!(disk.contents() == before, "{why}: it was written");
    why
}
/// A superblock's checksum is looked at where the file system says that there is one (`metadata_csum`), so those of these disks are left out.
fn plain(changes: &[(usize, &[u8])]) -> Unfit {
    let disk = fresh();
    let bytes = disk.contents();
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    disk.change(READ_ONLY_COMPATIBLE, &(word(READ_ONLY_COMPATIBLE) & !METADATA_CHECKSUMS).to_le_bytes());
    refused(disk, changes)
}
const INCOMPATIBLE: usize = 1024 + 96;
const READ_ONLY_COMPATIBLE: usize = 1024 + 100;
const METADATA_CHECKSUMS: u32 = 0x400;

#[test]
fn what_is_on_it_else_is_named() {
    assert_eq!(refused(empty(), &[]).to_string(), "there is nothing on it");
    assert_eq!(refused(empty(), &[(100, b"x")]).to_string(), "there is no ext4 on it");
    for (at, bytes, name) in [
        (0, &b"XFSB"[..], "XFS"),
        (3, b"NTFS    ", "NTFS"),
        (82, b"FAT32   ", "FAT"),
        (1024, b"H+\0\x04", "HFS+"),
        (1024, &[0x10, 0x20, 0xf5, 0xf2], "F2FS"),
        (4086, b"SWAPSPACE2", "swap space"),
        (32_769, b"CD001", "ISO 9660"),
        (65_600, b"_BHRfS_M", "btrfs"),
    ] {
        assert_eq!(refused(empty(), &[(at, bytes)]), Unfit::Other(Some(name)));
    }
    let partitions: &[(usize, &[u8])] = &[(446, &[0x80, 0, 2, 0, 0x83]), (510, &[0x55, 0xaa])];
    let said = "it has partitions (MBR), where a file system of the whole disk is wanted";
    assert_eq!(refused(empty(), partitions).to_string(), said);
    // The table that precedes one of the other kind.
    let both: &[(usize, &[u8])] = &[(450, &[0xee]), (510, &[0x55, 0xaa]), (512, b"EFI PART")];
    assert_eq!(refused(empty(), both), Unfit::Partitions("GPT"));
}
#[test]
fn features_that_are_not_supported_are_named() {
    let incompatible = |bits: u32| plain(&[(INCOMPATIBLE, &(bits | 0x42).to_le_bytes())]).to_string();
    assert_eq!(incompatible(0x1_8000), "its ext4 has what is not supported: inline_data encrypt");
    assert_eq!(incompatible(8), "its ext4 has what is not supported: journal_dev");
    assert_eq!(incompatible(1 << 30), "its ext4 has what is not supported: Incompatible 0x40000000");
    let read_only = |bits: u32| plain(&[(READ_ONLY_COMPATIBLE, &bits.to_le_bytes())]).to_string();
    assert_eq!(read_only(0x8203), "its ext4 has what is not supported: bigalloc verity");
}
#[test]
fn forms_that_are_others_are_not_written() {
    assert_eq!(plain(&[(INCOMPATIBLE, &0x40u32.to_le_bytes())]), Unfit::NoTypes);
    assert_eq!(plain(&[(1024 + 72, &1u32.to_le_bytes())]), Unfit::Hurd);
    assert_eq!(plain(&[(1024 + 76, &2u32.to_le_bytes())]), Unfit::Damaged("its revision"));
    // As e2fsck finds it (`check_super_block`): each says what it is.
    for (at, value, what) in [
        (0, 0u32, "its number of inodes"),
        (0, 1 << 20, "its number of inodes"),
        (4, u32::MAX, "its number of inodes"),
        (8, u32::MAX, "its reserved blocks"),
        (20, u32::MAX, "its groups"),
        (24, 9, "its block size"),
        (24, 70, "its block size"),
        (32, 0, "its groups"),
        (32, 1, "its number of inodes"),
        (40, 0, "its number of inodes"),
        (40, 8000, "its number of inodes"),
    ] {
        assert_eq!(plain(&[(1024 + at, &value.to_le_bytes())]), Unfit::Damaged(what), "{at}: {value}");
    }
    // The mount says what is wrong with the first block, and a disk that was cut short is told of.
    assert!(matches!(plain(&[(1024 + 20, &7u32.to_le_bytes())]), Unfit::Damaged(_)));
    let mut volume = mount(&fresh());
    put(&mut volume, "file", b"it is mounted as it is").unwrap();
}
