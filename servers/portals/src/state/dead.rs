//! What answers for the dead.

use crate::state::nucleus_data::Table;

pub struct ForTheDead<M> {
    /// Where threads go on whose domain died.
    pub graveyard: Table<M>,
    /// Supervisor address of a page of zeros: page tables in which nobody finds anything.
    pub nothing: u64,
    /// Code of the portal that answers `EDEAD`.
    pub portal: u64,
    /// And of another, where a server has granted what it leads to.
    pub grant: u64,
}
