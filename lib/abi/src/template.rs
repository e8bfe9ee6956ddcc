//! Templates: the code that a trusted server gives for letters of portal specifications, which the portal manager puts into
//! every portal whose specification has them.
//!
//! A template is for one to four letters that work together. Each has a part for each moment of a call; parts that all of a
//! template's letters in one specification share go before and after them. What a part may do is said in the book, "Argument
//! templates"; `portal::template` writes and checks them.

/// Most letters of a template.
pub const LETTERS: usize = 4;
/// Most instructions of a template.
pub const CODE: usize = 491;
/// Most templates at a time, the boot components' included.
pub const TEMPLATES: usize = 8;

/// An instruction and what is still to be filled in ([`hole`]).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    pub instruction: u32,
    pub hole: u32,
}
/// Instructions `first`…`first + count - 1` of the template.
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
    /// Leaves in `t1` the value of the fault that the letter raises.
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
/// What [`Word::hole`] says: register fields in bits 0 to 5, the kind in bits 8 to 15, its operand in bits 16 to 31. Where nothing
/// is filled in, the operand is 0, or how many such words there are from this one on: all of them are copied at once.
pub mod hole {
    /// The argument's register goes to the field: that in which the caller passes it in [`super::part::CHECK`],
    /// [`super::part::ASK`] and [`super::part::SLOW`], that in which the server gets it in the others.
    pub const RD: u32 = 1;
    pub const RS1: u32 = 2;
    pub const RS2: u32 = 4;
    /// The same for the argument behind it, its length.
    pub const LENGTH_RS1: u32 = 16;
    pub const LENGTH_RS2: u32 = 32;
    /// The word is left out where no letter of the template follows. Only at the end of a part.
    pub const MORE: u32 = 64;

    /// Kinds. The frame offset of the letter's own words is added to the immediate of a load or store.
    pub const OWN: u32 = 1;
    /// The same, of the words that the letters of the template share.
    pub const COMMON: u32 = 2;
    /// `lui` of the callee's portal table.
    pub const CALLEE: u32 = 3;
    /// The immediate is the callee's ASID.
    pub const ASID: u32 = 4;
    /// The immediate is parameter `operand` of the letter.
    pub const PARAMETER: u32 = 5;
    /// The branch is to where the call ends with error `operand`.
    pub const FAIL: u32 = 6;
    /// The branch is to where the letter's fault is raised.
    pub const SLOW: u32 = 7;
    /// `lui` of the upper part of the record's address.
    pub const RECORD_UPPER: u32 = 8;
    /// The lower part of the record's address is added to the immediate of a load, store or `addi`.
    pub const RECORD_LOWER: u32 = 9;
    /// 16 times the number of the register in which the caller passes the argument is added to the immediate of a load, store or
    /// `addi`; of an argument with a length half that number, rounded down, for it has two registers.
    pub const PLACE: u32 = 10;
    /// The bit that user mode's pages have is added to the immediate of `ori`, unless the callee executes in supervisor mode.
    pub const MODE: u32 = 11;
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

/// A template; who registers one shows it in a window, so it lies in one page then.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Template {
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
    pub code: [Word; CODE],
}
// SAFETY: plain words, written once.
unsafe impl Sync for Template {}
impl Template {
    /// Bytes of it up to its last instruction.
    pub const fn used(&self) -> usize {
        core::mem::offset_of!(Template, code)
            + if self.code_count as usize > CODE { CODE } else { self.code_count as usize } * size_of::<Word>()
    }
    pub const EMPTY: Template = Template {
        record: 0,
        words: 0,
        letter_count: 0,
        code_count: 0,
        choice: 0,
        letters: [Letter::NONE; LETTERS],
        before: [Part::NONE; 3],
        after: [Part::NONE; 3],
        code: [Word { instruction: 0, hole: 0 }; CODE],
    };
}
const _: () = assert!(size_of::<Template>() == crate::address::PAGE);

impl Word {
    /// A whole instruction.
    pub const fn new(instruction: u32) -> Word {
        Word { instruction, hole: 0 }
    }
    const fn with(self, hole: u32) -> Word {
        Word { hole: self.hole | hole, ..self }
    }
    const fn of_kind(self, kind: u32, operand: u32) -> Word {
        self.with(kind << 8 | operand << 16)
    }
    /// The argument is its destination.
    pub const fn rd(self) -> Word {
        self.with(hole::RD)
    }
    /// The argument is its first source.
    pub const fn rs1(self) -> Word {
        self.with(hole::RS1)
    }
    /// The argument is its second source.
    pub const fn rs2(self) -> Word {
        self.with(hole::RS2)
    }
    /// The length is its first source.
    pub const fn length_rs1(self) -> Word {
        self.with(hole::LENGTH_RS1)
    }
    /// The length is its second source.
    pub const fn length_rs2(self) -> Word {
        self.with(hole::LENGTH_RS2)
    }
    /// See [`hole::MORE`].
    pub const fn more(self) -> Word {
        self.with(hole::MORE)
    }
    /// See [`hole::OWN`].
    pub const fn own(self) -> Word {
        self.of_kind(hole::OWN, 0)
    }
    /// See [`hole::COMMON`].
    pub const fn common(self) -> Word {
        self.of_kind(hole::COMMON, 0)
    }
    /// See [`hole::CALLEE`].
    pub const fn callee(self) -> Word {
        self.of_kind(hole::CALLEE, 0)
    }
    /// See [`hole::ASID`].
    pub const fn asid(self) -> Word {
        self.of_kind(hole::ASID, 0)
    }
    /// See [`hole::PARAMETER`].
    pub const fn parameter(self, number: u32) -> Word {
        self.of_kind(hole::PARAMETER, number)
    }
    /// See [`hole::FAIL`].
    pub const fn fail(self, error: crate::Error) -> Word {
        self.of_kind(hole::FAIL, error as u32)
    }
    /// See [`hole::SLOW`].
    pub const fn slow(self) -> Word {
        self.of_kind(hole::SLOW, 0)
    }
    /// See [`hole::RECORD_UPPER`].
    pub const fn record_upper(self) -> Word {
        self.of_kind(hole::RECORD_UPPER, 0)
    }
    /// See [`hole::RECORD_LOWER`].
    pub const fn record_lower(self) -> Word {
        self.of_kind(hole::RECORD_LOWER, 0)
    }
    /// See [`hole::PLACE`].
    pub const fn place(self) -> Word {
        self.of_kind(hole::PLACE, 0)
    }
    /// See [`hole::MODE`].
    pub const fn mode(self) -> Word {
        self.of_kind(hole::MODE, 0)
    }
    /// Its kind of hole, of [`hole`]; 0: none.
    pub const fn kind(self) -> u32 {
        self.hole >> 8 & 0xff
    }
    /// The kind's operand.
    pub const fn operand(self) -> u32 {
        self.hole >> 16
    }
}
