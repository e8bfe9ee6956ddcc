//! The letter of the capability manager: `k`, a capability, translated from the caller's name for it to the callee's.

use crate::cache::{ROW, Translation};
use abi::Error;
use abi::nucleus::{domain, fault};
use abi::step::places::*;
use abi::step::*;
use abi::template::{Letter, Part, Template};
use core::mem::offset_of;
use portal::Writer;

const NAME: i32 = offset_of!(Translation, name) as i32;
const CALLER: i32 = offset_of!(Translation, caller) as i32;
const CALLEE: i32 = offset_of!(Translation, callee) as i32;
const RESULT: i32 = offset_of!(Translation, result) as i32;
const ONCE: i32 = offset_of!(Translation, once) as i32;
/// Bytes of a translation (log2).
const SIZE: i32 = size_of::<Translation>().trailing_zeros() as i32;

/// A row's bytes over 16 (log2).
const STEP: i32 = (ROW * size_of::<Translation>() / 16).trailing_zeros() as i32;
/// Bit from which on a question has the argument's number; below it is the name.
pub const ARGUMENT_BIT: i32 = crate::NAME_BITS as i32;

/// The template; its record is to be the cache.
pub const fn letter() -> Template {
    let mut w = Writer::new();
    // The cache has a translation for this caller, callee and name.
    let at = w.position();
    w.put(shift_right(V2, ARGUMENT, ARGUMENT_BIT));
    w.put(different(V2, ZERO).fail(Error::EBADF));
    w.put(load(V3, caller(domain::IDENTITY)));
    w.put(add(V2, V3, ARGUMENT));
    w.all([and_number(V2, V2, ROW as i32 - 1), shift_left(V2, V2, SIZE)]);
    // The argument's row: 16 times its number is a row's bytes over `STEP`.
    w.put(number(V4, 0).with(Fill::PLACE));
    w.all([shift_left(V4, V4, STEP), add(V2, V2, V4)]);
    w.put(record_part(V4));
    w.put(add(V2, V2, V4));
    w.put(add_number(V2, V2, 0).with(Fill::RECORD_REST));
    w.put(load(V4, record(V2, NAME)));
    w.put(different(V4, ARGUMENT).slow());
    w.put(equal(V4, ZERO).slow());
    w.put(load(V4, record(V2, CALLER)));
    w.put(different(V4, V3).slow());
    w.put(callee_record(V4));
    w.all([load(V4, callee(V4, domain::IDENTITY)), load(V3, record(V2, CALLEE))]);
    w.put(different(V4, V3).slow());
    // Its result, and where to end it if it holds for one call.
    w.put(load(V3, record(V2, RESULT)));
    w.put(store(V3, own(0)));
    w.all([load(V3, record(V2, ONCE)), different(V3, ZERO).on(2), number(V2, 0)]);
    w.put(store(V2, own(1)));
    let ask = w.part(at);
    let at = w.position();
    w.put(load(ARGUMENT, own(0)));
    w.put(load(V3, own(1)));
    w.all([equal(V3, ZERO).on(2), store(ZERO, record(V3, NAME))]);
    let pass = w.part(at);
    let at = w.position();
    w.put(number(V1, 0).with(Fill::PLACE));
    w.put(shift_left(V1, V1, ARGUMENT_BIT - 4));
    w.put(add(V1, V1, ARGUMENT));
    let slow = w.part(at);
    let fault = fault::ARGUMENT as u8;
    w.letter(Letter {
        letter: b'k',
        words: 2,
        fault,
        parts: [Part::NONE, pass, Part::NONE, slow, ask],
        ..Letter::NONE
    });
    w.finish(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_may_be_used() {
        assert_eq!(portal::form::check(&letter()), Ok(()));
        let letter = Template { record: 0x10000, ..letter() };
        assert_eq!(portal::confinement::check(&letter), Ok(()));
    }
}
