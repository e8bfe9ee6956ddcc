//! Where events of traced calls are written ([`crate::operations::tracing`]), and for whom.

use abi::identity::DomainId;

/// Where events are written.
#[derive(Clone, Copy, Debug)]
pub struct Tracer {
    /// Supervisor addresses of the first event's place, and of the recorder; 0: nothing was traced so far.
    pub ring: u64,
    pub recorder: u64,
    /// Who has asked for it last: with that domain's end all tracing ends.
    pub by: Option<DomainId>,
}
impl Tracer {
    pub const NONE: Tracer = Tracer { ring: 0, recorder: 0, by: None };
}
