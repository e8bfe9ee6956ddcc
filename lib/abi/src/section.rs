//! How a component declares the portals it provides and opens: two sections of its ELF file.
//!
//! The SDK's `provide!` and `import!` fill them. For a component that `init` starts, the SDK's start-up code registers
//! and opens what they list; for the boot components, the image builder does both and writes the numbers in.

pub use crate::lengths::{NAME, SPEC};
use crate::step::Step;

/// Name of the section of [`Provided`].
pub const PROVIDES: &str = ".pebble.provides";
/// What the names of the sections of [`Imported`] begin with.
pub const IMPORTS: &str = ".pebble.imports.";

/// A portal that the component provides.
#[repr(C)]
pub struct Provided {
    pub name: [u8; NAME],
    pub spec: [u8; SPEC],
    /// Address of the entry point (a `fn` in the component; a number in the image builder). 0: the component registers the name itself, later
    /// or not at all.
    pub entry: *const (),
    /// Value of every `c` in the specification.
    pub constant: u64,
}
// SAFETY: written once by the compiler, never changed.
unsafe impl Sync for Provided {}

/// Most steps of a short circuit.
pub const SHORT_CIRCUIT: usize = 16;
/// Code of a trusted component that may end calls of a portal of its own before they enter it (`portal::short_circuit`). Who registers
/// one at run time has all records in one page.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ShortCircuit {
    /// The portal's name.
    pub name: [u8; NAME],
    /// The code, and how many steps of it there are.
    pub steps: [Step; SHORT_CIRCUIT],
    pub count: u64,
    /// An array of records of `stride` bytes; the one with the portal's constant, less the bits that are not in `mask`, is
    /// the call's.
    pub records: *const (),
    pub mask: u64,
    pub stride: u64,
}
// SAFETY: written once by the compiler, never changed.
unsafe impl Sync for ShortCircuit {}
impl ShortCircuit {
    pub const fn new(name: &str, steps: &[Step], records: *const (), mask: u64, stride: u64) -> ShortCircuit {
        let mut all = [Step::NONE; SHORT_CIRCUIT];
        let mut n = 0;
        while n < steps.len() {
            all[n] = steps[n];
            n += 1;
        }
        ShortCircuit { name: padded(name), steps: all, count: steps.len() as u64, records, mask, stride }
    }
}

/// Name of the symbol of a boot component's [`Grown`] tables.
pub const GROWN: &str = "GROWN";
/// A table in a boot component's zeroed data of which the image has the pages of the first [`GROWN_FIRST`] records only; the
/// portal manager has the others mapped when their first record comes to be used.
#[repr(C)]
pub struct Grown {
    pub start: *const (),
    pub records: u64,
    /// Bytes of a record: a divisor of a page, and the table is aligned to it.
    pub stride: u64,
}
// SAFETY: written once by the compiler, never changed.
unsafe impl Sync for Grown {}
/// Records of a [`Grown`] table that are there from the start.
pub const GROWN_FIRST: u64 = 32;

/// A portal that the component opens.
#[repr(C)]
pub struct Imported {
    pub name: [u8; NAME],
    /// The portal's number once it is open, else 0.
    pub number: core::sync::atomic::AtomicU64,
}
impl Imported {
    /// An import that is not open yet.
    pub const fn new(name: &str) -> Imported {
        Imported { name: padded(name), number: core::sync::atomic::AtomicU64::new(0) }
    }
    /// The portal's number in this domain's table; 0 while it is not open.
    #[inline(always)]
    pub fn number(&self) -> usize {
        // SAFETY: reads an initialized word. Volatile, because nothing in the program shows the compiler who writes it:
        // the start-up code does, through the bounds of the section, or the image builder.
        unsafe { self.number.as_ptr().read_volatile() as usize }
    }
}

/// `text` followed by zeros. Panics (at compile time) if it has no room for its terminating 0.
pub const fn padded<const N: usize>(text: &str) -> [u8; N] {
    let bytes = text.as_bytes();
    assert!(bytes.len() < N, "name too long");
    let mut out = [0; N];
    let mut i = 0;
    while i < bytes.len() {
        out[i] = bytes[i];
        i += 1;
    }
    out
}
/// As much of `text` as has room, filled up with zeros: at least one.
pub fn cut<const N: usize>(text: &str) -> [u8; N] {
    let mut out = [0; N];
    let length = text.len().min(N - 1);
    out[..length].copy_from_slice(&text.as_bytes()[..length]);
    out
}
/// All of `text`, filled up with zeros, if it has room with one of them.
pub fn fitted<const N: usize>(text: &str) -> Option<[u8; N]> {
    (text.len() < N).then(|| cut(text))
}
/// The text before the first 0 of `bytes`; what is not UTF-8 reads as "?".
pub fn text(bytes: &[u8]) -> &str {
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    core::str::from_utf8(&bytes[..end]).unwrap_or("?")
}
