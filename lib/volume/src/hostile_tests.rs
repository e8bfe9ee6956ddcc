//! Clients that do their worst: numbers at the ends of their ranges, files in as many pieces as there can be, and trees that lead into themselves.

use super::tests::{NEW, fresh, get, mount};
use super::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::time::Instant;

type Small = Volume<super::tests::Memory, super::tests::Four>;

/// Counts what each thread has allocated, and the most that it had.
struct Counting;
std::thread_local! {
    static NOW: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
    /// The cache of pages finds nothing to grow by, as where memory is short.
    static NO_CACHE: Cell<bool> = const { Cell::new(false) };
}
fn change(by: isize) {
    NOW.set(NOW.get() + by);
    MOST.set(MOST.get().max(NOW.get()));
}
// SAFETY: the system's, but for what is counted.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if NO_CACHE.get() && layout.size() == cache::RESERVE {
            return std::ptr::null_mut();
        }
        change(layout.size() as isize);
        // SAFETY: as for this function.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        change(-(layout.size() as isize));
        // SAFETY: as for this function.
        unsafe { System.dealloc(at, layout) }
    }
}
#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most memory that `body` had at once beyond what was there before.
fn most<T>(body: impl FnOnce() -> T) -> (T, usize) {
    NO_CACHE.set(true);
    let before = NOW.get();
    MOST.set(before);
    let done = body();
    (done, (MOST.get() - before) as usize)
}
fn at(volume: &mut Small, open: &mut Open, place: u64, bytes: &[u8]) -> Result<usize> {
    volume.seek(open, place as isize, whence::START)?;
    volume.write(open, bytes)
}
#[test]
fn numbers_at_the_ends_of_their_ranges() {
    let mut volume = mount(&fresh());
    let mut other = volume.open("other", NEW, Owner::NOBODY).unwrap();
    volume.write(&mut other, &[7; 5000]).unwrap();
    let extremes: Vec<u64> =
        (0..64).flat_map(|n| [(1u64 << n) - 1, 1 << n, (1 << n) + 1]).chain([u64::MAX, u64::MAX - 1]).collect();
    let mut open = volume.open("a", NEW, Owner::NOBODY).unwrap();
    for &place in &extremes {
        let begun = Instant::now();
        let _ = volume.truncate(&open, place);
        let _ = at(&mut volume, &mut open, place, &[1; 5000]);
        let _ = volume.seek(&mut open, place as isize, whence::END);
        let _ = volume.read(&mut open, &mut [0; 5000]);
        let _ = volume.seek(&mut open, -5000, whence::END);
        let _ = volume.read(&mut open, &mut [0; 9000]);
        let _ = volume.status_of(&open);
        let _ = volume.truncate(&open, place / 2);
        let _ = volume.sync();
        let _ = volume.truncate(&open, 0);
        assert!(begun.elapsed().as_secs() < 10, "{place:#x} takes {:?}", begun.elapsed());
    }
    volume.close(open).unwrap();
    volume.unlink("a").unwrap();
    volume.close(other).unwrap();
    assert_eq!(get(&mut volume, "other"), Ok(vec![7; 5000]));
    volume.unmount().unwrap();
}
/// Bytes that a request may take without a question, as the disk component keeps them.
const KEPT: usize = 256 << 10;
std::thread_local! {
    static ASKED: Cell<usize> = const { Cell::new(0) };
    static THERE: Cell<usize> = const { Cell::new(usize::MAX) };
}
fn keep(bytes: usize) -> Result<()> {
    ASKED.set(bytes);
    if bytes > THERE.get() { Err(Error::ENOMEM) } else { Ok(()) }
}
/// What `body` comes to, which may take no more memory than it has asked for.
#[track_caller]
fn within<T>(body: impl FnOnce() -> T) -> T {
    ASKED.set(0);
    let (done, memory) = most(body);
    assert!(memory <= ASKED.get().max(KEPT), "{memory} bytes, {} were asked for", ASKED.get());
    done
}
/// A disk whose one account may have all, and a file there that has so many pieces, with holes between or another file's.
fn in_pieces(pieces: u64, holes: bool) -> (Small, Open) {
    let mut volume = mount(&fresh());
    let mut parts = abi::account::DiskParts::default();
    parts.0[1] = abi::account::DiskPart { owner: 1000, pages: 1 << 20 };
    volume.share_out(&parts);
    volume.ask_for_memory(keep);
    let owner = Owner::of(&parts, 1);
    let [mut open, mut other] = ["a", "b"].map(|path| volume.open(path, NEW, owner).unwrap());
    for n in 0..pieces {
        if holes {
            within(|| at(&mut volume, &mut open, n * 2048, &[1])).unwrap();
        } else {
            within(|| at(&mut volume, &mut open, n * 1024, &[1; 1024])).unwrap();
            within(|| at(&mut volume, &mut other, n * 1024, &[2; 1024])).unwrap();
        }
    }
    volume.close(other).unwrap();
    (volume, open)
}
#[test]
fn no_request_for_a_file_in_many_pieces_takes_more_memory_than_it_has_asked_for() {
    for (pieces, holes) in [(3000, true), (6000, true), (9000, true), (9000, false)] {
        let (mut volume, mut open) = in_pieces(pieces, holes);
        within(|| volume.sync()).unwrap();
        for n in 0..pieces / 100 {
            within(|| volume.seek(&mut open, (n * 100_000) as isize, whence::START)).unwrap();
            within(|| volume.read(&mut open, &mut [0; 20_000])).unwrap();
        }
        within(|| volume.status_of(&open)).unwrap();
        // `rsext4` 0.9.2 can not always make one shorter (EIO).
        let _ = within(|| volume.truncate(&open, pieces * 1000));
        assert!(ASKED.get() > KEPT || pieces == 3000, "{pieces} pieces, and {} bytes were asked for", ASKED.get());
        within(|| volume.rename("b", "a", Owner::NOBODY)).unwrap();
        within(|| volume.close(open)).unwrap();
        within(|| volume.unlink("a")).unwrap();
        assert_eq!(volume.users.len(), 0);
        volume.unmount().unwrap();
    }
}
#[test]
fn enomem_a_change_of_a_file_in_more_pieces_than_there_is_memory_for() {
    let (mut volume, mut open) = in_pieces(6000, true);
    THERE.set(KEPT);
    assert_eq!(volume.truncate(&open, 1), Err(Error::ENOMEM));
    assert_eq!(at(&mut volume, &mut open, 6000 * 2048, &[1]), Err(Error::ENOMEM));
    assert_eq!(volume.open("a", NEW | flags::TRUNCATE, Owner::NOBODY).map(|_| ()), Err(Error::ENOMEM));
    assert_eq!(volume.bytes(open.inode), 5999 * 2048 + 1, "nothing has happened");
    // What goes, goes later; until then it counts.
    let free = volume.space().free;
    volume.unlink("a").unwrap();
    volume.close(open).unwrap();
    volume.reap_left().unwrap();
    assert_eq!((volume.space().free, volume.users.len()), (free, 1));
    assert!(volume.quotas.used[1] > 1000);
    THERE.set(usize::MAX);
    volume.reap_left().unwrap();
    assert!(volume.space().free > free + 6000 * 1024 && volume.users.is_empty());
    assert!(volume.quotas.used[1] < 10);
    volume.reap_left().unwrap();
    volume.unmount().unwrap();
}
#[test]
fn a_file_in_one_piece_asks_for_nothing_however_long_it_is() {
    let mut volume = mount(&fresh());
    volume.share_out(&abi::account::DiskParts::default());
    volume.ask_for_memory(|_| Err(Error::ENOMEM));
    let mut open = volume.open("a", NEW, Owner::NOBODY).unwrap();
    for _ in 0..20 << 20 >> 15 {
        assert_eq!(within(|| volume.write(&mut open, &[1; 1 << 15])), Ok(1 << 15));
    }
    within(|| volume.truncate(&open, 10 << 20)).unwrap();
    within(|| volume.close(open)).unwrap();
    within(|| volume.unlink("a")).unwrap();
}
#[test]
fn no_request_in_a_directory_of_many_names_takes_more_memory_than_it_has_asked_for() {
    let mut volume = mount(&fresh());
    volume.share_out(&abi::account::DiskParts::default());
    volume.ask_for_memory(keep);
    let name = |n: usize| format!("d/{n:0200}");
    volume.make_directory("d", Owner::NOBODY).unwrap();
    for n in 0..3000 {
        within(|| volume.open(&name(n), NEW, Owner::NOBODY).and_then(|open| volume.close(open))).unwrap();
    }
    assert!(ASKED.get() > KEPT);
    within(|| volume.rename(&name(7), "d/new", Owner::NOBODY)).unwrap();
    within(|| volume.rename("d/new", &name(7), Owner::NOBODY)).unwrap();
    let mut open = volume.open("d", flags::DIRECTORY, Owner::NOBODY).unwrap();
    assert!(within(|| volume.next(&mut open, |name| name.len() < 64)).unwrap().is_none(), "all names are too long");
    volume.close(open).unwrap();
    for n in 0..3000 {
        within(|| volume.status_at(&name(n), Last::Followed)).unwrap();
        within(|| volume.unlink(&name(n))).unwrap();
    }
    THERE.set(KEPT);
    assert_eq!(volume.make_directory("d/e", Owner::NOBODY), Err(Error::ENOMEM));
    assert_eq!(volume.status_at("d/e", Last::Followed).map(|_| ()), Err(Error::ENOMEM));
    volume.make_directory("e", Owner::NOBODY).unwrap();
    THERE.set(usize::MAX);
    within(|| volume.remove_directory("d")).unwrap();
    volume.unmount().unwrap();
}
#[test]
fn einval_or_eio_a_tree_that_would_lead_into_itself() {
    let mut volume = mount(&fresh());
    for path in ["a", "a/b", "a/b/c"] {
        volume.make_directory(path, Owner::NOBODY).unwrap();
    }
    let free = volume.space().free;
    for (from, to, error) in [
        ("a", "a/b/c/d", Error::EIO),
        ("a", "a/d", Error::EIO),
        ("a/b", "a/b/c/d", Error::EIO),
        ("a/b/c", "a", Error::ENOTEMPTY),
        ("a", "a/b", Error::ENOTEMPTY),
    ] {
        assert_eq!(volume.rename(from, to, Owner::NOBODY), Err(error), "{from} to {to}");
    }
    for (name, error) in [
        ("", Error::EEXIST),
        (".", Error::EEXIST),
        ("..", Error::EINVAL),
        ("a/..", Error::EINVAL),
        ("a/b/../c", Error::EINVAL),
        (&"x".repeat(256), Error::EINVAL),
        ("x\0y", Error::EINVAL),
    ] {
        assert_eq!(volume.make_directory(name, Owner::NOBODY), Err(error), "{name}");
    }
    assert_eq!(volume.space().free, free);
    for path in ["a/b/c", "a/b", "a"] {
        volume.remove_directory(path).unwrap();
    }
    volume.unmount().unwrap();
}
