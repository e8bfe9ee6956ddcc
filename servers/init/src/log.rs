//! The system log in RAM that the host reads.

use abi::log::{HEADER, Header};

/// Writes to the log's bytes, header first.
pub struct Log<'a> {
    bytes: &'a mut [u8],
}
impl<'a> Log<'a> {
    /// `bytes` are the whole log, aligned to 8.
    pub fn new(bytes: &'a mut [u8]) -> Log<'a> {
        Log { bytes }
    }
    pub fn header(&mut self) -> &mut Header {
        // SAFETY: the log is longer than its header and aligned; the header is plain words.
        unsafe { &mut *(self.bytes.as_mut_ptr() as *mut Header) }
    }
    /// Adds a line; what does not fit is left out as a whole.
    pub fn line(&mut self, line: &str) {
        let at = HEADER + self.header().length as usize;
        let end = at + line.len() + 1;
        if end <= self.bytes.len() {
            self.bytes[at..end - 1].copy_from_slice(line.as_bytes());
            self.bytes[end - 1] = b'\n';
            self.header().length += line.len() as u64 + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn lines_follow_each_other_and_a_full_log_stays_whole() {
        let mut words = [0u64; 8];
        // SAFETY: the bytes of the words.
        let bytes = unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr() as *mut u8, 64) };
        let mut log = Log::new(bytes);
        log.line("one");
        log.line("two");
        log.line("this line has no room any more");
        assert_eq!(log.header().length, 8);
        assert_eq!(&log.bytes[HEADER..HEADER + 8], b"one\ntwo\n");
    }
}
