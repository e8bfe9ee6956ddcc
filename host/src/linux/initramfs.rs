//! The file system that Linux starts with: an archive of cpio's "new ASCII" format (kernel documentation,
//! driver-api/early-userspace/buffer-format), with one program and what it needs.

const FOLDER: u32 = 0o040755;
const PROGRAM: u32 = 0o100755;
const CHARACTER_DEVICE: u32 = 0o020600;
/// Major and minor number of /dev/console (kernel documentation, admin-guide/devices.txt).
const CONSOLE: (u32, u32) = (5, 1);
const ALIGNMENT: usize = 4;

fn add(archive: &mut Vec<u8>, name: &str, mode: u32, device: (u32, u32), content: &[u8]) {
    let (links, owner, time, number) = (1, 0, 0, 0);
    let name_size = name.len() as u32 + 1;
    let size = u32::try_from(content.len()).expect("a program is below 4 GiB");
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

/// An archive in which `program` is /init, with a console, and places to mount /proc and /dev.
pub fn with_init(program: &[u8]) -> Vec<u8> {
    let mut archive = Vec::new();
    add(&mut archive, "proc", FOLDER, (0, 0), &[]);
    add(&mut archive, "dev", FOLDER, (0, 0), &[]);
    add(&mut archive, "dev/console", CHARACTER_DEVICE, CONSOLE, &[]);
    add(&mut archive, "init", PROGRAM, (0, 0), program);
    add(&mut archive, "TRAILER!!!", 0, (0, 0), &[]);
    archive
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn entries_have_their_sizes_and_start_at_multiples_of_4() {
        let archive = with_init(b"12345");
        let starts: Vec<usize> =
            archive.windows(6).enumerate().filter(|(_, w)| w == b"070701").map(|(at, _)| at).collect();
        assert_eq!(starts.len(), 5);
        assert!(starts.iter().all(|at| at % ALIGNMENT == 0));
        // The seventh field of the header: 5 bytes of content.
        let size = starts[3] + 6 + 6 * 8;
        assert_eq!(&archive[size..size + 8], b"00000005");
        assert_eq!(archive.len() % ALIGNMENT, 0);
    }
}
