//! What the portals know: a page of translations, read by the code of the letter `k`.
//!
//! Each place has the caller's name for a capability, the serial numbers of caller and callee, and the callee's name. Portal
//! code only reads it, but for a capability that is for one use, whose translation it takes away.

/// Places; the one of a translation is the sum of name and caller's serial number, less the upper bits.
pub const PLACES: usize = 64;

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
    /// The place of what `caller` calls `name`.
    pub fn place(name: u64, caller: u64) -> usize {
        (name.wrapping_add(caller)) as usize % PLACES
    }
    /// Puts a translation in; a portal that looks meanwhile finds none, for the name goes last. One for one use that was there and
    /// was not used is given back.
    pub fn put(&mut self, new: Translation) -> Option<Translation> {
        let place = &mut self.0[Self::place(new.name, new.caller)];
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
