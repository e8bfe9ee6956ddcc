//! What QEMU logs of a disk that has a log (`blklogwrites`), in the form of Linux's dm-log-writes (`Documentation/admin-guide/device-mapper/log-writes.rst`,
//! `drivers/md/dm-log-writes.c`): a sector that says what it is, then for each request one that says what was asked, and its data.

use anyhow::{Context, Result, bail, ensure};
use outage::{Request, SECTOR};

const MAGIC: u64 = 0x006a_7366_7773_6872;
const VERSION: u64 = 1;
/// What is not a write.
const FLUSH: u64 = 1 << 0;

/// Requests, in the order in which they were made, each with where it ends in the log. Where QEMU was killed, the last may lack something: it was not
/// done.
pub fn requests(log: &[u8]) -> Result<Vec<(Request, usize)>> {
    let word = |at: usize| log.get(at..at + 8).map(|bytes| u64::from_le_bytes(bytes.try_into().expect("eight bytes")));
    ensure!(word(0) == Some(MAGIC) && word(8) == Some(VERSION), "it is no log of a disk");
    let size = word(24).map(|word| word as u32);
    ensure!(size == Some(SECTOR as u32), "its sectors have {size:?} bytes");
    let mut found = Vec::new();
    let mut at = SECTOR;
    while let (Some(sector), Some(count), Some(flags)) = (word(at), word(at + 8), word(at + 16)) {
        let data = at + SECTOR;
        let end = data + usize::try_from(count).context("a request is too long")? * SECTOR;
        let Some(bytes) = log.get(data..end) else { break };
        match flags {
            0 => found.push((Request::Write { sector: sector as usize, bytes: bytes.to_vec() }, end)),
            FLUSH if count == 0 => found.push((Request::Flush, end)),
            _ => bail!("a request of kind {flags:#x} with {count} sectors is not known"),
        }
        at = end;
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sector(words: [u64; 4]) -> Vec<u8> {
        let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.resize(SECTOR, 0);
        bytes
    }
    fn head() -> Vec<u8> {
        sector([MAGIC, VERSION, 0, SECTOR as u64])
    }
    #[test]
    fn a_log_is_read_in_its_order() {
        let log = [head(), sector([7, 2, 0, 0]), vec![9; 2 * SECTOR], sector([0, 0, FLUSH, 0])].concat();
        let write = Request::Write { sector: 7, bytes: vec![9; 2 * SECTOR] };
        assert_eq!(requests(&log).unwrap(), [(write, 4 * SECTOR), (Request::Flush, 5 * SECTOR)]);
    }
    #[test]
    fn a_request_without_all_of_its_data_was_not_made() {
        let log = [head(), sector([7, 2, 0, 0]), vec![9; SECTOR]].concat();
        assert_eq!(requests(&log).unwrap(), []);
    }
    #[test]
    fn what_is_no_log_is_refused() {
        assert!(requests(&[0; 2 * SECTOR]).unwrap_err().to_string().contains("no log"));
        assert!(requests(&[]).is_err());
    }
    #[test]
    fn a_request_that_is_not_known_is_refused() {
        let log = [head(), sector([0, 8, 4, 0])].concat();
        assert!(requests(&[log, vec![0; 8 * SECTOR]].concat()).unwrap_err().to_string().contains("kind 0x4"));
    }
}
