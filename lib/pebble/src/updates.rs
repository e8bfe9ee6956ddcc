//! Updates of components, as who has one asks for them: the updates service (`services/updates`) tries them out and keeps them.

use crate::portal::by_pages;
pub use crate::refused::Refused;
use crate::{Error, Result};
use abi::section::{NAME, fitted};
pub use abi::updating::Kept;
use abi::updating::Request;
use abi::window::WholePage;
use interfaces::types::Alleged;
use interfaces::updates::optional as updates;

/// What the service answers to a request about component `name`.
fn ask(name: &str, ask: impl FnOnce(Alleged<Request>) -> Result<()>) -> core::result::Result<(), Refused> {
    let mut request =
        fallible::boxed(WholePage::new(Request { name: fitted(name).ok_or(Error::EINVAL)?, ..Request::default() }))?;
    ask(Alleged::lend_to_write(&mut request.0)).map_err(|error| Refused::said(error, &request.0.why))
}
/// Component `name` has the update in `file` from now on, on trial.
///
/// # Errors
/// Those of `updates.update`; `EPORTAL`: the system takes no updates.
pub fn update(name: &str, file: &[u8]) -> core::result::Result<(), Refused> {
    updates::anew::begin(file.len())?;
    by_pages(file, |piece| updates::add(Alleged::lend_all(piece), piece.len()))?;
    ask(name, updates::update)
}
/// Component `name` has what it had before its update.
///
/// # Errors
/// Those of `updates.take_back`; `EPORTAL`: the system takes no updates.
pub fn take_back(name: &str) -> core::result::Result<(), Refused> {
    // Once: a second time takes back more.
    ask(name, updates::take_back)
}
/// What the component in that place has, of those that have an update; `None` behind the last.
pub fn kept(place: usize) -> Result<Option<Kept>> {
    let nothing = Kept { name: [0; NAME], version: 0, before: 0, trial: 0, stored: 0, has: 0 };
    let mut out = fallible::boxed(WholePage::new(nothing))?;
    match updates::anew::kept(place, Alleged::lend_to_write(&mut out.0)) {
        Ok(()) => Ok(Some(out.0)),
        Err(Error::ENOENT) => Ok(None),
        Err(error) => Err(error),
    }
}
