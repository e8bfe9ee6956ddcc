//! Random bytes, from the source that the machine has.

use crate::portal::in_page;
use crate::{Error, Result};
use interfaces::entropy::optional::anew;
use interfaces::types::Alleged;

/// Fills `bytes` with what nobody can foresee. `EPORTAL`, `ENOENT`: the machine or the system has no source; `EACCESS`: the manifest does
/// not allow it.
pub fn fill(bytes: &mut [u8]) -> Result<()> {
    let mut done = 0;
    while done < bytes.len() {
        let rest = &mut bytes[done..];
        let here = in_page(rest);
        match anew::read(Alleged::lend_all_to_write(rest), here)? {
            0 => return Err(Error::EIO),
            count => done += count,
        }
    }
    Ok(())
}
