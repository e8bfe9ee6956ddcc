//! Lists of frames that open windows show.

use crate::Result;
use abi::Error;
use alloc::boxed::Box;
use core::cell::Cell;
use fallible::boxed;

/// Most pages that calls of a domain may lend while it is forked or its pages are replaced.
const LENT: usize = 64;

/// Lies in one page, so that a window shows all of it.
#[repr(align(512))]
struct List([Cell<usize>; LENT]);
const _: () = assert!(size_of::<List>() == align_of::<List>());

/// Physical addresses of frames that windows show.
pub struct OpenWindows {
    list: Option<Box<List>>,
    count: Cell<usize>,
}
impl OpenWindows {
    /// Without room for any.
    pub const fn none() -> OpenWindows {
        OpenWindows { list: None, count: Cell::new(0) }
    }
    pub fn new() -> Result<OpenWindows> {
        Ok(OpenWindows { list: Some(boxed(List([const { Cell::new(0) }; LENT]))?), ..OpenWindows::none() })
    }
    pub fn clear(&self) {
        self.count.set(0);
    }
    pub fn add(&self, pa: usize) {
        let count = self.count();
        if let Some(place) = self.list.as_ref().and_then(|list| list.0.get(count)) {
            place.set(pa);
        }
        self.count.set(count + 1);
    }
    pub fn count(&self) -> usize {
        self.count.get()
    }
    /// Their address and number. `EWINDOW`: more than fit.
    pub fn all(&self) -> Result<(usize, usize)> {
        let list = self.list.as_ref().filter(|list| self.count() <= list.0.len()).ok_or(Error::EWINDOW)?;
        Ok((list.0.as_ptr() as usize, self.count()))
    }
    /// The same; a number that no window shows: more than fit.
    pub fn window(&self) -> (usize, usize) {
        let place = self.list.as_ref().map_or(0, |list| list.0.as_ptr() as usize);
        self.all().unwrap_or((place, usize::MAX))
    }
}
