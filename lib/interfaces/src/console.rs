//! The console: where people type and read, or the tool's own streams.

use crate::types::Alleged;

interface! {
    "Console driver (`drivers/console`)";
    /// Writes bytes of one page → how many; no bytes: waits until all that was written has left the device
    "console.write", "nmcri": fn write [channel: usize] (buffer: Alleged<u8>, bytes: usize) -> Result<usize>;
    /// The same to standard error
    "console.error", "nmcri": fn error [channel: usize] (buffer: Alleged<u8>, bytes: usize) -> Result<usize>;
    /// Bytes of a line, in one page (with echo, erase, Ctrl-D for the end of input) → how many; `EBUSY` when three readers wait; `ECANCELED`. No bytes → 1 where nobody types, as the host's streams are a program's
    "console.read", "nmcwi": fn read [channel: usize] (buffer: Alleged<u8>, bytes: usize) -> Result<usize>;
    /// The same key by key, without echo; no bytes: keys are taken so from now on (`console.read` of no bytes: they are not)
    "console.raw", "nmcwi": fn raw [channel: usize] (buffer: Alleged<u8>, bytes: usize) -> Result<usize>;
    /// Whether a reader would not wait → bit 0: there is input (a line, or with 1 a key), or its end; bits 1 and 2: nobody takes standard output, standard error
    "console.ready", "nmci": fn ready [channel: usize] (raw: usize) -> Result<usize>;
    /// Waits for Ctrl-C, Ctrl-Z or Ctrl-\\ while keys are not taken raw → that key; who began last gets it, and one that is pressed before who got the last has come back is kept for that; `EBUSY`, `ECANCELED`
    "console.attention", "nm": fn attention() -> Result<usize>;
}
