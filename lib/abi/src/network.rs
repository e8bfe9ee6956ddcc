//! What a driver of a network card and its client agree on.
//!
//! `network.send (frame, bytes)` sends a frame and returns for how many more there is room, or `EAGAIN`. `network.receive (buffer, bytes)`
//! waits until a frame has arrived and returns how many bytes of the buffer are filled: with records, each a word with the frame's length, and
//! the frame, [`LEAD`] bytes behind it, filled up to whole words. It returns 0 when there is room again for what could not be sent. `network.address ()` is the card's
//! address, its first byte lowest.

use core::ops::Range;

/// Longest frame: addresses and type, and what Ethernet carries (IEEE 802.3, without its checksum).
pub const FRAME: usize = SHORTEST + 1500;
/// Shortest: addresses and type.
pub const SHORTEST: usize = 14;

/// So many bytes beyond a word a frame begins wherever it is: what Ethernet carries begins with a word then, and copies move words.
pub const LEAD: usize = 2;
/// Bytes of a record before its frame.
pub const RECORD_HEAD: usize = size_of::<u64>() + LEAD;

/// Bytes of a frame's record.
pub const fn record_bytes(frame: usize) -> usize {
    (RECORD_HEAD + frame).next_multiple_of(size_of::<u64>())
}

/// Where the first frame is that the filled part of a buffer has there, and where its record ends. It is a driver's word: `None` where that does not fit.
fn first(filled: &[u8], at: usize) -> Option<(Range<usize>, usize)> {
    let bytes = u64::from_le_bytes(*filled.get(at..)?.first_chunk::<8>()?) as usize;
    if bytes > FRAME {
        return None;
    }
    let frame = at + RECORD_HEAD..at + RECORD_HEAD + bytes;
    (frame.end <= filled.len()).then_some((frame, (at + record_bytes(bytes)).min(filled.len())))
}
/// The frames in the filled part of a buffer. What does not fit ends them.
pub fn frames(filled: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut at = 0;
    core::iter::from_fn(move || {
        let (frame, end) = first(filled, at)?;
        at = end;
        Some(&filled[frame])
    })
}
/// Has each of these frames looked at. Those that are not to stay are taken out, and what is behind them moves up: how many bytes are filled then.
pub fn retain(filled: &mut [u8], mut stays: impl FnMut(&mut [u8]) -> bool) -> usize {
    let (mut at, mut kept) = (0, 0);
    while let Some((frame, end)) = first(filled, at) {
        if stays(&mut filled[frame]) {
            if kept < at {
                filled.copy_within(at..end, kept);
            }
            kept += end - at;
        }
        at = end;
    }
    kept
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
    fn frames_that_do_not_stay_are_taken_out_and_others_may_change() {
        let mut buffer = Vec::new();
        let all: [&[u8]; 5] = [b"one", b"stays", &[7; FRAME], b"three", b"also"];
        all.iter().for_each(|frame| record(&mut buffer, frame));
        buffer.extend([9, 0, 0]);
        let kept = retain(&mut buffer, |frame| {
            frame[0] = frame[0].to_ascii_uppercase();
            frame.len() != 3 && frame.len() != FRAME
        });
        assert_eq!(frames(&buffer[..kept]).collect::<Vec<_>>(), [b"Stays", b"Three", &b"Also"[..]]);
        assert_eq!((retain(&mut buffer[..kept], |_| false), retain(&mut [], |_| true)), (0, 0));
    }
    #[test]
    fn where_all_stay_nothing_moves() {
        let mut buffer = Vec::new();
        [b"one", b"two"].iter().for_each(|frame| record(&mut buffer, *frame));
        let before = buffer.clone();
        assert_eq!((retain(&mut buffer, |_| true), &buffer), (before.len(), &before));
        // The last one's record may end with its frame.
        let cut = before.len() - 3;
        assert_eq!(retain(&mut buffer[..cut], |_| true), cut);
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
