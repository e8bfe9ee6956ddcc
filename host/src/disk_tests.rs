//! Disks that are made, and disks of others, which lie or have names that a terminal would obey.

use super::*;

#[test]
fn what_was_put_on_a_disk_is_got_from_it() {
    let folder = tempfile::tempdir().unwrap();
    let disk = folder.path().join("disk");
    create(&disk, 32).unwrap();
    let bytes: Vec<u8> = (0..3_000_000u32).map(|n| (n.wrapping_mul(2654435761) >> 24) as u8).collect();
    with(&disk, |volume| put(volume, &bytes, "/a/b/long")).unwrap();
    assert_eq!(with(&disk, |volume| get(volume, "a/b/long")).unwrap(), bytes);
    assert_eq!(with(&disk, check).unwrap(), Checked { files: 1, bytes: 3_000_000, ..Checked::default() });
}
#[test]
fn a_file_that_finds_no_room_leaves_the_disk_as_it_was() {
    let disk = Changed::new(|volume| put(volume, b"before", "/a/old"));
    let before = with(&disk.file(), |volume| Ok(volume.space().free)).unwrap();
    let long = vec![7; 40 << 20];
    for path in ["/a/old", "/b/c/new", "new"] {
        let said = with(&disk.file(), |volume| put(volume, &long, path)).unwrap_err().to_string();
        assert_eq!(said, format!("{path}: no space on the disk"));
    }
    assert_eq!(with(&disk.file(), |volume| get(volume, "/a/old")).unwrap(), b"before");
    assert_eq!(with(&disk.file(), |volume| Ok(volume.space().free)).unwrap(), before);
    // It, and lost+found.
    assert_eq!(with(&disk.file(), |volume| list(volume, "/")).unwrap().all.len(), 2);
    // In a place that is a directory's, too.
    assert!(with(&disk.file(), |volume| put(volume, b"x", "/a")).is_err());
    assert_eq!(disk.check().unwrap(), (1, 6));
}
/// Of an entry: 1 a file, 2 a directory, which is what these tests name in capitals.
fn kind(name: &str) -> u8 {
    if name.starts_with(char::is_uppercase) { 2 } else { 1 }
}
/// A disk that somebody changes.
struct Changed {
    folder: tempfile::TempDir,
}
impl Changed {
    fn new(make: impl FnOnce(&mut Mounted<Image>) -> Result<()>) -> Changed {
        let changed = Changed { folder: tempfile::tempdir().unwrap() };
        create(&changed.file(), 32).unwrap();
        with(&changed.file(), make).unwrap();
        changed
    }
    fn file(&self) -> PathBuf {
        self.folder.path().join("disk")
    }
    /// Files, and bytes in them.
    fn check(&self) -> Result<(usize, u64)> {
        with(&self.file(), check).map(|checked| (checked.files, checked.bytes))
    }
    /// From now on the last part `name` of a path leads to what `other` does. A name is there once, and once more in the journal.
    fn lead(&self, name: &str, other: &str) {
        let mut bytes = fuzz::disk::without_checksums(std::fs::read(self.file()).unwrap());
        // An entry of a directory: inode, its length, the name's, the kind, the name ("Linear Directories").
        let entry = |name: &str| [&[name.len() as u8], &[kind(name)][..], name.as_bytes()].concat();
        let places = |wanted: &str| -> Vec<usize> {
            let wanted = entry(wanted);
            (6..bytes.len() - wanted.len()).filter(|&at| bytes[at..].starts_with(&wanted)).map(|at| at - 6).collect()
        };
        let (from, to) = (places(name), places(other));
        let inode: [u8; 4] = bytes[to[0]..][..4].try_into().unwrap();
        assert!(!from.is_empty());
        from.into_iter().for_each(|at| bytes[at..][..4].copy_from_slice(&inode));
        std::fs::write(self.file(), bytes).unwrap();
    }
}
fn directory(volume: &mut Mounted<Image>, path: &str) -> Result<()> {
    about(volume.make_directory(path, Owner::NOBODY), path)
}
#[test]
fn names_of_a_disk_are_not_obeyed() {
    let name = "\x1b[2J\u{9b}1m";
    let disk = Changed::new(|volume| put(volume, b"x", name));
    let Listing { all, .. } = with(&disk.file(), |volume| list(volume, "/")).unwrap();
    let said: Vec<String> = all.iter().map(Listed::to_string).collect();
    assert!(said.contains(&"           1 \\u{1b}[2J\\u{9b}1m".into()), "{said:?}");
    let error = with(&disk.file(), |volume| list(volume, name)).err().unwrap();
    assert!(!format!("{error:#}").contains('\x1b'), "{error:?}");
}
#[test]
fn disks_of_others_are_listed_with_all_that_they_have() {
    let disk = Changed::new(|volume| {
        put(volume, b"x", "a name with größe")?;
        put(volume, b"there", "file")?;
        about(volume.make_link("link", "file", Owner::NOBODY), "link")?;
        about(volume.make_link("gone", "\x1b[2J", Owner::NOBODY), "gone")
    });
    let Listing { all, left_out, .. } = with(&disk.file(), |volume| list(volume, "/")).unwrap();
    let said: Vec<String> = all.iter().map(Listed::to_string).collect();
    let wanted = [
        "           1 a name with größe",
        "           5 file",
        "        link gone -> \\u{1b}[2J",
        "        link link -> file",
        "             lost+found/",
    ];
    assert_eq!((&said[..], left_out), (&wanted.map(String::from)[..], 0));
    let checked = with(&disk.file(), check).unwrap();
    assert_eq!(checked, Checked { files: 2, bytes: 6, others: 2, left_out: 0 });
    assert_eq!(with(&disk.file(), |volume| get(volume, "link")).unwrap(), b"there");
    let error = |path| with(&disk.file(), |volume| get(volume, path)).unwrap_err().to_string();
    assert_eq!(error("gone"), "gone: no such name");
    assert_eq!(error("lost+found"), "lost+found: a directory, no file");
}
#[test]
fn a_link_that_can_not_be_read_hides_no_other_name() {
    let disk = Changed::new(|volume| {
        put(volume, b"there", "file")?;
        about(volume.make_link("link", "no text at all", Owner::NOBODY), "link")
    });
    let mut bytes = fuzz::disk::without_checksums(std::fs::read(disk.file()).unwrap());
    let target = b"no text at all";
    let places: Vec<usize> = (0..bytes.len() - target.len()).filter(|&at| bytes[at..].starts_with(target)).collect();
    places.into_iter().for_each(|at| bytes[at] = 0xff);
    std::fs::write(disk.file(), bytes).unwrap();
    let all = with(&disk.file(), |volume| list(volume, "/")).unwrap().all;
    let said: Vec<String> = all.iter().map(Listed::to_string).collect();
    assert_eq!(said, ["           5 file", "        link link -> ? (invalid argument)", "             lost+found/"]);
    assert_eq!(with(&disk.file(), check).unwrap().others, 1);
}
#[test]
fn what_the_machine_could_not_name_is_not_put() {
    let disk = Changed::new(|_| Ok(()));
    let (file, from) = (disk.file(), disk.folder.path().join("from"));
    std::fs::write(&from, b"x").unwrap();
    for to in ["two words", "größe", &"x".repeat(63)] {
        let form = Form::Put { file: file.clone(), from: from.clone(), to: to.into() };
        let error = run(&form).unwrap_err().to_string();
        assert!(error.ends_with("and no blanks"), "{error}");
    }
    run(&Form::Put { file, from, to: "x".repeat(62) }).unwrap();
}
#[test]
fn a_file_with_holes_takes_what_is_in_it() {
    const BYTES: u64 = 1 << 40;
    let disk = Changed::new(|volume| {
        put(volume, b"in front", "sparse")?;
        use abi::file::{flags, whence};
        let mut open = about(volume.open("sparse", flags::READ_WRITE, Owner::NOBODY), "sparse")?;
        about(volume.truncate(&open, BYTES), "sparse")?;
        about(volume.seek(&mut open, 1 << 30, whence::START), "sparse")?;
        about(volume.write(&mut open, b"in the midst"), "sparse")?;
        about(volume.close(open), "sparse")
    });
    assert_eq!(disk.check().unwrap(), (1, BYTES));
    let error = with(&disk.file(), |volume| get(volume, "sparse")).unwrap_err().to_string();
    assert!(error.contains("more than the disk"), "{error}");
    let to = disk.folder.path().join("copy");
    with(&disk.file(), |volume| copy(volume, "sparse", &to)).unwrap();
    use std::os::unix::fs::MetadataExt;
    let (copied, mut there) = (File::open(to).unwrap(), [0; 13]);
    let known = copied.metadata().unwrap();
    assert!(known.len() == BYTES && known.blocks() * 512 < 1 << 20, "{} blocks", known.blocks());
    copied.read_exact_at(&mut there, (1 << 30) - 1).unwrap();
    assert_eq!(&there, b"\0in the midst");
}
#[test]
fn a_directory_in_itself_is_told_of() {
    let disk = Changed::new(|volume| directory(volume, "Above").and_then(|()| directory(volume, "Above/Within")));
    disk.lead("Within", "Above");
    let error = disk.check().unwrap_err().to_string();
    assert!(error.contains("a directory that is in itself"), "{error}");
}
#[test]
fn files_that_have_more_than_there_is_room_for_are_told_of() {
    let disk = Changed::new(|volume| put(volume, &vec![7; 20 << 20], "long").and_then(|()| put(volume, b"x", "short")));
    assert_eq!(disk.check().unwrap(), (2, (20 << 20) + 1));
    disk.lead("short", "long");
    let error = disk.check().unwrap_err().to_string();
    assert!(error.contains("more on the disk than it has room for"), "{error}");
}
#[test]
fn a_disk_is_not_made_over_a_file() {
    let file = tempfile::NamedTempFile::new().unwrap();
    assert!(create(file.path(), 32).is_err());
}
#[test]
fn what_is_no_disk_is_refused() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), vec![7; 1 << 20]).unwrap();
    assert!(mount_file(file.path()).is_err());
}
