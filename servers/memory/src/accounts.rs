//! How much memory each account has, and how much it may have. What costs what is [`crate::charges`].

use abi::Error;
use abi::account::ACCOUNTS;

/// In pages.
#[derive(Clone, Copy)]
pub struct Memory {
    pub used: u32,
    /// No more than this, and once the tables that its last page needs.
    pub limit: u32,
}
/// All accounts'. The system's, 0, has no limit.
pub struct Memories([Memory; ACCOUNTS]);
impl Memories {
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Memories {
        Memories([Memory { used: 0, limit: 0 }; ACCOUNTS])
    }
    pub fn of(&self, account: usize) -> Result<Memory, Error> {
        self.0.get(account).copied().ok_or(Error::EINVAL)
    }
    /// `EINVAL`: there is no such account, or it is the system's.
    pub fn set_limit(&mut self, account: usize, pages: usize) -> Result<(), Error> {
        match self.0.get_mut(account) {
            Some(memory) if account != 0 => {
                memory.limit = pages.min(u32::MAX as usize) as u32;
                Ok(())
            }
            _ => Err(Error::EINVAL),
        }
    }
    pub(crate) fn change(&mut self, account: usize, by: i32) {
        if let Some(memory) = self.0.get_mut(account) {
            memory.used = memory.used.wrapping_add_signed(by);
        }
    }
}
