//! Random bytes, from the source that the machine has.

use crate::file::ask;
use crate::portal::in_page;
use crate::{Error, Result};

crate::import! { optional:
    READ = "entropy.read";
}

/// Fills `bytes` with what nobody can foresee. `EPORTAL`, `ENOENT`: the machine or the system has no source; `EACCESS`: the manifest does
/// not allow it.
pub fn fill(bytes: &mut [u8]) -> Result<()> {
    let mut done = 0;
    while done < bytes.len() {
        let rest = &mut bytes[done..];
        match ask(&READ, [rest.as_mut_ptr() as usize, in_page(rest)])? {
            0 => return Err(Error::EIO),
            count => done += count,
        }
    }
    Ok(())
}
