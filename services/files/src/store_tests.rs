use super::*;
use abi::file::flags::*;

fn contents(store: &mut Store, name: &str) -> Vec<u8> {
    let mut open = store.open(name, READ_ONLY).unwrap();
    let bytes = store.read(&mut open, usize::MAX, <[u8]>::to_vec).unwrap();
    store.close(open);
    bytes
}
#[test]
fn what_was_written_is_read() {
    let mut s = Store::new();
    let mut open = s.open("a", READ_WRITE | CREATE).unwrap();
    assert_eq!(s.write(&mut open, b"hello world"), Ok(11));
    assert_eq!(s.seek(&mut open, 6, 0), Ok(6));
    assert_eq!(s.read(&mut open, 100, <[u8]>::to_vec).unwrap(), b"world");
    assert_eq!(s.read(&mut open, 100, <[u8]>::len), Ok(0));
}
#[test]
fn a_write_beyond_the_end_fills_with_zeros() {
    let mut s = Store::new();
    let mut open = s.open("a", WRITE_ONLY | CREATE).unwrap();
    s.seek(&mut open, 3, 0).unwrap();
    s.write(&mut open, b"x").unwrap();
    assert_eq!(contents(&mut s, "a"), b"\0\0\0x");
}
#[test]
fn appending_goes_to_the_end_whoever_else_writes() {
    let mut s = Store::new();
    let mut one = s.open("a", WRITE_ONLY | CREATE | APPEND).unwrap();
    let mut other = s.open("a", WRITE_ONLY | APPEND).unwrap();
    for (open, text) in [(&mut one, b"1"), (&mut other, b"2")] {
        s.write(open, text).unwrap();
    }
    s.write(&mut one, b"3").unwrap();
    assert_eq!(contents(&mut s, "a"), b"123");
}
#[test]
fn opening_what_is_not_there_is_refused() {
    assert_eq!(Store::new().open("a", READ_ONLY), Err(Error::ENOENT));
}
#[test]
fn creating_what_is_there_is_refused() {
    let mut s = Store::new();
    let open = s.open("a", WRITE_ONLY | CREATE | EXCLUSIVE).unwrap();
    s.close(open);
    assert_eq!(s.open("a", WRITE_ONLY | CREATE | EXCLUSIVE), Err(Error::EEXIST));
}
#[test]
fn flags_without_sense_are_refused() {
    assert_eq!(Store::new().open("a", 3 | CREATE), Err(Error::EINVAL));
    assert_eq!(Store::new().open("a", READ_ONLY | CREATE | TRUNCATE), Err(Error::EINVAL));
}
#[test]
fn the_wrong_direction_is_refused() {
    let mut s = Store::new();
    let mut write = s.open("a", WRITE_ONLY | CREATE).unwrap();
    assert_eq!(s.read(&mut write, 1, |_| ()), Err(Error::EBADF));
    let mut read = s.open("a", READ_ONLY).unwrap();
    assert_eq!(s.write(&mut read, b"x"), Err(Error::EBADF));
}
#[test]
fn a_position_before_the_start_is_refused() {
    let mut s = Store::new();
    let mut open = s.open("a", READ_WRITE | CREATE).unwrap();
    assert_eq!((s.seek(&mut open, -1, 0), s.seek(&mut open, 0, 3)), (Err(Error::EINVAL), Err(Error::EINVAL)));
}
#[test]
fn a_file_too_long_is_refused() {
    let mut s = Store::new();
    let mut open = s.open("a", READ_WRITE | CREATE).unwrap();
    s.seek(&mut open, isize::MAX, 0).unwrap();
    assert_eq!(s.write(&mut open, b"x"), Err(Error::ENOMEM));
}
#[test]
fn an_unlinked_file_lives_as_long_as_it_is_open() {
    let mut s = Store::new();
    let mut open = s.open("a", READ_WRITE | CREATE).unwrap();
    s.write(&mut open, b"x").unwrap();
    s.unlink("a").unwrap();
    assert_eq!(s.open("a", READ_ONLY), Err(Error::ENOENT));
    s.seek(&mut open, 0, 0).unwrap();
    assert_eq!(s.read(&mut open, 9, <[u8]>::to_vec).unwrap(), b"x");
    s.close(open);
    assert!(s.nodes.iter().all(Option::is_none));
    assert_eq!(s.unlink("a"), Err(Error::ENOENT));
}

fn names(store: &Store, open: &mut Open) -> Vec<String> {
    core::iter::from_fn(|| store.next(open).unwrap().map(|(name, _)| name.to_string())).collect()
}
fn with_directories(paths: &[&str]) -> Store {
    let mut store = Store::new();
    paths.iter().for_each(|path| store.make_directory(path).unwrap());
    store
}
fn touch(store: &mut Store, path: &str) {
    let open = store.open(path, WRITE_ONLY | CREATE).unwrap();
    store.close(open);
}
#[test]
fn a_file_in_a_directory_has_a_path() {
    let mut s = with_directories(&["a", "a/b"]);
    let mut open = s.open("a/b/c", WRITE_ONLY | CREATE).unwrap();
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
    let mut open = s.open("d", READ_ONLY | DIRECTORY).unwrap();
    assert_eq!(names(&s, &mut open), ["a", "m", "z"]);
    s.seek(&mut open, 0, whence::START).unwrap();
    assert_eq!(s.next(&mut open).unwrap().unwrap().0, "a");
    let mut root = s.open("/", READ_ONLY).unwrap();
    assert_eq!(names(&s, &mut root), ["d", "other"]);
    s.close(root);
}
#[test]
fn names_that_go_while_a_directory_is_read_leave_the_others() {
    let mut s = Store::new();
    ["a", "b", "c", "d"].into_iter().for_each(|name| touch(&mut s, name));
    let mut open = s.open("/", READ_ONLY).unwrap();
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
    let mut open = s.open("d/a", WRITE_ONLY | CREATE).unwrap();
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
    let mut open = s.open("a", READ_WRITE | CREATE).unwrap();
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
    let mut open = s.open("d", READ_ONLY).unwrap();
    s.remove_directory("d").unwrap();
    s.make_directory("d").unwrap();
    touch(&mut s, "d/x");
    assert_eq!(s.next(&mut open), Ok(None));
    s.close(open);
    assert_eq!(s.nodes.iter().flatten().count(), 2);
}
#[test]
fn the_directories_of_a_path_are_made() {
    let mut s = Store::new();
    s.make_parents("/a/b/c").unwrap();
    s.make_parents("a/b/d").unwrap();
    assert!(s.status_at("a/b").is_ok() && s.status_at("a/b/c").is_err());
    touch(&mut s, "f");
    assert_eq!(s.make_parents("f/x/y"), Err(Error::ENOTDIR));
}
#[test]
fn enoent_where_a_directory_on_the_way_is_not_there() {
    let mut s = Store::new();
    assert_eq!(s.open("a/b", WRITE_ONLY | CREATE), Err(Error::ENOENT));
    assert_eq!(s.make_directory("a/b"), Err(Error::ENOENT));
    assert_eq!((s.remove_directory("a"), s.rename("a", "b")), (Err(Error::ENOENT), Err(Error::ENOENT)));
}
#[test]
fn enotdir_where_a_file_is_on_the_way() {
    let mut s = with_directories(&["d"]);
    touch(&mut s, "f");
    for path in ["f/x", "f/x/y", "f/"] {
        assert_eq!(s.open(path, READ_ONLY), Err(Error::ENOTDIR), "{path}");
    }
    assert_eq!(s.open("f", READ_ONLY | DIRECTORY), Err(Error::ENOTDIR));
    assert_eq!((s.remove_directory("f"), s.unlink("f/")), (Err(Error::ENOTDIR), Err(Error::ENOTDIR)));
    assert_eq!((s.rename("d", "f"), s.rename("f", "g/")), (Err(Error::ENOTDIR), Err(Error::ENOTDIR)));
    let mut open = s.open("f", READ_ONLY).unwrap();
    assert_eq!(s.next(&mut open), Err(Error::ENOTDIR));
}
#[test]
fn eisdir_where_a_file_is_wanted() {
    let mut s = with_directories(&["d"]);
    touch(&mut s, "f");
    assert_eq!((s.open("d", WRITE_ONLY), s.open("d", CREATE)), (Err(Error::EISDIR), Err(Error::EISDIR)));
    assert_eq!(s.open("new/", WRITE_ONLY | CREATE), Err(Error::EISDIR));
    assert_eq!(
        (s.unlink("d"), s.unlink("/"), s.rename("f", "d")),
        (Err(Error::EISDIR), Err(Error::EISDIR), Err(Error::EISDIR))
    );
    for path in ["d", "/"] {
        let mut open = s.open(path, READ_ONLY).unwrap();
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
        assert_eq!(s.make_directory(path), Err(Error::EEXIST), "{path}");
    }
    assert_eq!(s.open("d", WRITE_ONLY | CREATE | EXCLUSIVE), Err(Error::EEXIST));
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
    assert_eq!(s.open("d/../x", READ_ONLY), Err(Error::EINVAL));
    let mut open = s.open("d", READ_ONLY).unwrap();
    assert_eq!((s.seek(&mut open, 1, 0), s.seek(&mut open, 0, 2)), (Err(Error::EINVAL), Err(Error::EINVAL)));
    assert_eq!(s.open("d", CREATE | DIRECTORY), Err(Error::EINVAL));
}

#[test]
fn a_file_is_cut_and_made_longer() {
    let mut store = Store::new();
    let mut open = store.open("f", flags::READ_WRITE | flags::CREATE).unwrap();
    store.write(&mut open, b"words").unwrap();
    store.truncate(&open, 2).unwrap();
    store.truncate(&open, 4).unwrap();
    store.seek(&mut open, 0, whence::START).unwrap();
    assert_eq!(store.read(&mut open, 9, |bytes| bytes.to_vec()), Ok(b"wo\0\0".to_vec()));
    assert_eq!(store.truncate(&open, LONGEST + 1), Err(Error::ENOMEM));
    let reader = store.open("f", flags::READ_ONLY).unwrap();
    assert_eq!(store.truncate(&reader, 0), Err(Error::EBADF));
}
