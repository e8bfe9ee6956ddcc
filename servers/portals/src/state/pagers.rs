//! How pagers are watched.

/// How pagers are watched.
pub struct Watch {
    /// Whether seconds are counted.
    pub counts: bool,
    /// The `time` up to which they have been.
    pub until: u64,
}

impl Watch {
    pub const NONE: Watch = Watch { counts: false, until: 0 };
}
