//! The specification string of a portal.
//!
//! A stack letter, a state letter, then one letter for each argument that the server receives. What each letter means is
//! in the book, "The specification string".

use crate::template::Templates;

pub use abi::lengths::ARGUMENTS;

pub use abi::specification::LETTERS;
/// Letters of [`LETTERS`] that servers of the system have templates for: the last of the arguments'.
const KNOWN: &[u8] = LETTERS[2].split_at(7).1;

/// What the callee runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stack {
    /// `s`: the thread's service stack, or the caller's where both ends share one.
    Shared,
    /// `n`: one of the callee's queue.
    New,
    /// `j`: a jump: no frame, the callee returns to the caller's caller.
    Jump,
}
/// What is saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// `m`: the callee keeps callee-saved registers.
    Minimal,
    /// `p`: callee-saved registers are saved; on return, what the callee left in others is cleared.
    Partial,
    /// `f`: as `p`, and floating-point state.
    Full,
    /// `x`: entered by an exception; the nucleus has saved all.
    Exception,
}
/// What becomes of one argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// `i`
    Word,
    /// `c`
    Constant,
    /// `=`
    Number,
    /// `t`
    Thread,
    /// `a`
    Domain,
    /// `d`
    Identity,
    /// `h`
    Time,
    /// A letter that a template is for.
    Templated(u8),
    /// The same; the next argument is the length of what the word points to.
    TemplatedLong(u8),
    /// The same; the portal makes it.
    TemplatedMade(u8),
}
impl Argument {
    /// Whether the portal makes it, so that the caller passes none for it.
    pub fn inserted(self) -> bool {
        !matches!(self, Argument::Word | Argument::Templated(_) | Argument::TemplatedLong(_))
    }
    /// Its letter, if a template is for it.
    pub fn templated(self) -> Option<u8> {
        match self {
            Argument::Templated(letter) | Argument::TemplatedLong(letter) | Argument::TemplatedMade(letter) => {
                Some(letter)
            }
            _ => None,
        }
    }
}

/// A parsed specification: two words, and copied as such.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(8))]
pub struct Specification {
    pub stack: Stack,
    pub state: State,
    arguments: [Argument; ARGUMENTS],
    /// How many arguments there are, and in the upper half how many of them the caller passes.
    counts: u8,
    /// [`TEMPLATED`], [`LONG`] and [`COUNT`], and in the upper half how many constants there are.
    kinds: u8,
}
/// A template is for one of the letters.
const TEMPLATED: u8 = 1;
/// Such letters make long code: one needs its length, for several pages, or there are more of them than [`COUNT`] has room for.
const LONG: u8 = 2;
/// One such letter, and their count, up to three.
const LETTER: u8 = 4;
const COUNT: u8 = 12;

/// Why a specification is not one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Reason {
    /// It has no stack and state letter.
    TooShort = 1,
    UnknownStack = 2,
    UnknownState = 3,
    UnknownArgument = 4,
    /// More than six.
    TooManyArguments = 5,
    /// `j` and `x` are for boot components.
    BootOnly = 6,
    /// No room in `NAMELEN`.
    TooLong = 7,
    /// A window of several pages needs its length as the next argument.
    NoLength = 8,
    /// The letter has a meaning, but no server has registered a template for it.
    NoTemplate = 9,
    /// A template that is refused; the position is that of the word.
    Template = 10,
}
/// A rejected specification: why, and at which character (from 0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rejected {
    pub reason: Reason,
    pub position: u8,
}
impl Rejected {
    /// The result that a caller gets: negative, see [`abi::error::ESPEC`].
    pub fn code(self) -> isize {
        -((abi::error::ESPEC + self.reason as usize * 256 + self.position as usize) as isize)
    }
}

impl Specification {
    /// `sm`: no arguments.
    pub const EMPTY: Specification = Specification {
        stack: Stack::Shared,
        state: State::Minimal,
        arguments: [Argument::Word; ARGUMENTS],
        counts: 0,
        kinds: 0,
    };

    /// Parses `text`; `boot` allows the letters that only boot components may use (`j`, `x`), `templates` tells which letters
    /// there are beside the generator's own.
    pub fn parse(text: &str, boot: bool, templates: &Templates) -> Result<Specification, Rejected> {
        let bytes = text.as_bytes();
        let rejected = |reason, position: usize| Err(Rejected { reason, position: position.min(255) as u8 });
        if bytes.len() >= abi::nucleus::NAMELEN {
            return rejected(Reason::TooLong, abi::nucleus::NAMELEN - 1);
        }
        if bytes.len() < 2 {
            return rejected(Reason::TooShort, bytes.len());
        }
        let stack = match bytes[0] {
            b's' => Stack::Shared,
            b'n' => Stack::New,
            b'j' if boot => Stack::Jump,
            b'j' => return rejected(Reason::BootOnly, 0),
            _ => return rejected(Reason::UnknownStack, 0),
        };
        let state = match bytes[1] {
            b'm' => State::Minimal,
            b'p' => State::Partial,
            b'f' => State::Full,
            b'x' if boot => State::Exception,
            b'x' => return rejected(Reason::BootOnly, 1),
            _ => return rejected(Reason::UnknownState, 1),
        };
        let mut specification = Specification { stack, state, ..Specification::EMPTY };
        for (position, &letter) in bytes.iter().enumerate().skip(2) {
            let argument = match letter {
                b'i' => Argument::Word,
                b'c' => Argument::Constant,
                b'=' => Argument::Number,
                b't' => Argument::Thread,
                b'a' => Argument::Domain,
                b'd' => Argument::Identity,
                b'h' => Argument::Time,
                _ => match templates.letter(letter) {
                    Some(known) => {
                        if known.length != 0 && bytes.get(position + 1) != Some(&b'i') {
                            return rejected(Reason::NoLength, position + 1);
                        }
                        match (known.passed != 0, known.length != 0) {
                            (false, _) => Argument::TemplatedMade(letter),
                            (_, true) => Argument::TemplatedLong(letter),
                            _ => Argument::Templated(letter),
                        }
                    }
                    None if KNOWN.contains(&letter) => return rejected(Reason::NoTemplate, position),
                    None => return rejected(Reason::UnknownArgument, position),
                },
            };
            if !specification.push(argument) {
                return rejected(Reason::TooManyArguments, position);
            }
        }
        Ok(specification)
    }
    /// Adds an argument; whether there was room.
    fn push(&mut self, argument: Argument) -> bool {
        let Some(place) = self.arguments.get_mut((self.counts & 15) as usize) else { return false };
        *place = argument;
        self.counts += 1 + (!argument.inserted() as u8) * 16;
        self.kinds += (argument == Argument::Constant) as u8 * 16;
        if argument.templated().is_some() {
            let several = self.kinds & COUNT == COUNT;
            let long = several || matches!(argument, Argument::TemplatedLong(_));
            self.kinds |= TEMPLATED | if long { LONG } else { 0 };
            self.kinds += !several as u8 * LETTER;
        }
        true
    }
    /// The arguments, in the server's order.
    pub fn arguments(&self) -> &[Argument] {
        &self.arguments[..((self.counts & 15) as usize).min(ARGUMENTS)]
    }
    /// Whether a template is for one of its letters.
    pub fn is_templated(&self) -> bool {
        self.kinds & TEMPLATED != 0
    }
    /// Whether its code is long.
    pub fn is_long(&self) -> bool {
        self.kinds & LONG != 0
    }
    /// Whether it has `letter`, which a template is for.
    pub fn has(&self, letter: u8) -> bool {
        self.is_templated() && self.arguments().iter().any(|a| a.templated() == Some(letter))
    }
    /// Constants that it needs.
    pub fn constants(&self) -> usize {
        (self.kinds >> 4) as usize
    }
    /// Whether its calls return through a frame of their own: it is neither a jump nor an exception's.
    #[inline(always)]
    pub fn enters(&self) -> bool {
        self.stack != Stack::Jump && self.state != State::Exception
    }
    /// Arguments that the caller passes.
    pub fn passed(&self) -> usize {
        (self.counts >> 4) as usize
    }
    /// The stub of an interposed portal: its number first, then what the caller passes, `sm=…`. Words that no longer fit
    /// are left out; what has lost its length so is passed as a word.
    pub fn stub(&self) -> Specification {
        let mut stub = Specification::EMPTY;
        stub.push(Argument::Number);
        for (n, &argument) in self.arguments().iter().filter(|a| !a.inserted()).take(ARGUMENTS - 1).enumerate() {
            let cut = n + 2 == ARGUMENTS;
            let word = cut && matches!(argument, Argument::TemplatedLong(_));
            stub.push(if word { Argument::Word } else { argument });
        }
        stub
    }
    /// The string that parses to this; `out` is filled up with zeros.
    pub fn write(&self, out: &mut [u8; abi::section::SPEC]) {
        out.fill(0);
        out[0] = match self.stack {
            Stack::Shared => b's',
            Stack::New => b'n',
            Stack::Jump => b'j',
        };
        out[1] = match self.state {
            State::Minimal => b'm',
            State::Partial => b'p',
            State::Full => b'f',
            State::Exception => b'x',
        };
        for (letter, argument) in out[2..].iter_mut().zip(self.arguments()) {
            *letter = match argument {
                Argument::Word => b'i',
                Argument::Constant => b'c',
                Argument::Number => b'=',
                Argument::Templated(letter) | Argument::TemplatedLong(letter) | Argument::TemplatedMade(letter) => {
                    *letter
                }
                Argument::Thread => b't',
                Argument::Domain => b'a',
                Argument::Identity => b'd',
                Argument::Time => b'h',
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use abi::template::{Letter, Lowered};

    /// `w` and `W`, as the memory manager has them, without code.
    fn parse(text: &str, boot: bool) -> Result<Specification, Rejected> {
        let mut template = Lowered::NONE;
        template.letters[0] = Letter { letter: b'w', ..Letter::NONE };
        template.letters[1] = Letter { letter: b'W', length: 1, ..Letter::NONE };
        template.letter_count = 2;
        Specification::parse(text, boot, &Templates::new(&[&template]))
    }
    fn reason(text: &str) -> (Reason, u8) {
        let rejected = parse(text, false).unwrap_err();
        (rejected.reason, rejected.position)
    }
    #[test]
    fn parses_the_papers_example() {
        let s = parse("smcwi", false).unwrap();
        assert_eq!((s.stack, s.state), (Stack::Shared, State::Minimal));
        let window = Argument::Templated(b'w');
        assert_eq!(s.arguments(), [Argument::Constant, window, Argument::Word]);
        assert_eq!(s.constants(), 1);
    }
    #[test]
    fn a_stub_passes_what_the_caller_passes() {
        let mut text = [0; abi::section::SPEC];
        parse("npcwit", false).unwrap().stub().write(&mut text);
        assert_eq!(abi::section::text(&text), "sm=wi");
    }
    #[test]
    fn rejects_too_short() {
        assert_eq!(reason(""), (Reason::TooShort, 0));
        assert_eq!(reason("s"), (Reason::TooShort, 1));
    }
    #[test]
    fn rejects_unknown_stack() {
        assert_eq!(reason("xmi"), (Reason::UnknownStack, 0));
    }
    #[test]
    fn rejects_unknown_state() {
        assert_eq!(reason("s?i"), (Reason::UnknownState, 1));
    }
    #[test]
    fn rejects_unknown_argument() {
        assert_eq!(reason("smiiz"), (Reason::UnknownArgument, 4));
    }
    #[test]
    fn rejects_too_many_arguments() {
        assert_eq!(reason("smiiiiiii"), (Reason::TooManyArguments, 8));
    }
    #[test]
    fn rejects_boot_only_letters() {
        assert_eq!(reason("jmi"), (Reason::BootOnly, 0));
        assert_eq!(reason("sx"), (Reason::BootOnly, 1));
        assert!(parse("jmi", true).is_ok() && parse("sx", true).is_ok());
    }
    #[test]
    fn rejects_too_long() {
        assert_eq!(reason(&"i".repeat(64)), (Reason::TooLong, 63));
    }
    #[test]
    fn rejects_letters_whose_server_is_not_there() {
        assert_eq!(reason("smk"), (Reason::NoTemplate, 2));
    }
    #[test]
    fn rejects_a_window_without_its_length() {
        assert_eq!(reason("smW"), (Reason::NoLength, 3));
        assert_eq!(reason("smWci"), (Reason::NoLength, 3));
        assert!(parse("smWi", false).is_ok());
    }
    #[test]
    fn a_stub_without_room_for_a_length_passes_a_word() {
        let mut text = [0; abi::section::SPEC];
        parse("smiiiiWi", false).unwrap().stub().write(&mut text);
        assert_eq!(abi::section::text(&text), "sm=iiiii");
    }
    #[test]
    fn writing_is_the_inverse_of_parsing() {
        for text in ["sm", "npciii", "sm=wi", "sftahw", "jmi", "sx"] {
            let mut out = [0; abi::section::SPEC];
            parse(text, true).unwrap().write(&mut out);
            assert_eq!(abi::section::text(&out), text);
        }
    }
}
