//! What the files component and its clients agree on.

/// What each of a descriptor's consecutive portals does, from its first on.
pub mod portal {
    pub const READ: usize = 0;
    pub const WRITE: usize = 1;
    pub const SEEK: usize = 2;
    pub const CONTROL: usize = 3;
    pub const COUNT: usize = 4;
}
/// Flags of `files.open`.
pub mod flags {
    pub const READ_ONLY: usize = 0;
    pub const WRITE_ONLY: usize = 1;
    pub const READ_WRITE: usize = 2;
    pub const ACCESS: usize = 3;
    pub const APPEND: usize = 0x0008;
    pub const CREATE: usize = 0x0200;
    pub const TRUNCATE: usize = 0x0400;
    pub const EXCLUSIVE: usize = 0x0800;
}
/// Where the seek portal counts from.
pub mod whence {
    pub const START: usize = 0;
    pub const POSITION: usize = 1;
    pub const END: usize = 2;
}
/// Operations of the control portal.
pub mod operation {
    /// Four more portals to the same control block; the first one's number.
    pub const DUPLICATE: usize = 1;
}
