//! Lists of frames that open windows show.

use crate::Result;
use abi::Error;

/// Most pages that calls of a domain may lend while it is forked or its pages are replaced.
const LENT: usize = 64;

/// Physical addresses of frames that windows show, where a window shows all of them.
#[repr(align(512))]
pub struct Lent([usize; LENT], usize);

impl Lent {
    pub fn new() -> Lent {
        Lent([0; LENT], 0)
    }
    pub fn add(&mut self, pa: usize) {
        if let Some(place) = self.0.get_mut(self.1) {
            *place = pa;
        }
        self.1 += 1;
    }
    pub fn count(&self) -> usize {
        self.1
    }
    /// Those there are. `EWINDOW`: more than fit.
    pub fn all(&self) -> Result<&[usize]> {
        self.0.get(..self.1).ok_or(Error::EWINDOW)
    }
    /// Their address and number; a number that no window shows: more than fit.
    pub fn window(&self) -> (usize, usize) {
        (self.0.as_ptr() as usize, self.all().map_or(usize::MAX, |all| all.len()))
    }
}
