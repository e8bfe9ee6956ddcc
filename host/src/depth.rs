//! How deep the calls of the first components go among themselves, from the portals of a built image: for `./pebble check`, which
//! compares it with what is reserved on every invocation stack (`abi::nucleus::limit`; the book, "How deep calls go").

use abi::address::{BOOT_INFO, IMAGE_BASE, code_physical};
use abi::boot::BootInfo;
use abi::nucleus::{BLOCK_HEADER, BLOCK_MAGIC, EXCEPTION_FRAME, flags, limit};
use anyhow::{Result, bail};
use std::collections::BTreeMap;

/// Calls of first components that are nested at most, from a fault or a client's call on, those into masked components left out: a
/// fault ends its domain, which the name server forgets, whose heap grows.
const NESTED: usize = 3;

/// Bytes of invocation frames, and what they may take.
#[derive(Debug, PartialEq, Eq)]
pub struct Depth {
    /// Of the deepest nested calls between the first components.
    pub calls: usize,
    /// Of the largest frame of a call into a component that runs with interrupts off.
    pub masked: usize,
}
impl Depth {
    /// Of the image's portals.
    pub fn of(image: &[u8]) -> Result<Depth> {
        let at = BOOT_INFO - IMAGE_BASE;
        if image.len() < at + size_of::<BootInfo>() {
            bail!("the image has no boot information");
        }
        // SAFETY: as many bytes, and all fields are integers, for which every value is one.
        let info: Box<BootInfo> = Box::new(unsafe { image[at..].as_ptr().cast::<BootInfo>().read_unaligned() });
        let flags_of = |asid: u64| info.domains.iter().find(|d| d.asid == asid).map_or(0, |d| d.flags);
        let mut largest: BTreeMap<(u64, u64), usize> = BTreeMap::new();
        let mut masked = 0;
        for open in &info.opens[..info.open_count as usize] {
            // Those of the nucleus, which are not in the list, leave no frame.
            let Some(portal) = info.portals.get(open.portal as usize) else { continue };
            let (from, to) = (open.asid as u64, portal.asid);
            let Some(frame) = frame(image, open.code) else { continue };
            if flags_of(from) & flags::TRUSTED == 0 {
                continue;
            }
            if flags_of(to) & flags::MASKED != 0 {
                masked = masked.max(frame);
            } else if flags_of(from) & flags_of(to) & flags::TRUSTED != 0 {
                let edge = largest.entry((from, to)).or_default();
                *edge = frame.max(*edge);
            }
        }
        Ok(Depth { calls: deepest(&largest), masked })
    }
    /// What is wrong with the limits, if anything is.
    pub fn exceeds(&self) -> Option<String> {
        let ends = [("untrusted code", limit::UNTRUSTED_TOP), ("a trusted server", limit::CLIENT)];
        for (who, top) in ends {
            let room = top - EXCEPTION_FRAME - limit::BOOT;
            if self.calls > room {
                return Some(format!("a fault of {who} has {room} bytes for nested calls, which take {}", self.calls));
            }
        }
        // On top of a fault's frame, where nothing else but an interrupt comes.
        let room = limit::BOOT - EXCEPTION_FRAME - limit::MASKED;
        (self.masked > room).then(|| format!("a call of the scheduler has {room} bytes, and takes {}", self.masked))
    }
}
/// Bytes of the frame of the portal at `code`; `None`: the nucleus's own, which has none.
fn frame(image: &[u8], code: u64) -> Option<usize> {
    let at = code_physical(code as usize).checked_sub(BLOCK_HEADER + IMAGE_BASE)?;
    let word = |n: usize| Some(u32::from_le_bytes(image.get(at + 4 * n..at + 4 * n + 4)?.try_into().ok()?));
    (word(0)? == BLOCK_MAGIC).then_some(word(2)? as usize)
}
/// Bytes of the frames of [`NESTED`] calls, each by whom the one before has called.
fn deepest(largest: &BTreeMap<(u64, u64), usize>) -> usize {
    let mut below: BTreeMap<u64, usize> = BTreeMap::new();
    for _ in 0..NESTED {
        let mut next: BTreeMap<u64, usize> = BTreeMap::new();
        for (&(from, to), &frame) in largest {
            let here = next.entry(from).or_default();
            *here = (frame + below.get(&to).copied().unwrap_or(0)).max(*here);
        }
        below = next;
    }
    below.values().copied().max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deepest_calls_are_found() {
        let edges = [((1, 2), 40), ((2, 3), 64), ((3, 1), 48), ((2, 4), 100)];
        assert_eq!(deepest(&edges.into()), 48 + 40 + 100);
        assert_eq!(deepest(&[((1, 2), 40)].into()), 40);
    }
    #[test]
    fn more_than_is_reserved_is_reported() {
        assert_eq!(Depth { calls: 0, masked: 0 }.exceeds(), None);
        assert!(Depth { calls: limit::CLIENT, masked: 0 }.exceeds().is_some());
        assert!(Depth { calls: 0, masked: limit::BOOT }.exceeds().is_some());
    }
}
