//! Extensions, as who has one asks for them: the linker (`services/linker`) links them into components that are hosts.

use crate::page::Page;
use crate::portal::by_pages;
pub use crate::refused::Refused;
use crate::{Error, Result};
use abi::address::PAGE;
pub use abi::linking::Linked;
use abi::linking::Request;
use abi::section::fitted;
use abi::window::WholePage;
use alloc::boxed::Box;
use interfaces::linker::optional as linker;
use interfaces::types::Alleged;

/// Puts an extension's file into the component that is the host of that name: its number.
///
/// # Errors
/// Those of `linker.link`; `EPORTAL`: the system has no linker.
pub fn link(host: &str, file: &[u8]) -> core::result::Result<usize, Refused> {
    linker::anew::begin(file.len())?;
    by_pages(file, |piece| linker::add(Alleged::lend_all(piece), piece.len()))?;
    let mut request =
        fallible::boxed(WholePage::new(Request { host: fitted(host).ok_or(Error::EINVAL)?, ..Request::default() }))?;
    linker::link(Alleged::lend_to_write(&mut request.0)).map_err(|error| Refused::said(error, &request.0.why))
}
/// Takes the extension of that number out: nobody is in it when this returns. Errors: those of `linker.unlink`.
pub fn unlink(number: usize) -> Result<()> {
    linker::anew::unlink(number)
}
/// The extension in that place of those that are linked in, and those that were taken out lately for what they did. `None` behind the last. Place 0 has the linker ask all hosts anew.
pub fn linked(place: usize) -> Result<Option<Box<Linked>>> {
    const { assert!(size_of::<Linked>() <= PAGE) };
    let mut page = fallible::boxed(Page([0; PAGE]))?;
    let out = Alleged::lend_to_write(&mut *page).of::<Linked>();
    match linker::anew::linked(place, out) {
        Ok(()) => fallible::boxed(out.read()?).map(Some),
        Err(Error::ENOENT) => Ok(None),
        Err(error) => Err(error),
    }
}
