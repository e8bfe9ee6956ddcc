//! Which component has how much of the disk: the parts are `init`'s to say, and the accounts show what is used of them.

use crate::blocks::{Blocks, Random};
use abi::account::{ACCOUNTS, DiskParts, Resource};
use pebble::Result;
use pebble::account::{Account, Ledger, Remote, Sum};
use pebble::interfaces::init;
use pebble::interfaces::types::Alleged;
use volume::{Owner, Volume};

pub struct Owners {
    parts: DiskParts,
    /// What of it the accounts know.
    told: [Sum; ACCOUNTS],
}
impl Owners {
    /// Shares out what nobody has, and what components of this system have already. `ENOMEM`.
    pub fn of(volume: &mut Volume<Blocks, Random>) -> Result<Owners> {
        /// A page of the accounts, in bytes.
        const PAGE: u64 = abi::address::PAGE as u64;
        // Whose is what has to be known first.
        volume.share_out(&parts(0)?);
        volume.count();
        let used: u64 = volume.used().iter().flatten().map(|&pages| pages as u64).sum();
        let space = volume.space();
        // Of a damaged disk it may be said that more is used than there is.
        let parts = parts((space.free / PAGE).saturating_add(used).min(space.all / PAGE) as usize)?;
        volume.share_out(&parts);
        let nothing = |n| Sum::new(Account::new(n).unwrap_or(Account::SYSTEM), Resource::Disk);
        let mut owners = Owners { parts, told: core::array::from_fn(nothing) };
        owners.tell(volume);
        Ok(owners)
    }
    /// Who has what the component with this account makes.
    pub fn owner(&self, account: Account) -> Owner {
        Owner::of(&self.parts, account.number())
    }
    /// Has the accounts say what is used. One whose part is smaller than what it has, has all of its part.
    pub fn tell(&mut self, volume: &mut Volume<Blocks, Random>) {
        let Some(used) = volume.used() else { return };
        for ((told, used), part) in self.told.iter_mut().zip(used).zip(&self.parts.0).skip(1) {
            let now = used.min(part.pages) as usize;
            while told.amount() > now {
                Remote.refund(told.take(told.amount() - now));
            }
            while told.amount() < now {
                let more = (now - told.amount()).min(u16::MAX as usize);
                let Ok(charge) = Remote.charge(told.account(), Resource::Disk, more) else { break };
                if let Err(charge) = told.add(charge) {
                    Remote.refund(charge);
                    break;
                }
            }
        }
    }
}
/// Says how many pages there are for components; what each has of them.
fn parts(pages: usize) -> Result<DiskParts> {
    let mut parts = DiskParts::default();
    init::disk(pages, Alleged::lend_to_write(&mut parts)).map(|()| parts)
}
