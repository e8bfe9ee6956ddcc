use super::{Contents, LONGEST, Open, flags, kind, whence};
use abi::Error;
use abi::account::Resource;
use abi::file::flags::*;
use account::{Account, Accounts};
use fallible::failing::with_only;

type Store = super::Store<Accounts>;
const ME: Account = Account::SYSTEM;

fn new() -> Store {
    Store::new(Accounts::new())
}
fn read(store: &mut Store, open: &mut Open, count: usize) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let read = store.read(open, count, |piece| bytes.extend_from_slice(piece))?;
    assert_eq!(read, bytes.len());
    Ok(bytes)
}
fn contents(store: &mut Store, name: &str) -> Vec<u8> {
    let mut open = store.open(name, READ_ONLY, ME).unwrap();
    let bytes = read(store, &mut open, usize::MAX).unwrap();
    store.close(open);
    bytes
}
#[test]
fn what_was_written_is_read() {
    let mut s = new();
    let mut open = s.open("a", READ_WRITE | CREATE, ME).unwrap();
    assert_eq!(s.write(&mut open, b"hello world"), Ok(11));
    assert_eq!(s.seek(&mut open, 6, 0), Ok(6));
    assert_eq!(read(&mut s, &mut open, 100).unwrap(), b"world");
    assert_eq!(read(&mut s, &mut open, 100), Ok(vec![]));
}
#[test]
fn what_is_opened_once_more_is_read_at_a_place_of_its_own_and_stays_without_its_name() {
    let mut s = new();
    let mut open = s.open("a", READ_WRITE | CREATE, ME).unwrap();
    s.write(&mut open, b"hello").unwrap();
    let mut other = s.reopen(&open, ME).unwrap();
    s.close(open);
    s.unlink("a").unwrap();
    assert_eq!(read(&mut s, &mut other, 100).unwrap(), b"hello");
    assert_eq!(s.write(&mut other, b"x"), Err(Error::EBADF));
    s.close(other);
}
#[test]
fn what_is_not_open_for_reading_is_not_opened_once_more() {
    let mut s = new();
    let [written, root] =
        [("a", WRITE_ONLY | CREATE), ("/", READ_ONLY)].map(|(name, how)| s.open(name, how, ME).unwrap());
    assert_eq!(s.reopen(&written, ME).map(|_| ()), Err(Error::EBADF));
    assert_eq!(s.reopen(&root, ME).map(|_| ()), Err(Error::EISDIR));
}
#[test]
fn a_write_beyond_the_end_fills_with_zeros() {
    let mut s = new();
    let mut open = s.open("a", WRITE_ONLY | CREATE, ME).unwrap();
    s.seek(&mut open, 3, 0).unwrap();
    s.write(&mut open, b"x").unwrap();
    assert_eq!(contents(&mut s, "a"), b"\0\0\0x");
}
#[test]
fn appending_goes_to_the_end_whoever_else_writes() {
    let mut s = new();
    let mut one = s.open("a", WRITE_ONLY | CREATE | APPEND, ME).unwrap();
    let mut other = s.open("a", WRITE_ONLY | APPEND, ME).unwrap();
    for (open, text) in [(&mut one, b"1"), (&mut other, b"2")] {
        s.write(open, text).unwrap();
    }
    s.write(&mut one, b"3").unwrap();
    assert_eq!(contents(&mut s, "a"), b"123");
}
#[test]
fn opening_what_is_not_there_is_refused() {
    assert_eq!(new().open("a", READ_ONLY, ME), Err(Error::ENOENT));
}
#[test]
fn creating_what_is_there_is_refused() {
    let mut s = new();
    let open = s.open("a", WRITE_ONLY | CREATE | EXCLUSIVE, ME).unwrap();
    s.close(open);
    assert_eq!(s.open("a", WRITE_ONLY | CREATE | EXCLUSIVE, ME), Err(Error::EEXIST));
}
#[test]
fn flags_without_sense_are_refused() {
    assert_eq!(new().open("a", 3 | CREATE, ME), Err(Error::EINVAL));
    assert_eq!(new().open("a", READ_ONLY | CREATE | TRUNCATE, ME), Err(Error::EINVAL));
}
#[test]
fn the_wrong_direction_is_refused() {
    let mut s = new();
    let mut write = s.open("a", WRITE_ONLY | CREATE, ME).unwrap();
    assert_eq!(s.read(&mut write, 1, |_| ()), Err(Error::EBADF));
    let mut read = s.open("a", READ_ONLY, ME).unwrap();
    assert_eq!(s.write(&mut read, b"x"), Err(Error::EBADF));
}
#[test]
fn a_position_before_the_start_is_refused() {
    let mut s = new();
    let mut open = s.open("a", READ_WRITE | CREATE, ME).unwrap();
    assert_eq!((s.seek(&mut open, -1, 0), s.seek(&mut open, 0, 3)), (Err(Error::EINVAL), Err(Error::EINVAL)));
}
#[test]
fn a_file_too_long_is_refused() {
    let mut s = new();
    let mut open = s.open("a", READ_WRITE | CREATE, ME).unwrap();
    s.seek(&mut open, isize::MAX, 0).unwrap();
    assert_eq!(s.write(&mut open, b"x"), Err(Error::ENOMEM));
}
#[test]
fn an_unlinked_file_lives_as_long_as_it_is_open() {
    let mut s = new();
    let mut open = s.open("a", READ_WRITE | CREATE, ME).unwrap();
    s.write(&mut open, b"x").unwrap();
    s.unlink("a").unwrap();
    assert_eq!(s.open("a", READ_ONLY, ME), Err(Error::ENOENT));
    s.seek(&mut open, 0, 0).unwrap();
    assert_eq!(read(&mut s, &mut open, 9).unwrap(), b"x");
    s.close(open);
    assert!(s.nodes.iter().all(Option::is_none));
    assert_eq!(s.unlink("a"), Err(Error::ENOENT));
}

fn names(store: &Store, open: &mut Open) -> Vec<String> {
    core::iter::from_fn(|| store.next(open).unwrap().map(|(name, _)| name.to_string())).collect()
}
fn with_directories(paths: &[&str]) -> Store {
    let mut store = new();
    paths.iter().for_each(|path| store.make_directory(path, ME).unwrap());
    store
}
fn touch(store: &mut Store, path: &str) {
    let open = store.open(path, WRITE_ONLY | CREATE, ME).unwrap();
    store.close(open);
}
#[test]
fn a_file_in_a_directory_has_a_path() {
    let mut s = with_directories(&["a", "a/b"]);
    let mut open = s.open("a/b/c", WRITE_ONLY | CREATE, ME).unwrap();
    s.write(&mut open, b"x").unwrap();
    for same in ["a/b/c", "/a/b/c", "a//b/./c", "./a/b/c"] {
        assert_eq!(contents(&mut s, same), b"x");
    }
}
#[test]
fn a_directory_gives_its_names_in_their_order() {
    let mut s = with_directories(&["d", "d/m", "other"]);
    touch(&mut s, "d/z");
    touch(&mut s, "d/a");
    let mut open = s.open("d", READ_ONLY | DIRECTORY, ME).unwrap();
    assert_eq!(names(&s, &mut open), ["a", "m", "z"]);
    s.seek(&mut open, 0, whence::START).unwrap();
    assert_eq!(s.next(&mut open).unwrap().unwrap().0, "a");
    let mut root = s.open("/", READ_ONLY, ME).unwrap();
    assert_eq!(names(&s, &mut root), ["d", "other"]);
    s.close(root);
}
#[test]
fn names_that_go_while_a_directory_is_read_leave_the_others() {
    let mut s = new();
    ["a", "b", "c", "d"].into_iter().for_each(|name| touch(&mut s, name));
    let mut open = s.open("/", READ_ONLY, ME).unwrap();
    let mut seen = Vec::new();
    while let Some(name) = s.next(&mut open).unwrap().map(|(name, _)| name.to_string()) {
        s.unlink(&name).unwrap();
        seen.push(name);
    }
    assert_eq!(seen, ["a", "b", "c", "d"]);
}
#[test]
fn status_says_kind_and_bytes() {
    let mut s = with_directories(&["d"]);
    let mut open = s.open("d/a", WRITE_ONLY | CREATE, ME).unwrap();
    s.write(&mut open, b"12345").unwrap();
    let (file, directory, root) = (s.status_at("d/a"), s.status_at("d/"), s.status_at("/"));
    assert_eq!(file.map(|s| (s.kind, s.bytes)), Ok((kind::FILE, 5)));
    assert_eq!(directory.map(|s| s.kind), Ok(kind::DIRECTORY));
    assert_eq!(root.map(|s| s.kind), Ok(kind::DIRECTORY));
    assert_eq!(Ok(s.status_of(&open)), file);
    assert!(file.unwrap().node != directory.unwrap().node && directory.unwrap().node != root.unwrap().node);
}
#[test]
fn a_renamed_file_keeps_what_is_in_it_and_who_has_it_open() {
    let mut s = with_directories(&["d"]);
    let mut open = s.open("a", READ_WRITE | CREATE, ME).unwrap();
    s.write(&mut open, b"old").unwrap();
    touch(&mut s, "d/b");
    s.rename("a", "d/b").unwrap();
    assert_eq!((contents(&mut s, "d/b"), s.status_at("a").err()), (b"old".to_vec(), Some(Error::ENOENT)));
    s.write(&mut open, b"er").unwrap();
    assert_eq!(contents(&mut s, "d/b"), b"older");
    s.rename("d/b", "d/b").unwrap();
    assert_eq!(s.nodes.iter().flatten().count(), 2);
}
#[test]
fn a_renamed_directory_takes_along_what_is_in_it() {
    let mut s = with_directories(&["a", "a/b", "c"]);
    touch(&mut s, "a/b/x");
    s.rename("a/b", "c").unwrap();
    assert!(s.status_at("c/x").is_ok());
    s.remove_directory("a").unwrap();
}
#[test]
fn a_removed_directory_lives_as_long_as_it_is_open() {
    let mut s = with_directories(&["d"]);
    let mut open = s.open("d", READ_ONLY, ME).unwrap();
    s.remove_directory("d").unwrap();
    s.make_directory("d", ME).unwrap();
    touch(&mut s, "d/x");
    assert_eq!(s.next(&mut open), Ok(None));
    s.close(open);
    assert_eq!(s.nodes.iter().flatten().count(), 2);
}
#[test]
fn the_directories_of_a_path_are_made() {
    let mut s = new();
    s.make_parents("/a/b/c", ME).unwrap();
    s.make_parents("a/b/d", ME).unwrap();
    assert!(s.status_at("a/b").is_ok() && s.status_at("a/b/c").is_err());
    touch(&mut s, "f");
    assert_eq!(s.make_parents("f/x/y", ME), Err(Error::ENOTDIR));
}
#[test]
fn enoent_where_a_directory_on_the_way_is_not_there() {
    let mut s = new();
    assert_eq!(s.open("a/b", WRITE_ONLY | CREATE, ME), Err(Error::ENOENT));
    assert_eq!(s.make_directory("a/b", ME), Err(Error::ENOENT));
    assert_eq!((s.remove_directory("a"), s.rename("a", "b")), (Err(Error::ENOENT), Err(Error::ENOENT)));
}
#[test]
fn enotdir_where_a_file_is_on_the_way() {
    let mut s = with_directories(&["d"]);
    touch(&mut s, "f");
    for path in ["f/x", "f/x/y", "f/"] {
        assert_eq!(s.open(path, READ_ONLY, ME), Err(Error::ENOTDIR), "{path}");
    }
    assert_eq!(s.open("f", READ_ONLY | DIRECTORY, ME), Err(Error::ENOTDIR));
    assert_eq!((s.remove_directory("f"), s.unlink("f/")), (Err(Error::ENOTDIR), Err(Error::ENOTDIR)));
    assert_eq!((s.rename("d", "f"), s.rename("f", "g/")), (Err(Error::ENOTDIR), Err(Error::ENOTDIR)));
    let mut open = s.open("f", READ_ONLY, ME).unwrap();
    assert_eq!(s.next(&mut open), Err(Error::ENOTDIR));
}
#[test]
fn eisdir_where_a_file_is_wanted() {
    let mut s = with_directories(&["d"]);
    touch(&mut s, "f");
    assert_eq!((s.open("d", WRITE_ONLY, ME), s.open("d", CREATE, ME)), (Err(Error::EISDIR), Err(Error::EISDIR)));
    assert_eq!(s.open("new/", WRITE_ONLY | CREATE, ME), Err(Error::EISDIR));
    assert_eq!(
        (s.unlink("d"), s.unlink("/"), s.rename("f", "d")),
        (Err(Error::EISDIR), Err(Error::EISDIR), Err(Error::EISDIR))
    );
    for path in ["d", "/"] {
        let mut open = s.open(path, READ_ONLY, ME).unwrap();
        assert_eq!(s.read(&mut open, 1, |_| ()), Err(Error::EISDIR));
        s.close(open);
    }
}
#[test]
fn enotempty_where_something_is_in_a_directory() {
    let mut s = with_directories(&["d", "e"]);
    touch(&mut s, "d/x");
    assert_eq!((s.remove_directory("d"), s.rename("e", "d")), (Err(Error::ENOTEMPTY), Err(Error::ENOTEMPTY)));
}
#[test]
fn eexist_where_a_name_is_taken() {
    let mut s = with_directories(&["d"]);
    touch(&mut s, "f");
    for path in ["d", "d/", "f", "/", "."] {
        assert_eq!(s.make_directory(path, ME), Err(Error::EEXIST), "{path}");
    }
    assert_eq!(s.open("d", WRITE_ONLY | CREATE | EXCLUSIVE, ME), Err(Error::EEXIST));
}
#[test]
fn ebusy_for_the_root() {
    let mut s = with_directories(&["d"]);
    assert_eq!(s.remove_directory("/"), Err(Error::EBUSY));
    assert_eq!((s.rename("/", "d/x"), s.rename("d", "/")), (Err(Error::EBUSY), Err(Error::EBUSY)));
}
#[test]
fn einval_where_a_directory_would_be_in_itself() {
    let mut s = with_directories(&["d", "d/e"]);
    assert_eq!((s.rename("d", "d/e/x"), s.rename("d", "d/x")), (Err(Error::EINVAL), Err(Error::EINVAL)));
}
#[test]
fn einval_for_two_points_and_for_a_directorys_position() {
    let mut s = with_directories(&["d"]);
    assert_eq!(s.open("d/../x", READ_ONLY, ME), Err(Error::EINVAL));
    let mut open = s.open("d", READ_ONLY, ME).unwrap();
    assert_eq!((s.seek(&mut open, 1, 0), s.seek(&mut open, 0, 2)), (Err(Error::EINVAL), Err(Error::EINVAL)));
    assert_eq!(s.open("d", CREATE | DIRECTORY, ME), Err(Error::EINVAL));
}

#[test]
fn a_file_is_cut_and_made_longer() {
    let mut store = new();
    let mut open = store.open("f", flags::READ_WRITE | flags::CREATE, ME).unwrap();
    store.write(&mut open, b"words").unwrap();
    store.truncate(&open, 2).unwrap();
    store.truncate(&open, 4).unwrap();
    store.seek(&mut open, 0, whence::START).unwrap();
    assert_eq!(read(&mut store, &mut open, 9), Ok(b"wo\0\0".to_vec()));
    assert_eq!(store.truncate(&open, LONGEST + 1), Err(Error::ENOMEM));
    let reader = store.open("f", flags::READ_ONLY, ME).unwrap();
    assert_eq!(store.truncate(&reader, 0), Err(Error::EBADF));
}

const PAGE: usize = abi::address::PAGE;

/// A store where account 1 may have so many pages, and account 2 more than enough.
fn limited(pages: u32) -> (Store, Account, Account) {
    let mut store = new();
    let [one, two] = [1, 2].map(|n| Account::new(n).unwrap());
    for (account, pages) in [(one, pages), (two, 1000)] {
        let mut limits = abi::account::Limits::NONE;
        limits.0[Resource::Storage as usize] = pages;
        store.ledger.set(account, &limits);
    }
    (store, one, two)
}
fn used(store: &Store, account: Account) -> usize {
    store.ledger.used(account, Resource::Storage)
}
#[test]
fn bytes_beyond_a_page_are_read_as_they_were_written() {
    let mut s = new();
    let mut open = s.open("a", READ_WRITE | CREATE, ME).unwrap();
    let data: Vec<u8> = (0..3 * PAGE + 5).map(|n| (n % 251) as u8).collect();
    s.seek(&mut open, 7, whence::START).unwrap();
    data.chunks(1000).for_each(|piece| assert_eq!(s.write(&mut open, piece), Ok(piece.len())));
    s.seek(&mut open, 7, whence::START).unwrap();
    assert_eq!(read(&mut s, &mut open, usize::MAX).unwrap(), data);
    s.truncate(&open, PAGE + 1).unwrap();
    s.truncate(&open, 2 * PAGE).unwrap();
    let bytes = contents(&mut s, "a");
    assert_eq!((&bytes[7..PAGE + 1], bytes[PAGE + 1..].iter().all(|&b| b == 0)), (&data[..PAGE - 6], true));
}
#[test]
fn who_makes_a_file_longer_pays_and_gets_it_back() {
    let (mut s, one, two) = limited(10);
    let mut open = s.open("a", READ_WRITE | CREATE, one).unwrap();
    s.write(&mut open, &[1; PAGE]).unwrap();
    let mut other = s.open("a", WRITE_ONLY | APPEND, two).unwrap();
    s.write(&mut other, &[2; 2 * PAGE]).unwrap();
    assert_eq!((used(&s, one), used(&s, two)), (2, 2), "a page for the file itself");
    s.truncate(&open, 2 * PAGE).unwrap();
    assert_eq!((used(&s, one), used(&s, two)), (2, 1), "who came last gets back first");
    s.unlink("a").unwrap();
    s.close(other);
    assert_eq!((used(&s, one), used(&s, two)), (2, 1), "it is still open");
    s.close(open);
    assert_eq!((used(&s, one), used(&s, two)), (0, 0));
}
#[test]
fn enomem_at_the_limit_and_for_nobody_else() {
    let (mut s, one, two) = limited(3);
    let mut open = s.open("a", READ_WRITE | CREATE, one).unwrap();
    assert_eq!(s.write(&mut open, &[1; 2 * PAGE]), Ok(2 * PAGE));
    assert_eq!(s.write(&mut open, b"x"), Err(Error::ENOMEM));
    assert_eq!(s.open("b", WRITE_ONLY | CREATE, one), Err(Error::ENOMEM));
    assert_eq!(s.make_directory("d", one), Err(Error::ENOMEM));
    assert_eq!(s.truncate(&open, 4 * PAGE), Err(Error::ENOMEM));
    assert_eq!((used(&s, one), contents(&mut s, "a").len()), (3, 2 * PAGE));
    let mut other = s.open("b", WRITE_ONLY | CREATE, two).unwrap();
    assert_eq!(s.write(&mut other, &[1; 9 * PAGE]), Ok(9 * PAGE));
    // What one has given up it may take again.
    s.truncate(&open, PAGE).unwrap();
    assert_eq!(s.make_directory("d", one), Ok(()));
}
/// What is in a store: names, lengths, and what is paid for it.
fn picture(store: &Store) -> (Vec<String>, Vec<usize>, usize) {
    let names = store.root.iter().map(|(name, number)| format!("{name} {number}")).collect();
    let nodes: Vec<_> = store.nodes.iter().flatten().collect();
    let lengths = nodes.iter().map(|node| match &node.contents {
        Contents::File(bytes) => bytes.len(),
        Contents::Directory(entries) => entries.len(),
    });
    let paid: usize = nodes.iter().map(|node| node.paid.pages()).sum();
    assert_eq!(paid, used(store, ME));
    (names, lengths.collect(), paid)
}
/// The n-th allocation fails, for every n: what was asked ends with `ENOMEM` and has changed nothing, and works again.
#[test]
fn every_allocation_can_fail() {
    type Step = (&'static str, fn(&mut Store, &mut Open) -> Result<(), Error>);
    let steps: [Step; 6] = [
        ("open", |s, _| s.open("d/n", WRITE_ONLY | CREATE, ME).map(|open| s.close(open))),
        ("write", |s, open| s.write(open, &[1; 3 * PAGE]).map(|_| ())),
        ("truncate", |s, open| s.truncate(open, 5 * PAGE)),
        ("make_directory", |s, _| s.make_directory("d/e", ME)),
        ("rename", |s, _| s.rename("f", "d/g")),
        ("next", |s, _| {
            let mut root = s.open("/", READ_ONLY, ME)?;
            s.next(&mut root).map(|_| ())
        }),
    ];
    for (what, step) in steps {
        for n in 0.. {
            let mut s = with_directories(&["d"]);
            ["f", "d/f"].into_iter().for_each(|path| touch(&mut s, path));
            let mut open = s.open("f", READ_WRITE, ME).unwrap();
            let before = picture(&s);
            match with_only(n, || step(&mut s, &mut open)) {
                Ok(()) => {
                    assert!(n > 0, "{what} asks for nothing");
                    break;
                }
                Err(error) => {
                    assert_eq!((error, picture(&s)), (Error::ENOMEM, before), "{what}, {n} allocations there");
                    // What takes something away needs no memory that was not there before.
                    assert_eq!(with_only(0, || s.truncate(&open, 0)), Ok(()));
                    assert_eq!(step(&mut s, &mut open), Ok(()), "{what} after it failed");
                    with_only(0, || s.status_at("d/f").and_then(|_| s.unlink("d/f"))).unwrap();
                    with_only(0, || s.close(open));
                }
            }
            assert!(n < 50, "{what} does not come to its end");
        }
    }
}
