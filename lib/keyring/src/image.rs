//! The text that the system's image has, for a service that takes such files.

use crate::{Keys, Kind};
use alloc::sync::Arc;
use pebble::{Error, Result};

// ring has no random bytes here, and needs none: nothing is signed.
getrandom::register_custom_getrandom!(random);
fn random(_: &mut [u8]) -> core::result::Result<(), getrandom::Error> {
    Err(getrandom::Error::UNSUPPORTED)
}

/// What it says. `ENOENT`: the image has none; `EINVAL`: it is none, and what is wrong with it is in the system log; `ENOMEM`.
pub fn keys(of: Kind) -> Result<Arc<Keys>> {
    let text = pebble::image::file(of.path)?;
    let text = core::str::from_utf8(&text).map_err(|_| Error::EINVAL)?;
    let keys = Keys::parse(text, of).map_err(|why| {
        pebble::say(format_args!("{}: {why}", of.path));
        Error::EINVAL
    })?;
    Arc::try_new(keys).map_err(|_| Error::ENOMEM)
}
