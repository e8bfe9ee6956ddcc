//! What the portals know: a page of translations, read by the code of the letter `k`.
//!
//! Each place has the caller's name for a capability, the serial numbers of caller and callee, and the callee's name. Portal
//! code only reads it, but for a capability that is for one use, whose translation it takes away.

/// Places; each argument of a call has a row of its own, so that the capabilities of one call do not push each other out. In its
/// row, the place of a translation is the sum of name and caller's serial number, less the upper bits.
pub const PLACES: usize = 64;
pub const ROW: usize = 8;
const _: () = assert!(portal::specification::ARGUMENTS * ROW <= PLACES);

/// One translation. All zeros: none.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Translation {
    /// The caller's name; 0 is nobody's.
    pub name: u64,
    pub caller: u64,
    pub callee: u64,
    /// The callee's name.
    pub result: u64,
    /// 1: it holds for one call.
    pub once: u64,
    pub unused: [u64; 3],
}
/// The record that the portals' code reads.
#[repr(C, align(4096))]
pub struct Cache(pub [Translation; PLACES]);

impl Cache {
    pub const EMPTY: Cache =
        Cache([Translation { name: 0, caller: 0, callee: 0, result: 0, once: 0, unused: [0; 3] }; PLACES]);
    /// The place of what `caller` calls `name` and passes as argument `argument`.
    pub fn place(name: u64, caller: u64, argument: usize) -> usize {
        argument * ROW % PLACES + (name.wrapping_add(caller)) as usize % ROW
    }
    /// Whether there is a translation for one use, in whatever row, that was not used.
    pub fn has_unused(&self, like: &Translation) -> bool {
        let same = |t: &Translation| (t.name, t.caller, t.callee) == (like.name, like.caller, like.callee);
        // SAFETY: translations of our own, whose words portal code changes.
        self.0.iter().map(|t| unsafe { core::ptr::read_volatile(t) }).any(|t| t.once != 0 && same(&t))
    }
    /// Puts a translation in; a portal that looks meanwhile finds none, for the name goes last. One for one use that was there and
    /// was not used is given back.
    pub fn put(&mut self, new: Translation, argument: usize) -> Option<Translation> {
        let place = &mut self.0[Self::place(new.name, new.caller, argument)];
        // SAFETY: a translation of our own, whose words portal code changes.
        let old = unsafe { core::ptr::read_volatile(place) };
        *place = Translation { name: 0, ..new };
        core::sync::atomic::compiler_fence(core::sync::atomic::Ordering::SeqCst);
        // SAFETY: a plain word of our own, written whole.
        unsafe { core::ptr::write_volatile(&mut place.name, new.name) };
        (old.name != 0 && old.once != 0).then_some(old)
    }
    /// Forgets all but those for one use.
    pub fn clear(&mut self) {
        for place in self.0.iter_mut().filter(|place| place.once == 0) {
            // SAFETY: as above.
            unsafe { core::ptr::write_volatile(&mut place.name, 0) };
        }
    }
}
const _: () = assert!(size_of::<Translation>() == 64 && size_of::<Cache>() == abi::address::PAGE);
