//! A network card.

use crate::types::Alleged;

interface! {
    "Network card (`drivers/network`)";
    /// Sends a frame → for how many more there is room; `EAGAIN`
    "network.send", "npri": fn send(frame: Alleged<u8>, bytes: usize) -> Result<usize>;
    /// Waits for frames, with a buffer of one to eight pages → bytes of records; 0: there is room to send again; `EBUSY` when another waits
    "network.receive", "npWi": fn receive(buffer: Alleged<u8>, bytes: usize) -> Result<usize>;
    /// The card's address, its first byte lowest
    "network.address", "np": fn address() -> Result<usize>;
}
