//! Files of the system's image, as init has them: for who runs before `files`, or where that is not.

use crate::fallible::{self, TryPush};
use crate::page::Page;
use crate::{Error, Result};
use abi::name::Name;
use alloc::vec::Vec;
use interfaces::init;
use interfaces::types::Alleged;

/// All that is in the image's file of that path. `ENOENT`; `ENOMEM`.
pub fn file(path: &str) -> Result<Vec<u8>> {
    let mut page = fallible::boxed(Page([0; abi::address::PAGE]))?;
    for number in 0.. {
        init::file(number, usize::MAX, Alleged::lend_all_to_write(&mut page.0))?;
        if Name::new(&page.0).is_ok_and(|name| name.text() == path) {
            let mut all = Vec::new();
            while let count @ 1.. = init::file(number, all.len(), Alleged::lend_all_to_write(&mut page.0))? {
                all.room_for(count)?;
                all.extend_from_slice(&page.0[..count]);
            }
            return Ok(all);
        }
    }
    Err(Error::ENOENT)
}
