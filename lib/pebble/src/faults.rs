//! Faults of the own domain's, which the component answers itself.

use crate::portal;
use crate::{Error, Result, check, thread};
use abi::system::{self, Registration};

/// Answers a fault: the domain, the cause, the address, and where it was executed. It returns where the thread goes on, or an error's number: then the domain ends.
pub type Answer = extern "C" fn(usize, usize, usize, usize) -> isize;

/// Has the faults of the own domain answered by `answer`: adds a stack to the queue, for they are answered on one, by a portal that it registers as `name`, and
/// withdraws.
///
/// # Errors
/// `EINVAL`: the name is too long; `EEXIST`: another has it; `ENOMEM`: there is no stack.
pub fn answer_by(name: &str, answer: Answer) -> Result<()> {
    let entry = answer as *const () as usize;
    let mut registration = Registration { entry: entry as u64, stacks: 1, ..Registration::NONE };
    registration.name.get_mut(..name.len()).ok_or(Error::EINVAL)?.copy_from_slice(name.as_bytes());
    registration.spec[..3].copy_from_slice(b"nmi");
    check(portal::call(system::PORTAL_REGISTER, [&raw const registration as usize]))?;
    check(portal::call(system::PORTAL_UNREGISTER, [registration.name.as_ptr() as usize]))?;
    check(portal::call(system::PAGER, [thread::asid(), 0, 0, entry])).map(|_| ())
}
