//! Whether a disk has what is understood here, and what it has else. Looked at before anything of it is written.

use crate::told;
use abi::Error;
use alloc::vec::Vec;
use core::fmt;
use rsext4::{BlockIo, ErrorContext, Ext4Error, Ext4ErrorKind, FeatureSet, SectorId};

/// Why the file system of a disk is not mounted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// There are zeros where one begins.
    Empty,
    /// It has a table of partitions of this kind.
    Partitions(&'static str),
    /// It has this, or nothing that is known.
    Other(Option<&'static str>),
    /// Features of ext4, by their bits.
    Features(FeatureSet, u32),
    /// An ext4 as it was before names in directories had types (the feature `filetype`).
    NoTypes,
    /// One of the Hurd, whose inodes are others.
    Hurd,
    /// What its journal has, or else: where that was seen.
    Unsupported(&'static str),
    /// It is damaged: what is wrong.
    Damaged(&'static str),
    /// It can not be read, or else.
    Failed(Error),
}
impl Unfit {
    /// As calls of programs answer it.
    pub fn error(self) -> Error {
        match self {
            Unfit::Failed(error) => error,
            Unfit::Damaged(_) => Error::EIO,
            _ => Error::ENOTSUP,
        }
    }
}
impl From<Ext4Error> for Unfit {
    fn from(error: Ext4Error) -> Unfit {
        match (error.kind(), error.context()) {
            (_, Some(ErrorContext::Feature { set, bits })) => Unfit::Features(set, bits),
            (Ext4ErrorKind::Io | Ext4ErrorKind::NoMemory, _) => Unfit::Failed(told(error)),
            (Ext4ErrorKind::Unsupported, Some(ErrorContext::Operation { op })) => Unfit::Unsupported(op),
            (Ext4ErrorKind::ChecksumMismatch, _) => Unfit::Damaged("a checksum"),
            (_, Some(ErrorContext::Operation { op })) => Unfit::Damaged(op),
            (Ext4ErrorKind::Corrupted | Ext4ErrorKind::BadSuperblock, _) => Unfit::Damaged("its tables"),
            _ => Unfit::Failed(told(error)),
        }
    }
}
impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Unfit::Empty => f.write_str("there is nothing on it"),
            Unfit::Partitions(kind) => {
                write!(f, "it has partitions ({kind}), where a file system of the whole disk is wanted")
            }
            Unfit::Other(Some(what)) => write!(f, "it has {what}, not ext4"),
            Unfit::Other(None) => f.write_str("there is no ext4 on it"),
            Unfit::Features(set, bits) => {
                f.write_str("its ext4 has what is not supported:")?;
                (0..u32::BITS).map(|bit| 1 << bit).filter(|bit| bits & bit != 0).try_for_each(|bit| {
                    match FEATURES.iter().find(|known| (known.0, known.1) == (*set, bit)) {
                        Some((.., name)) => write!(f, " {name}"),
                        None => write!(f, " {set:?} {bit:#x}"),
                    }
                })
            }
            Unfit::NoTypes => {
                f.write_str("its ext4 is of an old form: `tune2fs -O filetype`, then `e2fsck -f`, make it a new one")
            }
            Unfit::Hurd => f.write_str("its ext4 is the Hurd's"),
            Unfit::Unsupported(what) => write!(f, "its ext4 has what is not supported: {what}"),
            Unfit::Damaged(what) => write!(f, "its ext4 is damaged ({what}): `e2fsck` may mend it"),
            Unfit::Failed(error) => f.write_str(error.text()),
        }
    }
}
/// Features by the names that e2fsprogs has for them (`ext4(5)`).
const FEATURES: &[(FeatureSet, u32, &str)] = {
    use FeatureSet::{Incompatible as I, ReadOnlyCompatible as R};
    &[
        (I, 0x1, "compression"),
        (I, 0x8, "journal_dev"),
        (I, 0x10, "meta_bg"),
        (I, 0x400, "ea_inode"),
        (I, 0x1000, "dirdata"),
        (I, 0x4000, "large_dir"),
        (I, 0x8000, "inline_data"),
        (I, 0x1_0000, "encrypt"),
        (I, 0x2_0000, "casefold"),
        (R, 0x80, "has_snapshot"),
        (R, 0x100, "quota"),
        (R, 0x200, "bigalloc"),
        (R, 0x800, "replica"),
        (R, 0x1000, "read-only"),
        (R, 0x4000, "shared_blocks"),
        (R, 0x8000, "verity"),
        (R, 0x1_0000, "orphan_present"),
    ]
};
/// What else begins a disk: the byte at which it says so, what it says, and what it is.
const OTHERS: &[(usize, &[u8], &str)] = &[
    (0, b"XFSB", "XFS"),
    (0, b"hsqs", "squashfs"),
    (0, b"LUKS\xba\xbe", "an encrypted volume (LUKS)"),
    (3, b"NTFS    ", "NTFS"),
    (3, b"EXFAT   ", "exFAT"),
    (54, b"FAT", "FAT"),
    (82, b"FAT32", "FAT"),
    (512, b"LABELONE", "a physical volume (LVM)"),
    (1024, b"H+\0\x04", "HFS+"),
    (1024, &0xf2f5_2010u32.to_le_bytes(), "F2FS"),
    (4086, b"SWAPSPACE2", "swap space"),
    (32_769, b"CD001", "ISO 9660"),
    (65_600, b"_BHRfS_M", "btrfs"),
];
/// Bytes that are looked at; those in which all of [`OTHERS`] are; and where the superblock is.
const START: usize = 4096;
const FAR: usize = 68 << 10;
const SUPERBLOCK: usize = 1024;
/// Words of it, by their places (ext4's disk layout, "Super Block").
const MAGIC: usize = SUPERBLOCK + 56;
const CREATOR: usize = SUPERBLOCK + 72;
const REVISION: usize = SUPERBLOCK + 76;
const INCOMPATIBLE: usize = SUPERBLOCK + 96;
/// Their values.
const EXT: [u8; 2] = 0xef53u16.to_le_bytes();
const HURD: u32 = 1;
const LAST_REVISION: u32 = 1;
const FILETYPE: u32 = 2;
const JOURNAL_DEVICE: u32 = 8;
const IS_64_BIT: u32 = 0x80;

/// Looks at the first bytes of a disk.
pub(crate) fn look<D: BlockIo>(disk: &mut D) -> Result<(), Unfit> {
    let geometry = disk.geometry();
    let sector = u64::from(geometry.logical_block_size);
    let start = first(disk, START)?;
    let word = |at: usize| u32::from_le_bytes([start[at], start[at + 1], start[at + 2], start[at + 3]]);
    if start[MAGIC..MAGIC + 2] != EXT {
        return Err(else_there(&first(disk, FAR)?));
    }
    if word(CREATOR) == HURD {
        return Err(Unfit::Hurd);
    }
    if word(REVISION) > LAST_REVISION {
        return Err(Unfit::Damaged("its revision"));
    }
    // A journal by itself has no directories.
    if word(INCOMPATIBLE) & (FILETYPE | JOURNAL_DEVICE) == 0 {
        return Err(Unfit::NoTypes);
    }
    let bytes = geometry.block_count.saturating_mul(sector);
    contradiction(word, bytes).map_or(Ok(()), |what| Err(Unfit::Damaged(what)))
}
/// The first bytes of a disk, so many; zeros behind its end.
fn first<D: BlockIo>(disk: &mut D, bytes: usize) -> Result<Vec<u8>, Unfit> {
    let geometry = disk.geometry();
    let sector = geometry.logical_block_size.max(1) as usize;
    let count = bytes.div_ceil(sector).min(geometry.block_count as usize);
    let mut all = alloc::vec![0; count * sector];
    for (at, piece) in all.chunks_mut(START.max(sector)).enumerate() {
        let place = at * START.max(sector) / sector;
        disk.read(piece, SectorId::new(place as u64), (piece.len() / sector) as u32)?;
    }
    all.resize(bytes.max(count * sector), 0);
    Ok(all)
}
/// In which of its numbers a superblock, whose words are these, contradicts itself, or a disk of so many bytes: where e2fsck would mend it first, and the mount
/// does not look. What else they say the mount looks at.
fn contradiction(word: impl Fn(usize) -> u32, bytes: u64) -> Option<&'static str> {
    let number = |at: usize| u64::from(word(SUPERBLOCK + at));
    let high = |at: usize| if word(INCOMPATIBLE) & IS_64_BIT == 0 { 0 } else { number(at) << 32 };
    let block = 1024u64.checked_shl(word(SUPERBLOCK + 24)).filter(|block| *block <= 65_536);
    let Some(block) = block.filter(|block| *block >= 1024) else { return Some("its block size") };
    let (inodes, blocks, reserved) = (number(0), number(4) | high(336), number(8) | high(340));
    let (first, in_group, inodes_in_group) = (number(20), number(32), number(40));
    if in_group == 0 || first >= blocks {
        return Some("its groups");
    }
    if inodes != inodes_in_group.saturating_mul((blocks - first).div_ceil(in_group)) || inodes == 0 {
        return Some("its number of inodes");
    }
    if reserved > blocks {
        return Some("its reserved blocks");
    }
    (blocks.saturating_mul(block) > bytes).then_some("it is larger than its disk")
}
/// What begins like this, and is no ext4.
fn else_there(start: &[u8]) -> Unfit {
    if start[512..].starts_with(b"EFI PART") {
        return Unfit::Partitions("GPT");
    }
    if let Some((.., name)) = OTHERS.iter().find(|(at, says, _)| start[*at..].starts_with(says)) {
        return Unfit::Other(Some(name));
    }
    // Four entries of 16 bytes, each of which is in use or not, and 55 aa behind them.
    let entries = || start[446..510].chunks(16);
    if start[510..512] == [0x55, 0xaa]
        && entries().all(|entry| entry[0] & 0x7f == 0)
        && entries().any(|entry| entry[4] != 0)
    {
        return Unfit::Partitions("MBR");
    }
    if start.iter().all(|byte| *byte == 0) { Unfit::Empty } else { Unfit::Other(None) }
}
