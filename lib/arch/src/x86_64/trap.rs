//! Exceptions. A cause is the vector's number, and above it the error code (Intel SDM volume 3A, section 6.15).

use abi::rights::Rights;

const PAGE_FAULT: usize = 14;
/// Bits of the error code, above the vector's 8: a write; an instruction fetch.
const WRITE: usize = 1 << (8 + 1);
const FETCH: usize = 1 << (8 + 4);

pub const fn access(cause: usize) -> Option<Rights> {
    if cause & 0xff != PAGE_FAULT {
        None
    } else if cause & FETCH != 0 {
        Some(Rights::EXECUTE)
    } else if cause & WRITE != 0 {
        Some(Rights::WRITE)
    } else {
        Some(Rights::READ)
    }
}
pub const fn page_fault(write: bool) -> usize {
    PAGE_FAULT | if write { WRITE } else { 0 }
}
