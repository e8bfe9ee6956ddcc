//! Templates: the code that a trusted server gives for letters of portal specifications, which the portal manager puts into
//! every portal whose specification has them.
//!
//! A template is for one to four letters that work together. Each has a part for each moment of a call; parts that all of a
//! template's letters in one specification share go before and after them. What a part may do is said in the book, "Argument
//! templates"; `portal::form` and `portal::confinement` check it.
//!
//! A server writes its template in steps ([`crate::step`]), the same for every machine; what portals are made of is what a back end has made
//! of those (`portal::machine::lower`), a word for each.

use crate::step::Step;

/// Most letters of a template.
pub const LETTERS: usize = 4;
/// Most steps of a template.
pub const CODE: usize = 491;
/// Most templates at a time, the boot components' included.
pub const TEMPLATES: usize = 8;

/// What a back end has made of a step: an instruction, and what is still to be filled in, which the back end that made it knows.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    pub instruction: u32,
    pub hole: u32,
}
/// Steps `first`…`first + count - 1` of the template.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    pub first: u16,
    pub count: u16,
}
impl Part {
    pub const NONE: Part = Part { first: 0, count: 0 };
}

/// The parts of a letter, and those that a template's letters share, by their place in `parts`.
pub mod part {
    /// Before the call is committed: it may end the call, and change nothing but free registers and its own words of the frame.
    pub const CHECK: usize = 0;
    /// When the call is committed: it makes the argument.
    pub const PASS: usize = 1;
    /// When the call returns. A branch to the letter's fault makes the return again once the fault is answered.
    pub const BACK: usize = 2;
    /// Leaves in the first value the word of the fault that the letter raises.
    pub const SLOW: usize = 3;
    /// As [`CHECK`], when all letters of the call are checked: for faults that change something.
    pub const ASK: usize = 4;
}
/// Templates of boot components that take each other's place: how the manifest says windows are mapped.
pub mod choice {
    /// When the call is made.
    pub const AT_CALL: u32 = 1;
    /// At the callee's first access.
    pub const AT_TOUCH: u32 = 2;
}
/// A letter.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Letter {
    /// The character; 0: none.
    pub letter: u8,
    /// 1: the caller passes a word for it; 0: the portal makes it.
    pub passed: u8,
    /// 1: the next letter must be `i`, the length in bytes of what the word points to.
    pub length: u8,
    /// Words of the frame that are its own.
    pub words: u8,
    /// How many of them, from the first, hold page-table entries that the call lends (0 in those that do not).
    pub lent: u8,
    /// The fault that it raises, of [`crate::nucleus::fault`].
    pub fault: u8,
    pub parameters: [i16; 3],
    pub parts: [Part; 5],
}
impl Letter {
    pub const NONE: Letter = Letter {
        letter: 0,
        passed: 1,
        length: 0,
        words: 0,
        lent: 0,
        fault: 0,
        parameters: [0; 3],
        parts: [Part::NONE; 5],
    };
}

/// A template; who registers one shows it in a window, so it lies in one page then. As a server writes it, of steps; as portals are made of
/// it, of a back end's words.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Template<Code = Step> {
    /// Address of the server's record, or 0: in the server until the template is registered, then the supervisor's.
    pub record: u64,
    /// Words of the frame that its letters share; the first of them, where `lent` is not 0, is the supervisor address of the
    /// first slot that the call fills.
    pub words: u8,
    pub letter_count: u8,
    pub code_count: u16,
    /// 0, or the choice of the manifest that it is for ([`choice`]).
    pub choice: u32,
    pub letters: [Letter; LETTERS],
    /// What goes before and after the letters' own parts, for [`part::CHECK`], [`part::PASS`] and [`part::BACK`].
    pub before: [Part; 3],
    pub after: [Part; 3],
    pub code: [Code; CODE],
}
/// A template as portals are made of it.
pub type Lowered = Template<Word>;
// SAFETY: plain words, written once.
unsafe impl<Code> Sync for Template<Code> {}
impl<Code: Copy> Template<Code> {
    /// Bytes of it up to its last step.
    pub const fn used(&self) -> usize {
        core::mem::offset_of!(Template, code)
            + if self.code_count as usize > CODE { CODE } else { self.code_count as usize } * size_of::<Code>()
    }
    /// One without letters; `code` stands where there is none.
    pub const fn without_letters(code: Code) -> Template<Code> {
        Template {
            record: 0,
            words: 0,
            letter_count: 0,
            code_count: 0,
            choice: 0,
            letters: [Letter::NONE; LETTERS],
            before: [Part::NONE; 3],
            after: [Part::NONE; 3],
            code: [code; CODE],
        }
    }
}
impl Template {
    pub const EMPTY: Template = Template::without_letters(Step::NONE);
}
impl Lowered {
    pub const NONE: Lowered = Template::without_letters(Word { instruction: 0, hole: 0 });
}
const _: () = assert!(size_of::<Template>() == crate::address::PAGE && size_of::<Lowered>() == crate::address::PAGE);
