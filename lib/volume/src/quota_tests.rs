//! Who pays for what on the disk.

use super::tests::{NEW, fresh, get, mount};
use super::*;
use abi::account::{DiskPart, DiskParts};

const PAGE: usize = abi::address::PAGE;

fn parts(pages: [u32; 3]) -> DiskParts {
    let mut parts = DiskParts::default();
    for (n, pages) in pages.into_iter().enumerate() {
        parts.0[n + 1] = DiskPart { owner: 1000 + n as u32, pages };
    }
    parts
}
fn owner(account: usize) -> Owner {
    Owner::of(&parts([0; 3]), account)
}
type Small = Volume<super::tests::Memory, super::tests::Four>;
/// A new disk, of which three accounts may have so much.
fn shared(pages: [u32; 3]) -> Small {
    let mut volume = mount(&fresh());
    volume.share_out(&parts(pages));
    volume
}
/// Pages that the accounts have, as is known from what was done, and as all that is there says.
fn used(volume: &mut Small) -> [u32; 3] {
    let (kept, inodes) = (volume.quotas.used, volume.quotas.inodes);
    volume.count();
    assert_eq!((kept, inodes), (volume.quotas.used, volume.quotas.inodes));
    core::array::from_fn(|n| kept[n + 1])
}
fn write(volume: &mut Small, path: &str, by: usize, pages: usize) -> Result<()> {
    let mut open = volume.open(path, NEW | flags::APPEND, owner(by))?;
    let bytes = vec![by as u8; pages * PAGE];
    let written = volume.write(&mut open, &bytes);
    volume.close(open)?;
    if written? == bytes.len() { Ok(()) } else { Err(Error::EDQUOT) }
}
#[test]
fn who_has_used_its_part_up_is_told_and_all_others_write_on() {
    let mut volume = shared([20, 20, 0]);
    assert_eq!(write(&mut volume, "a", 1, 30), Err(Error::EDQUOT));
    assert_eq!(used(&mut volume)[0], 20);
    assert_eq!(write(&mut volume, "b", 1, 0), Err(Error::EDQUOT));
    assert_eq!(volume.make_directory("c", owner(1)), Err(Error::EDQUOT));
    assert_eq!(write(&mut volume, "d", 2, 10), Ok(()));
    assert_eq!(write(&mut volume, "e", 3, 0), Err(Error::EDQUOT), "it may have nothing");
    volume.unlink("a").unwrap();
    assert_eq!(used(&mut volume), [0, 11, 0]);
    assert_eq!(write(&mut volume, "b", 1, 10), Ok(()));
}
#[test]
fn what_has_its_place_is_written_again_by_who_has_no_room() {
    let mut volume = shared([5, 5, 0]);
    assert_eq!(write(&mut volume, "a", 1, 4), Ok(()));
    for by in [1, 2, 3] {
        let mut open = volume.open("a", flags::READ_WRITE, owner(by)).unwrap();
        assert_eq!(volume.write(&mut open, &[9; 4 * PAGE]), Ok(4 * PAGE));
        volume.close(open).unwrap();
    }
    assert_eq!(get(&mut volume, "a"), Ok(vec![9; 4 * PAGE]));
    assert_eq!(used(&mut volume), [5, 0, 0]);
}
#[test]
fn holes_cost_nothing_until_something_is_in_them() {
    let mut volume = shared([4, 0, 0]);
    let mut open = volume.open("a", NEW, owner(1)).unwrap();
    volume.truncate(&open, 100 * PAGE as u64).unwrap();
    assert_eq!(used(&mut volume)[0], 1);
    let filled = (0..10).take_while(|n| {
        volume.seek(&mut open, (n * 10 * PAGE) as isize, whence::START).unwrap();
        volume.write(&mut open, &[1; PAGE]).is_ok()
    });
    assert_eq!(filled.count(), 3);
    volume.close(open).unwrap();
    assert_eq!(used(&mut volume)[0], 4);
}
#[test]
fn nobody_fills_anothers_part() {
    let mut volume = shared([10, 20, 0]);
    assert_eq!(write(&mut volume, "a", 1, 4), Ok(()));
    assert_eq!(write(&mut volume, "a", 2, 2), Ok(()), "who makes it grow has all of it");
    assert_eq!(used(&mut volume), [0, 7, 0]);
    assert_eq!(write(&mut volume, "b", 2, 11), Ok(()));
    assert_eq!(write(&mut volume, "b", 1, 1), Err(Error::EDQUOT), "it would be more than one may have");
    assert_eq!(used(&mut volume), [0, 19, 0]);
}
#[test]
fn what_is_nobodys_is_no_way_around_a_part() {
    let mut volume = shared([10, 0, 0]);
    let mut open = volume.open("of-the-host", NEW, Owner::NOBODY).unwrap();
    volume.write(&mut open, &[1; 20 * PAGE]).unwrap();
    volume.close(open).unwrap();
    assert_eq!(write(&mut volume, "of-the-host", 1, 1), Err(Error::EDQUOT));
    assert_eq!(used(&mut volume), [0; 3]);
}
#[test]
fn what_is_open_counts_until_it_is_closed() {
    let mut volume = shared([10, 0, 0]);
    let mut open = volume.open("a", NEW, owner(1)).unwrap();
    volume.write(&mut open, &[1; 5 * PAGE]).unwrap();
    volume.unlink("a").unwrap();
    assert_eq!(volume.quotas.used[1], 6);
    assert_eq!(write(&mut volume, "b", 1, 6), Err(Error::EDQUOT));
    volume.unlink("b").unwrap();
    volume.close(open).unwrap();
    assert_eq!(used(&mut volume)[0], 0);
}
#[test]
fn a_part_that_became_smaller_takes_nothing_away() {
    let disk = fresh();
    let mut volume = mount(&disk);
    volume.share_out(&parts([20, 0, 0]));
    write(&mut volume, "a", 1, 15).unwrap();
    volume.unmount().unwrap();
    let mut volume = mount(&disk);
    volume.share_out(&parts([10, 0, 0]));
    volume.count();
    assert_eq!(used(&mut volume)[0], 16);
    assert_eq!(write(&mut volume, "a", 1, 1), Err(Error::EDQUOT));
    let open = volume.open("a", flags::READ_WRITE, owner(1)).unwrap();
    volume.truncate(&open, 5 * PAGE as u64).unwrap();
    volume.close(open).unwrap();
    assert_eq!(write(&mut volume, "a", 1, 1), Ok(()));
}
/// Makes so many long names in a directory, as long as it may; how many.
fn name_files(volume: &mut Small, directory: &str, by: usize, count: usize) -> usize {
    let path = |n| format!("{directory}/{n:0200}");
    (0..count)
        .take_while(|n| volume.open(&path(*n), NEW, owner(by)).map(|open| volume.close(open).unwrap()).is_ok())
        .count()
}
fn unname_files(volume: &mut Small, directory: &str, count: usize) {
    (0..count).for_each(|n| volume.unlink(&format!("{directory}/{n:0200}")).unwrap());
}
#[test]
fn names_that_came_and_went_are_paid_for_as_long_as_their_directory_takes_room() {
    let mut volume = shared([400, 400, 0]);
    let free = volume.space().free;
    let mut directories = 0;
    for n in 0.. {
        let directory = format!("d{n}");
        if volume.make_directory(&directory, owner(1)).is_err() {
            break;
        }
        let named = name_files(&mut volume, &directory, 1, 300);
        unname_files(&mut volume, &directory, named);
        directories += 1;
    }
    let taken = (free - volume.space().free) as usize / PAGE;
    assert!(directories > 5 && (300..=410).contains(&taken), "{directories} directories, {taken} pages");
    assert!((390..=404).contains(&used(&mut volume)[0]));
    (0..directories).for_each(|n| volume.remove_directory(&format!("d{n}")).unwrap());
    assert!(used(&mut volume)[0] < 20, "what is left of them is the root's");
}
#[test]
fn who_makes_anothers_directory_grow_has_it_or_is_refused() {
    let mut volume = shared([400, 400, 3]);
    volume.make_directory("d", owner(1)).unwrap();
    assert_eq!(used(&mut volume)[0], 2);
    assert_eq!(name_files(&mut volume, "d", 3, 10), 0, "it could not have all of it");
    assert_eq!(name_files(&mut volume, "d", 2, 100), 100);
    unname_files(&mut volume, "d", 100);
    let [one, other, _] = used(&mut volume);
    assert!(one == 0 && other > 5, "{one}, {other}");
    volume.remove_directory("d").unwrap();
    assert_eq!(used(&mut volume), [0; 3]);
}
#[test]
fn edquot_a_rename_into_anothers_directory_by_who_has_no_room_for_it() {
    let mut volume = shared([10, 5, 0]);
    volume.make_directory("d", owner(1)).unwrap();
    write(&mut volume, "a", 2, 4).unwrap();
    assert_eq!(volume.rename("a", "d/a", owner(2)), Err(Error::EDQUOT));
    assert_eq!(volume.rename("a", "d/a", owner(1)), Ok(()));
    assert_eq!(used(&mut volume), [2, 5, 0]);
}
#[test]
fn inodes_are_shared_out_as_pages_are() {
    let mut volume = shared([30_000, 10_000, 0]);
    let inodes = volume.files.statfs().free_inodes as usize;
    // Short names, so that the root does not grow much.
    let path = |n| format!("{n}");
    let made = (0..inodes)
        .take_while(|n| volume.open(&path(*n), NEW, owner(1)).map(|o| volume.close(o).unwrap()).is_ok())
        .count();
    // The root, which it has made grow, is one.
    assert_eq!(made, inodes * 3 / 4 - 1);
    assert_eq!(volume.make_directory("d", owner(1)), Err(Error::EDQUOT));
    volume.make_directory("e", owner(2)).unwrap();
    assert_eq!(name_files(&mut volume, "e", 2, inodes), inodes / 4 - 1);
    volume.unlink("7").unwrap();
    assert_eq!(volume.make_directory("d", owner(1)), Ok(()));
    used(&mut volume);
}
#[test]
fn what_each_has_is_what_is_there_whatever_was_done() {
    for seed in 1..4u64 {
        let mut volume = shared([60, 90, 120]);
        let mut random = seed * 0x9E37_79B9;
        let mut below = |most: usize| {
            // xorshift (Marsaglia, 2003).
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            (random >> 20) as usize % most
        };
        let mut open = Vec::new();
        for step in 0..400 {
            let (by, path) = (1 + below(3), ["a", "b", "c", "d", "e/f", "e/g"][below(6)]);
            // What is refused changes nothing either.
            match below(8) {
                0 => _ = volume.unlink(path),
                1 => _ = volume.rename(path, ["a", "e/g", "h"][below(3)], owner(by)),
                2 => _ = volume.make_directory("e", owner(by)),
                3 => _ = volume.remove_directory("e"),
                4 if open.len() > 4 => volume.close(open.swap_remove(below(open.len()))).unwrap(),
                5 if !open.is_empty() => {
                    let file = &open[below(open.len())];
                    _ = volume.truncate(file, below(200_000) as u64);
                }
                6 => open.extend(volume.open(path, NEW | if below(4) == 0 { flags::TRUNCATE } else { 0 }, owner(by))),
                _ if !open.is_empty() => {
                    let n = below(open.len());
                    volume.seek(&mut open[n], below(300_000) as isize, whence::START).unwrap();
                    _ = volume.write(&mut open[n], &vec![1; below(20_000)]);
                }
                _ => {}
            }
            let slack = [60, 90, 120].map(|most| most + 4);
            let now: [u32; 3] = core::array::from_fn(|n| volume.quotas.used[n + 1]);
            assert!(now.iter().zip(slack).all(|(now, most)| *now <= most), "step {step}: {now:?}");
        }
        open.into_iter().for_each(|file| volume.close(file).unwrap());
        used(&mut volume);
    }
}
