//! The letters that leave pages with the other side: `S`, `>` and `<`.
//!
//! Their argument is an address in the private part, its length the next one; both are whole pages. When all is
//! checked, the portal asks for the transfer with a fault: the memory manager does it, leaves in the thread what was asked, whose
//! call it is and to whom, and where the callee finds the pages, and the call is made again: the portal finds that, takes it out
//! when it commits the call, and passes the address. `S` shares the caller's pages with the callee from now on; `>` moves them to
//! the callee; for `<` the callee gets as many new pages, which move to the caller when the call returns, in a fault of the return.
//!
//! What is left in the thread is of a call that is not made yet, and names both domains by identity: nothing that another domain
//! does on that thread, and no domain that has one of the numbers later, takes it for its own. It may be undone at any time: the
//! call, if it is still to be made, asks again. So it is undone before the call ends with an error or waits for a stack, and when
//! the thread ends. The frame of a call with `<` has the caller's identity, for the return.

use abi::Error;
use abi::address::PAGE;
use abi::nucleus::{TRANSFERS, Thread, domain, fault};
use abi::step::places::*;
use abi::step::*;
use abi::template::{Letter, Part, Template};
use core::mem::offset_of;
use portal::Writer;
/// Most pages of one transfer.
pub const MOST: usize = 31;
const _: () = assert!(2 * TRANSFERS == portal::specification::ARGUMENTS);

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `S`
    Share = 0,
    /// `>`
    Give = 1,
    /// `<`, when the call is made.
    Get = 2,
    /// `<`, when it returns.
    Got = 3,
}
/// A request as portal code writes it: of [`Kind::Got`] from bit 30 the callee's page; from bit 12 the caller's page, then the
/// number of pages, the argument, the kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// The callee's address, of [`Kind::Got`].
    pub there: usize,
    /// The caller's.
    pub address: usize,
    pub pages: usize,
    /// Half the number of the argument register in which the caller passes it: its length is in the next.
    pub argument: usize,
    pub kind: Kind,
}
const THERE: i32 = 30;
const PAGES: i32 = 7;
const ARGUMENT_BIT: i32 = 4;
const KIND: i32 = 2;
impl Request {
    /// `None`: no pages, which nobody asks for.
    pub fn of(word: u64) -> Option<Request> {
        const PRIVATE: usize = (1 << THERE) - PAGE;
        let kind = [Kind::Share, Kind::Give, Kind::Get, Kind::Got][(word >> KIND & 3) as usize];
        let request = Request {
            there: (word >> (THERE - 12)) as usize & PRIVATE,
            address: word as usize & PRIVATE,
            pages: (word >> PAGES) as usize & MOST,
            argument: (word >> ARGUMENT_BIT) as usize & 7,
            kind,
        };
        (request.pages > 0 && request.argument < TRANSFERS).then_some(request)
    }
}

const REQUESTS: i32 = offset_of!(Thread, transfers) as i32;
const ENDS: i32 = offset_of!(Thread, transfer_ends) as i32;

/// The template.
pub const fn transfers() -> Template {
    let mut w = Writer::new();
    let check = check(&mut w);
    let ask = ask(&mut w, false);
    let ask_get = self::ask(&mut w, true);
    let at = w.position();
    w.put(copy(V1, V3));
    let slow = w.part(at);
    let at = w.position();
    w.put(load(ARGUMENT, thread(REQUESTS + 8).of_argument()));
    w.put(store(ZERO, thread(REQUESTS).of_argument()));
    let pass = w.part(at);
    // Once: the return is made again after the fault, whose value `V6` is, and `V4` the caller's identity.
    let at = w.position();
    w.put(load(V6, own(0)));
    w.put(load(V4, own(1)));
    w.put(store(ZERO, own(0)));
    w.put(different(V6, ZERO).slow());
    let back = w.part(at);
    w.letter(letter(b'S', Kind::Share, 0, [check, pass, Part::NONE, slow, ask]));
    w.letter(letter(b'>', Kind::Give, 0, [check, pass, Part::NONE, slow, ask]));
    w.letter(letter(b'<', Kind::Get, 2, [check, pass, back, slow, ask_get]));
    w.finish(0)
}
const fn letter(letter: u8, kind: Kind, words: u8, parts: [Part; 5]) -> Letter {
    let parameters = [(kind as i16) << KIND, 0, 0];
    Letter { letter, length: 1, words, fault: fault::TRANSFER as u8, parameters, parts, ..Letter::NONE }
}
/// Whole pages, at most as many as fit, in the private part.
const fn check(w: &mut Writer) -> Part {
    let first = w.position();
    w.put(shift_left(V2, ARGUMENT, 52));
    w.put(different(V2, ZERO).fail(Error::EINVAL));
    w.put(shift_left(V2, LENGTH, 52));
    w.put(different(V2, ZERO).fail(Error::EINVAL));
    w.put(shift_right(V2, LENGTH, 12 + MOST.trailing_ones() as i32));
    w.put(different(V2, ZERO).fail(Error::EINVAL));
    w.put(equal(LENGTH, ZERO).fail(Error::EINVAL));
    w.put(shift_right(V2, ARGUMENT, 30));
    w.put(different(V2, ZERO).fail(Error::EFAULT));
    w.part(first)
}
/// `V3`: the request. It must be what was done last for this argument, for a call of this caller to this callee. `comes_back`: it
/// goes to the frame as that of the return, with the caller's identity behind it.
const fn ask(w: &mut Writer, comes_back: bool) -> Part {
    let first = w.position();
    w.put(shift_right(V3, LENGTH, 12 - PAGES));
    w.put(add(V3, V3, ARGUMENT));
    w.put(add_number(V3, V3, 0).with(Fill::PARAMETER_0));
    w.put(add_number(V3, V3, 0).with(Fill::PLACE));
    w.put(load(V2, thread(REQUESTS).of_argument()));
    w.put(different(V2, V3).slow());
    w.put(load(V4, thread(ENDS).of_argument()));
    w.put(load(V2, caller(domain::IDENTITY)));
    w.put(different(V2, V4).slow());
    w.put(callee_record(V2));
    w.put(load(V2, callee(V2, domain::IDENTITY)));
    w.put(load(V1, thread(ENDS + 8).of_argument()));
    w.put(different(V2, V1).slow());
    if comes_back {
        w.put(load(V2, thread(REQUESTS + 8).of_argument()));
        w.all([shift_left(V2, V2, THERE - 12), or(V3, V3, V2), add_number(V3, V3, 1 << KIND)]);
        w.put(store(V3, own(0)));
        w.put(store(V4, own(1)));
    }
    w.part(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_may_be_used() {
        assert_eq!(portal::form::check(&transfers()), Ok(()));
    }
    #[test]
    fn a_request_is_what_the_portal_code_makes() {
        let word = 0x2345_6000 << (THERE - 12) | 0x1234_5000 | 3 << PAGES | 2 << ARGUMENT_BIT | 3 << KIND;
        let request = Request { there: 0x2345_6000, address: 0x1234_5000, pages: 3, argument: 2, kind: Kind::Got };
        assert_eq!((Request::of(word), Request::of(0)), (Some(request), None));
    }
}
