//! Components, as who looks after a system asks for them: init (`servers/init`) has one succeeded by another, and says what became of each.

use crate::Error;
use abi::name::Short;
use abi::section::{NAME, text};
pub use abi::supervision::{Condition, State};
use abi::window::{Whole, WholePage};
use alloc::boxed::Box;
use interfaces::init::anew as init;
use interfaces::types::{Alleged, DomainNumber, Ticks};

/// Why a component is not replaced. Nothing has changed.
#[derive(Debug)]
pub struct Refused {
    pub error: Error,
    /// The name of the portal that is in the way; empty: none is.
    pub portal: Box<str>,
}
impl From<Error> for Refused {
    fn from(error: Error) -> Refused {
        Refused { error, portal: Box::default() }
    }
}
/// Has component `name` succeeded by a new instance of it, or by component `by`, while it is called: its clients keep their portals, and calls that it
/// serves come to their ends. The domain of the new one.
///
/// # Errors
/// Those of `init.replace`; `EINVAL`: a name has a blank, or is longer than a component's; `EACCESS`: the caller's manifest entry does not allow it.
pub fn replace(name: &str, by: Option<&str>) -> Result<DomainNumber, Refused> {
    let words = || [name].into_iter().chain(by);
    if !words().all(is_name) {
        return Err(Error::EINVAL.into());
    }
    let (mut command, mut length) = (fallible::boxed(WholePage::new([b' '; 2 * NAME]))?, 0);
    for word in words() {
        command.0[length..][..word.len()].copy_from_slice(word.as_bytes());
        length += word.len() + 1;
    }
    let mut refused = Whole::new([0; NAME]);
    init::replace(Alleged::lend_all(&command.0), length, Alleged::lend_to_write(&mut refused.0))
        .map_err(|error| Refused { error, portal: fallible::text(text(&refused.0)).unwrap_or_default() })
}
/// Waits until something has happened to component `name` since its state was `seen`, at most `ticks` of `hrtime`: its state then. Without `seen`, its state at once.
///
/// # Errors
/// `ENOENT`: there is no such component, or it is one of the first; `ETIMEDOUT`; `ECANCELED`; `EINVAL`: it is no name; `EACCESS`: the caller's manifest entry does not allow it.
pub fn watch(name: &str, seen: Option<State>, ticks: u64) -> crate::Result<State> {
    let seen = seen.map_or(usize::MAX, State::word);
    let ticks = Ticks(ticks.min(i64::MAX as u64) as usize);
    let shown = short(name)?;
    init::watch(Alleged::lend_all(shown.bytes()), name.len(), seen, ticks).map(State::of)
}
/// Component `name`, which has failed and waits to be started again, is not.
///
/// # Errors
/// `ESRCH`: it does not wait for that; `EINVAL`, `EACCESS` as of [`watch`].
pub fn give_up(name: &str) -> crate::Result<()> {
    let shown = short(name)?;
    init::give_up(Alleged::lend_all(shown.bytes()), name.len())
}
fn is_name(word: &str) -> bool {
    !word.is_empty() && word.len() < NAME && !word.contains(char::is_whitespace)
}
fn short(name: &str) -> crate::Result<Short> {
    if is_name(name) { Ok(Short::of(name.as_bytes())) } else { Err(Error::EINVAL) }
}
