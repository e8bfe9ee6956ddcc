//! Extensions that are linked into this component: what they may do with frames, `exports/packets.rs`.

use crate::card;
use abi::network::{self, SHORTEST};
use alloc::vec::Vec;
use dispatch::Exported;
use packets::Verdict;
use pebble::fallible::{TryPush, collected};
use pebble::{Error, Result};

mod packets {
    include!(concat!(env!("OUT_DIR"), "/packets.rs"));
}

/// The name by which the linker knows this component, and that by which the system knows for a moment who answers its faults.
const NAME: &str = "internet";
const FAULTS: &str = "internet.faults";
/// The place of the event.
const ARRIVED: usize = 0;

/// Microseconds of an extension's quantum, at most: meanwhile no other frame is taken.
const QUANTUM: u32 = 10_000;

struct Host;
impl packets::Procedures for Host {
    fn send(frame: &[u8]) -> bool {
        card::send(frame)
    }
    fn time() -> u64 {
        pebble::time::time() / (pebble::time::TIMEBASE / 1_000_000)
    }
}
/// Has the linker link extensions into this component, where its manifest provides `link.internet`. `keeper`: the priority of who ends those that take too long.
pub fn offer(keeper: u8) -> Result<()> {
    let procedures = collected(packets::procedures::<Host>().into_iter())?;
    let mut exported = Vec::new();
    exported.try_push(Exported { interface: &packets::INTERFACE, procedures, decides: None })?;
    match dispatch::offer(NAME, QUANTUM, exported) {
        Err(Error::EACCESS) => return Ok(()),
        offered => offered?,
    }
    packets::combine_arrived(|mut said| said.find(|verdict| *verdict != Verdict::Pass).unwrap_or(Verdict::Pass));
    // In supervisor mode, and where there is no memory for it: who links is told, and TCP/IP goes on.
    match dispatch::start(FAULTS, Some(keeper)) {
        Ok(()) | Err(Error::ENOTSUP) => {}
        Err(error) => pebble::say(format_args!("nothing can be linked in: {}", error.text())),
    }
    Ok(())
}
/// Asks extensions of each frame that the driver has put there: those that are for TCP/IP.
pub fn arrived(filled: &mut [u8]) -> &[u8] {
    if !packets::EVENTS[ARRIVED].is_handled() {
        return filled;
    }
    let left = network::retain(filled, |frame| {
        // What is none TCP/IP does not look at either.
        let verdict = if frame.len() < SHORTEST { Verdict::Pass } else { packets::arrived(frame) };
        if verdict == Verdict::Return {
            card::send(frame);
        }
        verdict == Verdict::Pass
    });
    &filled[..left]
}
