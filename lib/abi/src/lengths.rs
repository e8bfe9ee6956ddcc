//! How long names and specifications may be: one rule for all that crosses a boundary.
//!
//! Both end with a 0, which counts. A name has at most [`NAME`] bytes with it, a specification at most [`SPEC`], whoever declares, registers or
//! grants; what is longer is refused (`EINVAL`). A caller lends either in a buffer of [`NAMELEN`] bytes, filled up with zeros and aligned to
//! its size, so that one window shows all of it; records that nobody lends have the exact lengths.

/// Bytes of a portal's or a component's name, with its 0.
pub const NAME: usize = 48;
/// Bytes of a specification, with its 0: two letters, and one for each argument.
pub const SPEC: usize = 16;
/// Bytes of the buffer that either is lent in.
pub const NAMELEN: usize = 64;
/// Most arguments of a portal.
pub const ARGUMENTS: usize = 6;

const _: () = assert!(2 + ARGUMENTS < SPEC && SPEC < NAME && NAME <= NAMELEN && NAMELEN.is_power_of_two());
