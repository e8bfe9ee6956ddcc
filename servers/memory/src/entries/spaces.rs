//! Address spaces, and views of them.

use crate::{Physical, locked, shown_frames};
use abi::Error;
use abi::identity::DomainId;
use abi::memory::{Parties, Shown};
use memory_logic::space::{Spaces, TURN, private, turns};
use pebble::interfaces::types::{Address, Alleged, DomainNumber, Identity};

pub extern "C" fn space_create(Identity(id): Identity, account: usize) -> isize {
    locked(|s| {
        let id = DomainId::of(id as u64).ok_or(Error::EINVAL)?;
        let root = s.create(id)?;
        s.pay(id.number(), account).map(|()| root)
    })
}
/// No more than so many pages for `account`.
pub extern "C" fn limit(account: usize, pages: usize) -> isize {
    locked(|s| s.accounts.set_limit(account, pages).map(|()| 0))
}
/// `lent`: a window on `count` physical addresses of frames that windows show; more than fit: it is not known what they show.
pub extern "C" fn space_copy(
    DomainNumber(from): DomainNumber,
    DomainNumber(to): DomainNumber,
    windows: Alleged<usize>,
    count: usize,
) -> isize {
    // SAFETY: `lent` is this portal's window argument.
    locked(|s| s.copy(from, to, unsafe { shown_frames(windows, count)? }).map(|()| 0))
}
pub extern "C" fn space_destroy(DomainNumber(asid): DomainNumber) -> isize {
    locked(|s| s.destroy(asid).map(|()| 0))
}
#[optimize(size)]
pub extern "C" fn view_create(Identity(id): Identity, DomainNumber(space): DomainNumber, account: usize) -> isize {
    locked(|s| s.create_view(DomainId::of(id as u64).ok_or(Error::EINVAL)?, space, account))
}
/// View `view` sees what `model` sees when its space becomes a copy of the model's.
#[optimize(size)]
pub extern "C" fn view_model(DomainNumber(view): DomainNumber, DomainNumber(model): DomainNumber) -> isize {
    locked(|s| s.set_model(view, model).map(|()| 0))
}
#[optimize(size)]
pub extern "C" fn view_destroy(DomainNumber(asid): DomainNumber, windows: Alleged<usize>, count: usize) -> isize {
    // SAFETY: `lent` is this portal's window argument.
    locked(|s| s.destroy_view(asid, unsafe { shown_frames(windows, count)? }).map(|()| 0))
}
/// `shown`: [`Shown`].
#[optimize(size)]
pub extern "C" fn view_show(
    shown: usize,
    Address(start): Address,
    bytes: usize,
    windows: Alleged<usize>,
    count: usize,
) -> isize {
    let Some(Shown { parties: Parties { by, to }, rights }) = Shown::of(shown) else { return Error::EINVAL.code() };
    // SAFETY: `lent` is this portal's window argument.
    let windows = unsafe { shown_frames(windows, count) };
    let range = (start, bytes);
    if bytes <= TURN {
        return locked(|s| s.make_visible(by, to, range, rights, windows?).map(|()| 0));
    }
    if let Err(error) = private(start, bytes) {
        return error.code();
    }
    // Who asks keeps the view's domain from ending and from lending; the task may unmap a page between two turns, so each asks for itself too.
    let room = locked(|s| s.room_for_turns(to, range).map(|()| 0));
    let can = |s: &mut Spaces<Physical>, turn| s.can_be_visible(by, to, turn, rights, windows?);
    let asked = if room < 0 { room } else { in_turns(range, can) };
    if asked < 0 { asked } else { in_turns(range, |s, turn| s.make_visible(by, to, turn, rights, windows?)) }
}
/// Does something to all of a range, a part at a time, and lets others have the lock in between.
fn in_turns(
    range: (usize, usize),
    mut each: impl FnMut(&mut Spaces<Physical>, (usize, usize)) -> Result<(), Error>,
) -> isize {
    let mut done = 0;
    for turn in turns(range) {
        done = locked(|s| each(s, turn).map(|()| 0));
        if done < 0 {
            break;
        }
    }
    done
}
/// `lent`: as for [`view_destroy`].
#[optimize(size)]
pub extern "C" fn view_patch(
    DomainNumber(view): DomainNumber,
    callee: usize,
    cheapest: usize,
    windows: Alleged<usize>,
    count: usize,
) -> isize {
    // SAFETY: `lent` is this portal's window argument.
    let windows = unsafe { shown_frames(windows, count) };
    // A supervisor address is negative, as an error is.
    locked(|s| s.patch(view, callee, cheapest != 0, windows?).map(abi::address::physical))
}
#[optimize(size)]
pub extern "C" fn trust(DomainNumber(asid): DomainNumber) -> isize {
    locked(|s| s.trust(asid).map(|()| 0))
}
#[optimize(size)]
pub extern "C" fn make_supervisor(DomainNumber(asid): DomainNumber) -> isize {
    locked(|s| s.make_supervisor(asid).map(|()| 0))
}
