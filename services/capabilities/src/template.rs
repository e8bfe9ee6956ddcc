//! The letters of the capability manager: `k`, a capability, translated from the caller's name for it to the callee's, and `d`,
//! the calling domain's identity.

use crate::cache::{ROW, Translation};
use abi::Error;
use abi::nucleus::{domain, fault};
use abi::template::{Letter, Part, Template, Word};
use core::mem::offset_of;
use portal::encode::*;
use portal::template::Writer;

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
pub const ARGUMENT: i32 = 40;

/// The template; its record is to be the cache.
pub const fn letters() -> Template {
    let mut w = Writer::new();
    // The cache has a translation for this caller, callee and name.
    let at = w.position();
    w.put(Word::new(srli(T3, ZERO, 32)).rs1());
    w.put(Word::new(bne(T3, ZERO, 0)).fail(Error::EBADF));
    w.plain(ld(T4, T2, domain::IDENTITY));
    w.put(Word::new(add(T3, T4, ZERO)).rs2());
    w.all([andi(T3, T3, ROW as i32 - 1), slli(T3, T3, SIZE)]);
    // The argument's row: 16 times its number is a row's bytes over `STEP`.
    w.put(Word::new(addi(T5, ZERO, 0)).place());
    w.all([slli(T5, T5, STEP), add(T3, T3, T5)]);
    w.put(Word::new(lui(T5, 0)).record_upper());
    w.plain(add(T3, T3, T5));
    w.put(Word::new(addi(T3, T3, 0)).record_lower());
    w.plain(ld(T5, T3, NAME));
    w.put(Word::new(bne(T5, ZERO, 0)).rs2().slow());
    w.put(Word::new(beq(T5, ZERO, 0)).slow());
    w.plain(ld(T5, T3, CALLER));
    w.put(Word::new(bne(T5, T4, 0)).slow());
    w.put(Word::new(lui(T5, 0)).callee());
    w.all([ld(T5, T5, domain::IDENTITY), ld(T4, T3, CALLEE)]);
    w.put(Word::new(bne(T5, T4, 0)).slow());
    // Its result, and where to end it if it holds for one call.
    w.plain(ld(T4, T3, RESULT));
    w.put(Word::new(sd(T4, T0, 0)).own());
    w.all([ld(T4, T3, ONCE), bne(T4, ZERO, 8), addi(T3, ZERO, 0)]);
    w.put(Word::new(sd(T3, T0, 8)).own());
    let ask = w.part(at);
    let at = w.position();
    w.put(Word::new(ld(ZERO, T0, 0)).rd().own());
    w.put(Word::new(ld(T4, T0, 8)).own());
    w.all([beq(T4, ZERO, 8), sd(ZERO, T4, NAME)]);
    let pass = w.part(at);
    let at = w.position();
    w.put(Word::new(addi(T1, ZERO, 0)).place());
    w.plain(slli(T1, T1, ARGUMENT - 4));
    w.put(Word::new(add(T1, T1, ZERO)).rs2());
    let slow = w.part(at);
    let fault = fault::ARGUMENT as u8;
    w.letter(Letter {
        letter: b'k',
        words: 2,
        fault,
        parts: [Part::NONE, pass, Part::NONE, slow, ask],
        ..Letter::NONE
    });
    let at = w.position();
    w.put(Word::new(ld(ZERO, T2, domain::IDENTITY)).rd());
    let insert = w.part(at);
    let parts = [Part::NONE, insert, Part::NONE, Part::NONE, Part::NONE];
    w.letter(Letter { letter: b'd', passed: 0, parts, ..Letter::NONE });
    w.finish(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_may_be_used() {
        assert_eq!(portal::template::check(&letters()), Ok(()));
        let letters = Template { record: 0x10000, ..letters() };
        assert_eq!(portal::confinement::check(&letters), Ok(()));
    }
}
