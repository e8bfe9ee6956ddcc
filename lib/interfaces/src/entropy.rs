//! Random bytes.

use crate::types::Alleged;

interface! {
    "Source of random bytes (`drivers/entropy`)";
    /// Fills so many bytes of one page → all of them
    "entropy.read", "npwi": fn read(buffer: Alleged<u8>, bytes: usize) -> Result<usize>;
}
