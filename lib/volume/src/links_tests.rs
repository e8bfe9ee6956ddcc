//! Links, pipes, devices and attributes of disks that other systems have written.

use crate::tests::{NEW, fresh, get, mount, put};
use crate::{Error, Last, Open, Owner, Result, Volume};
use abi::file::{flags, kind};
use rsext4::{
    BlockIo, DeviceNumber, EntropySource, FileName, FilePermissions, InodeFlags, InodeMetadataUpdate, InodeNumber,
    MutationContext, SpecialInodeKind, XattrNamespace, XattrSetMode,
};

const BY: MutationContext = MutationContext::new(0, 0, 0, 0);

fn link<D: BlockIo, E: EntropySource>(volume: &mut Volume<D, E>, path: &str, target: &str) {
    volume.make_link(path, target, Owner::NOBODY).unwrap();
}
fn kind_at<D: BlockIo, E: EntropySource>(volume: &mut Volume<D, E>, path: &str, last: Last) -> Result<u64> {
    volume.status_at(path, last).map(|status| status.kind)
}
fn opened<D: BlockIo, E: EntropySource>(volume: &mut Volume<D, E>, path: &str, how: usize) -> Result<()> {
    let open: Open = volume.open(path, how, Owner::NOBODY)?;
    volume.close(open)
}
fn inode<D: BlockIo, E: EntropySource>(volume: &mut Volume<D, E>, path: &str) -> InodeNumber {
    volume.find(path, Last::Itself).unwrap().number
}
fn mark<D: BlockIo, E: EntropySource>(volume: &mut Volume<D, E>, path: &str, flags: InodeFlags) {
    let (number, changed) = (inode(volume, path), InodeMetadataUpdate { flags: Some(flags), ..Default::default() });
    volume.files.update_inode_metadata(number, changed).unwrap();
}
fn can_say(name: &str) -> bool {
    abi::name::Name::of(name).is_ok()
}
/// The names of a directory, and how many were left out.
fn names<D: BlockIo, E: EntropySource>(volume: &mut Volume<D, E>, path: &str) -> (Vec<String>, usize) {
    let mut open = volume.open(path, flags::DIRECTORY, Owner::NOBODY).unwrap();
    let mut names = Vec::new();
    while let Some((name, _)) = volume.next(&mut open, can_say).unwrap() {
        names.push(name);
    }
    names.sort();
    let left_out = volume.left_out(&open).unwrap();
    volume.close(open).unwrap();
    (names, left_out)
}

#[test]
fn links_lead_on_from_where_they_are() {
    let disk = fresh();
    let mut volume = mount(&disk);
    ["d", "d/e"].iter().for_each(|path| volume.make_directory(path, Owner::NOBODY).unwrap());
    put(&mut volume, "file", b"far").unwrap();
    put(&mut volume, "d/e/file", b"near").unwrap();
    link(&mut volume, "d/e/relative", "file");
    link(&mut volume, "d/e/up", "../../file");
    link(&mut volume, "d/e/root", "/file");
    link(&mut volume, "d/e/above", "../../../../file");
    link(&mut volume, "directory", "d//./e/");
    link(&mut volume, "d/e/back", "../..");
    link(&mut volume, "second", "directory/relative");
    link(&mut volume, "long", &format!("d/{}e/file", "./".repeat(200)));
    let of_a_disk_that_was_mounted_again = |volume: &mut Volume<_, _>| {
        for (path, there) in [
            ("d/e/relative", "near"),
            ("d/e/up", "far"),
            ("d/e/root", "far"),
            ("d/e/above", "far"),
            ("directory/file", "near"),
            ("directory//relative", "near"),
            ("second", "near"),
            ("long", "near"),
            ("directory/back/directory/back/file", "far"),
        ] {
            assert_eq!(get(volume, path), Ok(there.into()), "{path}");
        }
        assert_eq!(volume.read_link("second"), Ok("directory/relative".into()));
        assert_eq!(volume.read_link("long").unwrap().len(), 408);
        assert_eq!(volume.read_link("file"), Err(Error::EINVAL));
        assert_eq!(kind_at(volume, "directory", Last::Itself), Ok(kind::LINK));
        assert_eq!(kind_at(volume, "directory", Last::Followed), Ok(kind::DIRECTORY));
        assert_eq!(kind_at(volume, "directory/", Last::Itself), Ok(kind::DIRECTORY));
        assert_eq!(kind_at(volume, "directory/.", Last::Itself), Ok(kind::DIRECTORY));
        assert_eq!(kind_at(volume, "second/", Last::Followed), Err(Error::ENOTDIR));
        // What is asked for goes nowhere up.
        assert_eq!(get(volume, "directory/../file"), Err(Error::EINVAL));
    };
    of_a_disk_that_was_mounted_again(&mut volume);
    volume.unmount().unwrap();
    of_a_disk_that_was_mounted_again(&mut mount(&disk));
}
#[test]
fn what_is_written_by_a_links_name_is_where_it_leads() {
    let mut volume = mount(&fresh());
    volume.make_directory("d", Owner::NOBODY).unwrap();
    put(&mut volume, "d/file", b"before").unwrap();
    link(&mut volume, "link", "d/file");
    link(&mut volume, "nowhere", "d/new");
    link(&mut volume, "gone", "e/new");
    put(&mut volume, "link", b"after").unwrap();
    put(&mut volume, "nowhere", b"made").unwrap();
    assert_eq!(get(&mut volume, "d/file"), Ok(b"after".into()));
    assert_eq!(get(&mut volume, "d/new"), Ok(b"made".into()));
    assert_eq!(put(&mut volume, "gone", b""), Err(Error::ENOENT));
    assert_eq!(opened(&mut volume, "gone", 0), Err(Error::ENOENT));
    // One that is to be new is not made behind a link.
    assert_eq!(opened(&mut volume, "gone", NEW | flags::EXCLUSIVE), Err(Error::EEXIST));
    assert_eq!(opened(&mut volume, "link", flags::DIRECTORY), Err(Error::ENOTDIR));
    assert_eq!(volume.read_link("link"), Ok("d/file".into()));
}
#[test]
fn names_of_links_are_the_links() {
    let mut volume = mount(&fresh());
    volume.make_directory("d", Owner::NOBODY).unwrap();
    put(&mut volume, "d/file", b"stays").unwrap();
    link(&mut volume, "link", "d");
    assert_eq!(volume.remove_directory("link"), Err(Error::ENOTDIR));
    assert_eq!(volume.remove_directory("link/"), Err(Error::ENOTDIR));
    assert_eq!(volume.unlink("link/"), Err(Error::ENOTDIR));
    assert_eq!(volume.rename("link/", "other", Owner::NOBODY), Err(Error::ENOTDIR));
    assert_eq!(volume.make_directory("link", Owner::NOBODY), Err(Error::EEXIST));
    assert_eq!(volume.make_link("link", "x", Owner::NOBODY), Err(Error::EEXIST));
    assert_eq!(volume.make_link("none", "", Owner::NOBODY), Err(Error::EINVAL));
    volume.rename("link", "d/moved", Owner::NOBODY).unwrap();
    assert_eq!(volume.read_link("d/moved"), Ok("d".into()));
    // In place of another, which leads on no more.
    link(&mut volume, "d/second", "file");
    volume.rename("d/second", "d/moved", Owner::NOBODY).unwrap();
    assert_eq!(get(&mut volume, "d/moved"), Ok(b"stays".into()));
    volume.unlink("d/moved").unwrap();
    assert_eq!(names(&mut volume, "d"), (vec!["file".into()], 0));
    assert_eq!(get(&mut volume, "d/file"), Ok(b"stays".into()));
}
#[test]
fn eloop_links_in_circles() {
    let mut volume = mount(&fresh());
    put(&mut volume, "0", b"end").unwrap();
    (1..=41).for_each(|n| link(&mut volume, &n.to_string(), &(n - 1).to_string()));
    assert_eq!(get(&mut volume, "40"), Ok(b"end".into()));
    assert_eq!(get(&mut volume, "41"), Err(Error::ELOOP));
    link(&mut volume, "self", "self");
    link(&mut volume, "deeper", "deeper/x");
    link(&mut volume, "a", "b/../a");
    for path in ["self", "self/x", "deeper"] {
        assert_eq!(get(&mut volume, path), Err(Error::ELOOP), "{path}");
        assert_eq!(put(&mut volume, path, b""), Err(Error::ELOOP), "{path}");
    }
    assert_eq!(get(&mut volume, "a"), Err(Error::ENOENT));
    assert_eq!(kind_at(&mut volume, "self", Last::Itself), Ok(kind::LINK));
    volume.unlink("self").unwrap();
}
#[test]
fn enametoolong_links_behind_links() {
    let mut volume = mount(&fresh());
    link(&mut volume, "more", &format!("more/{}", "x/".repeat(400)));
    assert_eq!(get(&mut volume, "more"), Err(Error::ENAMETOOLONG));
}
/// Links that lead on by long ways, each of which is allowed, would be followed for a long time together.
#[test]
fn eloop_more_names_than_a_path_has() {
    let mut volume = mount(&fresh());
    volume.make_directory("d", Owner::NOBODY).unwrap();
    put(&mut volume, "file", b"there").unwrap();
    // Two names each, and the link's own.
    let way = |count: usize| "d/../".repeat(count);
    link(&mut volume, "one", &(way(100) + "file"));
    link(&mut volume, "two", &(way(100) + "one"));
    link(&mut volume, "three", &(way(100) + "two"));
    assert_eq!(get(&mut volume, "two"), Ok("there".into()));
    assert_eq!(get(&mut volume, "three"), Err(Error::ELOOP));
    assert_eq!(kind_at(&mut volume, "three", Last::Itself), Ok(kind::LINK));
}
#[test]
fn eloop_links_where_none_is_to_be_followed() {
    let mut volume = mount(&fresh());
    put(&mut volume, "file", b"there").unwrap();
    link(&mut volume, "link", "file");
    link(&mut volume, "root", "/");
    let how = |more: usize| flags::READ_WRITE | flags::NO_FOLLOW | more;
    for more in [0, flags::CREATE, flags::TRUNCATE] {
        assert_eq!(opened(&mut volume, "link", how(more)), Err(Error::ELOOP));
        assert_eq!(opened(&mut volume, "root/link", how(more)), Err(Error::ELOOP));
    }
    assert_eq!(opened(&mut volume, "link", how(flags::CREATE | flags::EXCLUSIVE)), Err(Error::EEXIST));
    assert_eq!(get(&mut volume, "file"), Ok("there".into()));
    assert_eq!(opened(&mut volume, "root/file", how(0)), Ok(()));
    assert_eq!(opened(&mut volume, "new", how(flags::CREATE)), Ok(()));
}
#[test]
fn what_is_no_file_is_neither_read_nor_written() {
    let disk = fresh();
    let mut volume = mount(&disk);
    put(&mut volume, "file", &[b'p'; 3000]).unwrap();
    let permissions = FilePermissions::new(0o666).unwrap();
    let device = DeviceNumber::new(1, 3).unwrap();
    let kinds = [
        ("pipe", SpecialInodeKind::Fifo, kind::PIPE),
        ("socket", SpecialInodeKind::Socket, abi::internet::SOCKET),
        ("null", SpecialInodeKind::CharacterDevice(device), kind::CHARACTER_DEVICE),
        ("disk", SpecialInodeKind::BlockDevice(device), kind::BLOCK_DEVICE),
    ];
    let root = volume.files.root_inode();
    for (name, made, _) in kinds {
        let name = FileName::new(name.as_bytes()).unwrap();
        volume.files.create_special_inode(BY, root, name, permissions, made).unwrap();
    }
    link(&mut volume, "to-pipe", "pipe");
    for (path, _, kind) in kinds {
        assert_eq!(kind_at(&mut volume, path, Last::Followed), Ok(kind));
        for how in [0, flags::READ_WRITE, flags::WRITE_ONLY | flags::TRUNCATE, NEW | flags::APPEND] {
            assert_eq!(opened(&mut volume, path, how), Err(Error::ENOTSUP), "{path} {how:#x}");
        }
        assert_eq!(opened(&mut volume, path, flags::DIRECTORY), Err(Error::ENOTDIR));
        assert_eq!(opened(&mut volume, &format!("{path}/x"), NEW), Err(Error::ENOTDIR));
    }
    assert_eq!(opened(&mut volume, "to-pipe", 0), Err(Error::ENOTSUP));
    assert_eq!(names(&mut volume, "/").0, ["disk", "file", "lost+found", "null", "pipe", "socket", "to-pipe"]);
    volume.rename("pipe", "moved", Owner::NOBODY).unwrap();
    ["moved", "socket", "null", "disk", "to-pipe"].iter().for_each(|path| volume.unlink(path).unwrap());
    volume.unmount().unwrap();
    let mut volume = mount(&disk);
    assert_eq!(names(&mut volume, "/").0, ["file", "lost+found"]);
    assert_eq!(get(&mut volume, "file"), Ok(vec![b'p'; 3000]));
}
/// Its blocks are those of its attributes, so its path is where it is without them.
#[test]
fn a_links_path_is_never_taken_for_blocks() {
    let disk = fresh();
    let mut volume = mount(&disk);
    put(&mut volume, "file", b"there").unwrap();
    link(&mut volume, "link", "file");
    let (number, long) = (inode(&mut volume, "link"), [b'a'; 700]);
    volume.files.set_xattr(number, XattrNamespace::Trusted, b"label", &long, XattrSetMode::Create).unwrap();
    assert!(volume.files.inode(number).unwrap().blocks > 0);
    assert_eq!(volume.read_link("link"), Ok("file".into()));
    assert_eq!(get(&mut volume, "link"), Ok(b"there".into()));
    let free = volume.space().free;
    volume.unlink("link").unwrap();
    assert!(volume.space().free > free);
    assert_eq!(get(&mut volume, "file"), Ok(b"there".into()));
}
#[test]
fn eperm_attributes_are_kept_to() {
    let mut volume = mount(&fresh());
    volume.make_directory("d", Owner::NOBODY).unwrap();
    ["fixed", "log", "free", "d/file"].iter().for_each(|path| put(&mut volume, path, b"one").unwrap());
    mark(&mut volume, "fixed", InodeFlags::IMMUTABLE);
    mark(&mut volume, "log", InodeFlags::APPEND);
    mark(&mut volume, "d", InodeFlags::IMMUTABLE);
    let no = Err(Error::EPERM);
    for path in ["fixed", "log"] {
        assert_eq!(opened(&mut volume, path, flags::READ_WRITE), no, "{path}");
        assert_eq!(opened(&mut volume, path, flags::WRITE_ONLY | flags::TRUNCATE), no, "{path}");
        assert_eq!(volume.unlink(path), no, "{path}");
        assert_eq!(volume.rename(path, "other", Owner::NOBODY), no, "{path}");
        assert_eq!(volume.rename("free", path, Owner::NOBODY), no, "{path}");
    }
    assert_eq!(opened(&mut volume, "fixed", flags::WRITE_ONLY | flags::APPEND), no);
    let mut log = volume.open("log", flags::WRITE_ONLY | flags::APPEND, Owner::NOBODY).unwrap();
    assert_eq!(volume.write(&mut log, b"two"), Ok(3));
    assert_eq!(volume.truncate(&log, 0), no);
    volume.close(log).unwrap();
    assert_eq!(get(&mut volume, "log"), Ok(b"onetwo".into()));
    assert_eq!(get(&mut volume, "fixed"), Ok(b"one".into()));
    assert_eq!(opened(&mut volume, "d/new", NEW), no);
    assert_eq!(volume.make_directory("d/new", Owner::NOBODY), no);
    assert_eq!(volume.make_link("d/new", "x", Owner::NOBODY), no);
    assert_eq!(volume.unlink("d/file"), no);
    assert_eq!(volume.rename("free", "d/free", Owner::NOBODY), no);
    assert_eq!(volume.rename("d/file", "file", Owner::NOBODY), no);
    // What is in a file is not its directory's.
    put(&mut volume, "d/file", b"two").unwrap();
}
#[test]
fn names_that_can_not_be_said_are_counted() {
    let mut volume = mount(&fresh());
    let root = volume.files.root_inode();
    let permissions = FilePermissions::new(0o666).unwrap();
    for name in ["two words", "größe", &"x".repeat(64), &"y".repeat(255), &"z".repeat(63)] {
        volume.files.create_regular_file(BY, root, FileName::new(name.as_bytes()).unwrap(), permissions).unwrap();
    }
    assert_eq!(names(&mut volume, "/"), (vec!["lost+found".into(), "z".repeat(63)], 4));
    // From the start it is counted anew.
    let mut open = volume.open("/", 0, Owner::NOBODY).unwrap();
    while volume.next(&mut open, can_say).unwrap().is_some() {}
    volume.seek(&mut open, 0, abi::file::whence::START).unwrap();
    assert_eq!(volume.left_out(&open), Ok(0));
    put(&mut volume, "file", b"").unwrap();
    let file = volume.open("file", 0, Owner::NOBODY).unwrap();
    assert_eq!(volume.left_out(&file), Err(Error::ENOTDIR));
}
