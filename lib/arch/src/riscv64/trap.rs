//! Exceptions (RISC-V privileged specification, table "Supervisor cause register values").

use abi::rights::Rights;

const INSTRUCTION_PAGE_FAULT: usize = 12;
const LOAD_PAGE_FAULT: usize = 13;
const STORE_PAGE_FAULT: usize = 15;

/// What an access wanted that the tables did not allow; `None`: `cause` is another exception.
pub const fn access(cause: usize) -> Option<Rights> {
    match cause {
        INSTRUCTION_PAGE_FAULT => Some(Rights::EXECUTE),
        LOAD_PAGE_FAULT => Some(Rights::READ),
        STORE_PAGE_FAULT => Some(Rights::WRITE),
        _ => None,
    }
}
/// The exception of an access for reading or writing that the tables do not allow.
pub const fn page_fault(write: bool) -> usize {
    if write { STORE_PAGE_FAULT } else { LOAD_PAGE_FAULT }
}
