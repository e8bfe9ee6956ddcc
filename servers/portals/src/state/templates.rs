//! Whose the templates are that servers have registered.

use abi::template::Lowered;
use alloc::vec::Vec;

/// Who a template is of.
#[derive(Clone, Copy)]
pub struct Owner {
    /// ASID of the server; 0: it is withdrawn, as all of a server's are at its end.
    pub server: usize,
    /// Portal of the portal manager's own table that asks the server for what its code can not do, or 0.
    pub upcall: usize,
}
/// The code of the letters that servers have templates for.
pub struct Registered {
    pub all: Vec<&'static Lowered>,
    /// Whose each is.
    pub owners: Vec<Owner>,
    /// One without letters, once a template was registered.
    pub none: Option<&'static Lowered>,
}
impl Registered {
    pub const fn new() -> Registered {
        Registered { all: Vec::new(), owners: Vec::new(), none: None }
    }
}
