//! Who may open what this component has registered, at run time: besides the manifest, a server says so itself.
//!
//! Names have up to 63 characters. Errors of all: `ENOENT`: this domain has registered no such name; `EINVAL`: it is none.

use crate::Result;
use abi::name::Short;
use abi::system::admission;
use interfaces::portals::own;
use interfaces::types::{Alleged, DomainNumber};

fn set(name: &str, asid: usize, how: usize, token: usize) -> Result<()> {
    own::admit(Alleged::lend_unseen(&Short::name(name)?), DomainNumber(asid), how, token)
}
/// From now on only who is admitted may open `name`, and domain `asid` is; `None`: nobody yet. `ESRCH`: there is no such domain;
/// `ENFILE`: the list is full.
pub fn admit(name: &str, asid: Option<usize>) -> Result<()> {
    set(name, asid.unwrap_or(0), admission::LISTED, 0)
}
/// Everybody may open it, as far as the manifest says.
pub fn admit_all(name: &str) -> Result<()> {
    set(name, 0, admission::ALL, 0)
}
/// From now on portal `number` of this domain's own is asked at each open: with the number and the identity of who wants to, and `token`.
/// It leads to this domain or to another, and answers 0, or the error that the open ends with. `EPORTAL`: there is no such portal;
/// `EDEAD`: it leads to the dead; `EACCESS`: to one of the first components; `EINVAL`: it takes windows, more than three words, or is
/// told who calls; `ENOTSUP`: this domain is in a sandbox; `ENFILE`: more are asked than the limit of `pagers` says.
pub fn ask(name: &str, number: usize, token: usize) -> Result<()> {
    set(name, number, admission::ASKED, token)
}
/// Domain `asid` may open it no more, or nobody where that is `None`, and what portals they have open answer `EDEAD` from their next call
/// on. Calls that have begun go on. `ESRCH`: there is no such domain.
pub fn withdraw(name: &str, asid: Option<usize>) -> Result<()> {
    set(name, asid.unwrap_or(0), admission::WITHDRAWN, 0)
}
