//! Volumes on disks with a cache, which is lost when the power is cut: but for what happens to have been written.

use super::tests::{Four, Still, get, put};
use super::*;
use outage::{Contents, Cut, Device, cuts};

const BYTES: usize = 32 << 20;
/// Files that a run writes, and how many of the last are there: it removes the others.
const FILES: usize = 30;
const STAY: usize = 4;

fn mount(disk: &Device) -> Result<Volume<Device, Four>> {
    Volume::mount(disk.clone(), Still, Four).map_err(Unfit::error)
}
fn words(n: usize) -> Vec<u8> {
    (0..9000 + n).map(|at| (at * 7 + n) as u8).collect()
}
/// A run: what was on the disk before, the disk, and how much that had been asked when each file was synced.
struct Run {
    first: Contents,
    disk: Device,
    synced: Vec<usize>,
}
impl Run {
    fn of(block_size: u32) -> Run {
        let disk = format_in_blocks(Device::of(Contents::of(vec![0; BYTES])), Still, block_size).unwrap();
        let first = disk.contents();
        let disk = Device::of(first.clone());
        let mut volume = mount(&disk).unwrap();
        let synced = (0..FILES).map(|n| {
            put(&mut volume, &format!("{n}"), &words(n)).unwrap();
            n.checked_sub(STAY).map_or(Ok(()), |old| volume.unlink(&format!("{old}"))).unwrap();
            volume.sync().unwrap();
            disk.asked()
        });
        Run { first, synced: synced.collect(), disk: disk.clone() }
    }
    /// What was synced before a cut must be there; one file may be about to be removed.
    fn look(&self, cut: Cut, disk: &Device) {
        let mut volume = mount(disk).unwrap_or_else(|error| panic!("{cut:?}: {error:?}"));
        let synced = self.synced.partition_point(|asked| *asked <= cut.requests);
        for n in (synced + 1).saturating_sub(STAY)..synced {
            assert!(get(&mut volume, &format!("{n}")) == Ok(words(n)), "file {n} of {synced}, {cut:?}");
        }
        volume.unmount().unwrap_or_else(|error| panic!("{cut:?}: {error:?}"));
    }
}
#[test]
fn what_was_synced_is_there_after_cuts_that_lose_the_disks_cache() {
    for block_size in [SMALL_BLOCK, LARGE_BLOCK] {
        let run = Run::of(block_size);
        let Ok(()) = cuts(&run.first, &run.disk.log(), (300, 1), |cut, contents| {
            run.look(cut, &Device::of(contents));
            Ok::<(), core::convert::Infallible>(())
        });
    }
}
#[test]
fn what_was_synced_is_there_after_cuts_of_the_mount_behind_a_cut() {
    let run = Run::of(SMALL_BLOCK);
    let Ok(()) = cuts(&run.first, &run.disk.log(), (30, 2), |cut, contents| {
        let disk = Device::of(contents.clone());
        run.look(cut, &disk);
        cuts(&contents, &disk.log(), (10, cut.cache), |_, contents| {
            run.look(cut, &Device::of(contents));
            Ok::<(), core::convert::Infallible>(())
        })
    });
}
