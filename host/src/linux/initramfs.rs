//! The file system that Linux starts with: an archive of cpio's "new ASCII" format (kernel documentation,
//! driver-api/early-userspace/buffer-format).

use std::collections::BTreeSet;

const FOLDER: u32 = 0o040755;
const PROGRAM: u32 = 0o100755;
const LINK: u32 = 0o120777;
const CHARACTER_DEVICE: u32 = 0o020600;
/// Major and minor number of /dev/console (kernel documentation, admin-guide/devices.txt).
const CONSOLE: (u32, u32) = (5, 1);
const ALIGNMENT: usize = 4;

/// An archive that is written entry by entry. Names have no `/` in front.
#[derive(Default)]
pub struct Initramfs {
    bytes: Vec<u8>,
    folders: BTreeSet<String>,
}
impl Initramfs {
    /// An archive in which `program` is /init, with a console, and places to mount /proc and /dev.
    pub fn with_init(program: &[u8]) -> Initramfs {
        let mut archive = Initramfs::default();
        archive.folder("proc");
        archive.folder("dev");
        archive.add("dev/console", CHARACTER_DEVICE, CONSOLE, &[]);
        archive.file("init", program);
        archive
    }
    /// A folder, with those that it is in.
    pub fn folder(&mut self, name: &str) {
        if let Some((parent, _)) = name.rsplit_once('/') {
            self.folder(parent);
        }
        if self.folders.insert(name.into()) {
            self.add(name, FOLDER, (0, 0), &[]);
        }
    }
    /// A file that may be executed, with the folders that it is in.
    pub fn file(&mut self, name: &str, content: &[u8]) {
        if let Some((parent, _)) = name.rsplit_once('/') {
            self.folder(parent);
        }
        self.add(name, PROGRAM, (0, 0), content);
    }
    pub fn link(&mut self, name: &str, to: &str) {
        self.add(name, LINK, (0, 0), to.as_bytes());
    }
    /// The archive's bytes.
    pub fn finish(mut self) -> Vec<u8> {
        self.add("TRAILER!!!", 0, (0, 0), &[]);
        self.bytes
    }
    fn add(&mut self, name: &str, mode: u32, device: (u32, u32), content: &[u8]) {
        let archive = &mut self.bytes;
        let (links, owner, time, number) = (1, 0, 0, 0);
        let name_size = name.len() as u32 + 1;
        let size = u32::try_from(content.len()).expect("a file is below 4 GiB");
        archive.extend_from_slice(b"070701");
        let fields = [number, mode, owner, owner, links, time, size, 0, 0, device.0, device.1, name_size, 0];
        for field in fields {
            archive.extend_from_slice(format!("{field:08X}").as_bytes());
        }
        archive.extend_from_slice(name.as_bytes());
        archive.push(0);
        archive.resize(archive.len().next_multiple_of(ALIGNMENT), 0);
        archive.extend_from_slice(content);
        archive.resize(archive.len().next_multiple_of(ALIGNMENT), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    fn starts(archive: &[u8]) -> Vec<usize> {
        archive.windows(6).enumerate().filter(|(_, w)| w == b"070701").map(|(at, _)| at).collect()
    }
    #[test]
    fn entries_have_their_sizes_and_start_at_multiples_of_4() {
        let archive = Initramfs::with_init(b"12345").finish();
        let starts = starts(&archive);
        assert_eq!(starts.len(), 5);
        assert!(starts.iter().all(|at| at % ALIGNMENT == 0));
        // The seventh field of the header: 5 bytes of content.
        let size = starts[3] + 6 + 6 * 8;
        assert_eq!(&archive[size..size + 8], b"00000005");
        assert_eq!(archive.len() % ALIGNMENT, 0);
    }
    #[test]
    fn a_folder_comes_once_and_before_what_is_in_it() {
        let mut archive = Initramfs::default();
        archive.file("a/b/one", b"");
        archive.file("a/b/two", b"");
        let bytes = archive.finish();
        let name = |at: &usize| bytes[at + 6 + 13 * 8..].split(|byte| *byte == 0).next().unwrap().to_vec();
        let names: Vec<Vec<u8>> = starts(&bytes).iter().map(name).collect();
        assert_eq!(names, [&b"a"[..], b"a/b", b"a/b/one", b"a/b/two", b"TRAILER!!!"]);
    }
}
