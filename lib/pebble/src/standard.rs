//! Standard input, output and error where they are not the console: what the starter of a program hands over to it.

use abi::start::Start;
use core::sync::atomic::{AtomicUsize, Ordering};
use interfaces::files;
use interfaces::types::{Identity, PortalNumber};

/// The status with which a program ends that did not get its streams: "could not be executed", as shells have it.
pub(crate) const NOT_INHERITED: i32 = 126;

/// For each stream the first of its portals; 0: the console.
static STREAMS: [AtomicUsize; 3] = [const { AtomicUsize::new(0) }; 3];

/// Takes over what the starter hands over.
pub(crate) fn inherit(start: &Start) -> crate::Result<()> {
    if start.inherited == 0 {
        return Ok(());
    }
    let portal = PortalNumber(interfaces::import::open(files::name::inherit)?);
    for (stream, place) in STREAMS.iter().enumerate() {
        if start.inherited >> stream & 1 != 0 {
            let first = files::through::inherit(portal, Identity(start.starter as usize), stream)?;
            place.store(first.0, Ordering::Relaxed);
        }
    }
    Ok(())
}
/// What descriptor `number` stands for: itself, but of 0, 1 and 2 the first of the portals that were handed over.
pub(crate) fn behind(number: usize) -> usize {
    match STREAMS.get(number).map(|place| place.load(Ordering::Relaxed)) {
        Some(portal @ 1..) => portal,
        _ => number,
    }
}
