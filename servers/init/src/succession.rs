//! What is common to all ways in which one domain takes another's place: how it ends, one way or the other.

use crate::{Running, loader, supervision, with};
use abi::Error;
use abi::identity::DomainId;
use abi::section::NAME;
use manifest::Component;
use pebble::interfaces::domains;
use pebble::time::{sleep, time};

/// Why a component was not replaced, and the name of the portal that is in the way, or zeros.
pub struct Refused(pub Error, pub [u8; NAME]);
impl From<Error> for Refused {
    fn from(error: Error) -> Refused {
        Refused(error, [0; NAME])
    }
}
/// A component that is to be replaced, and the domain that it runs in.
#[derive(Clone, Copy)]
pub struct Predecessor {
    pub domain: DomainId,
    pub component: &'static Component,
}

/// Waits until no call is in domain `old`, or for `patience`, in units of [`TIMEBASE`](pebble::time::TIMEBASE); it is looked each `pause` ticks of `hrtime`.
pub fn wait_until_left(old: DomainId, patience: u64, pause: u64) {
    let until = time() + patience;
    while let Ok(1..) = domains::served(old.into())
        && time() < until
    {
        sleep(pause);
    }
}
/// Ends domain `new`, which was to take the place of `old` and has not.
pub fn give_up(new: DomainId, old: DomainId) {
    undone(new, old).into_iter().for_each(supervision::left);
}
/// The same; what is left of the old one, if it has ended meanwhile.
// By itself: what it takes of the stack is free again when that is started.
#[inline(never)]
fn undone(new: DomainId, old: DomainId) -> Option<Running> {
    // Nobody is told of that end.
    let lost = with(|init| {
        init.forget(new);
        init.happened();
        // What is left of it is another's to look after who replaces it.
        if init.is_succeeded(old) { None } else { init.take_succeeded(old) }
    });
    loader::discard(new);
    with(|init| init.is_nobodys(new));
    lost.flatten()
}
/// Domain `new` is the component from now on, and the end of `old`, which was `component`, is told to nobody; `again`: has that one started again, where the new one has ended before. Whether it has not.
pub fn settle(new: DomainId, Predecessor { domain: old, component }: Predecessor, again: impl Fn(Running)) -> bool {
    let lost = with(|init| {
        let old = init.forget(old).or_else(|| init.take_succeeded(old));
        if let Some(running) = init.running.iter_mut().find(|running| running.domain == new) {
            running.succeeds = None;
            running.with = old.and_then(|old| old.with);
            let (of, image, lacks) = (running.component, running.image.clone(), running.with.is_some());
            // What it was loaded from is what its component has from now on, also where it is started again.
            if let Some(place) = init.place(&of.name) {
                init.updates.has(place, &image);
            }
            return Err(lacks);
        }
        // It has ended since, and who watches has left it to this: what was there before comes back, if it is not coming back already.
        init.leaves_to(new, component);
        if old.is_none() {
            init.is_replaced_no_more(component);
            init.forget_lost();
        }
        Ok(old)
    });
    match lost {
        Some(Ok(old)) => {
            old.into_iter().for_each(again);
            false
        }
        // What the old one can not do without has ended meanwhile: the new one is started again behind it.
        Some(Err(lacks)) => {
            if lacks {
                let _ = domains::destroy(new.into());
            }
            true
        }
        None => false,
    }
}
