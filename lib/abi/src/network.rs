//! What a driver of a network card and its client agree on.
//!
//! `network.send (frame, bytes)` sends a frame and returns for how many more there is room, or `EAGAIN`. `network.receive (buffer, bytes)`
//! waits until a frame has arrived and returns how many bytes of the buffer are filled: with records, each a word with the frame's length, and
//! the frame, [`LEAD`] bytes behind it, filled up to whole words. It returns 0 when there is room again for what could not be sent. `network.address ()` is the card's
//! address, its first byte lowest.

/// Longest frame: addresses and type, and what Ethernet carries (IEEE 802.3, without its checksum).
pub const FRAME: usize = 14 + 1500;

/// So many bytes beyond a word a frame begins wherever it is: what Ethernet carries begins with a word then, and copies move words.
pub const LEAD: usize = 2;
/// Bytes of a record before its frame.
pub const RECORD_HEAD: usize = size_of::<u64>() + LEAD;

/// Bytes of a frame's record.
pub const fn record_bytes(frame: usize) -> usize {
    (RECORD_HEAD + frame).next_multiple_of(size_of::<u64>())
}

/// The frames in the filled part of a buffer. It is a driver's word: what does not fit ends them.
pub fn frames(mut filled: &[u8]) -> impl Iterator<Item = &[u8]> {
    core::iter::from_fn(move || {
        let head = filled.first_chunk::<8>()?;
        let bytes = u64::from_le_bytes(*head) as usize;
        if bytes > FRAME {
            return None;
        }
        let frame = filled.get(RECORD_HEAD..RECORD_HEAD + bytes)?;
        filled = filled.get(record_bytes(bytes)..).unwrap_or(&[]);
        Some(frame)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(buffer: &mut Vec<u8>, frame: &[u8]) {
        buffer.extend((frame.len() as u64).to_le_bytes());
        buffer.extend([0xff; LEAD]);
        buffer.extend(frame);
        buffer.resize(buffer.len().next_multiple_of(8), 0);
    }
    #[test]
    fn frames_come_out_as_they_were_put_in() {
        let mut buffer = Vec::new();
        let all: [&[u8]; 3] = [b"first", b"", &[7; FRAME]];
        all.iter().for_each(|frame| record(&mut buffer, frame));
        assert_eq!(frames(&buffer).collect::<Vec<_>>(), all);
        assert_eq!(buffer.len(), all.iter().map(|frame| record_bytes(frame.len())).sum::<usize>());
    }
    #[test]
    fn a_record_that_is_cut_off_or_too_long_ends_them() {
        let mut buffer = Vec::new();
        record(&mut buffer, b"whole");
        buffer.extend(9u64.to_le_bytes());
        assert_eq!(frames(&buffer).count(), 1);
        buffer[record_bytes(5)..][..8].copy_from_slice(&u64::MAX.to_le_bytes());
        assert_eq!(frames(&buffer).count(), 1);
    }
}
