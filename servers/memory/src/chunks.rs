//! The records of all chunks that devices write to ([`crate::dma`]).

use abi::address::PAGE;

/// Bytes of a chunk's record: where it is; whose it is, as below.
pub(crate) const RECORD: usize = 16;
/// Most chunks of all devices together: their records are in one page.
pub(crate) const RECORDS: usize = PAGE / RECORD;
/// In a record's second word: the page number of the device's registers; above it the domain that has the chunk, or 0.
pub(crate) const OWNER: u32 = 48;

/// All chunks that there are.
#[derive(Default)]
pub struct Chunks {
    /// Physical address of the page of records; 0: nobody has asked for any yet.
    pub(crate) records: usize,
    pub(crate) count: usize,
}
impl Chunks {
    pub const fn new() -> Chunks {
        Chunks { records: 0, count: 0 }
    }
    pub(crate) fn all(&self) -> impl Iterator<Item = usize> + use<> {
        let records = self.records;
        (0..self.count).map(move |n| records + n * RECORD)
    }
}
