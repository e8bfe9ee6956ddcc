//! Templates: written, checked, and put into portals. What they are is said in [`abi::template`].

use crate::End;
use crate::disassemble;
use crate::emit::Emitter;
use crate::encode::*;
use crate::specification::{ARGUMENTS, Specification};
use abi::template::{CODE, LETTERS, Letter, Part, Template, Word, choice, hole, part};
use core::cell::Cell;

/// The templates that portals are made with.
#[derive(Clone, Copy)]
pub struct Templates<'a> {
    all: &'a [&'a Template],
    /// Windows are mapped at the first access, if there is a template for that.
    at_touch: bool,
}

impl core::fmt::Debug for Templates<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter) -> core::fmt::Result {
        write!(f, "{} templates", self.all.len())
    }
}
impl<'a> Templates<'a> {
    pub const NONE: Templates<'static> = Templates::new(&[]);
    pub const fn new(all: &'a [&'a Template]) -> Templates<'a> {
        Templates { all, at_touch: false }
    }
    /// The same, with windows mapped at the first access, where there is a template for that.
    pub const fn at_touch(self, at_touch: bool) -> Templates<'a> {
        Templates { at_touch, ..self }
    }
    pub const fn is_at_touch(&self) -> bool {
        self.at_touch
    }
    pub fn get(&self, n: usize) -> &'a Template {
        self.all[n]
    }
    /// The template of `letter`, and the letter's place in it.
    pub fn find(&self, letter: u8) -> Option<(usize, usize)> {
        let find = |at_touch: bool| {
            let usable = |t: &Template| (t.choice == choice::AT_TOUCH) == at_touch;
            self.all.iter().enumerate().filter(|(_, t)| usable(t)).find_map(|(n, t)| {
                let letters = &t.letters[..(t.letter_count as usize).min(LETTERS)];
                Some((n, letters.iter().position(|l| l.letter == letter)?))
            })
        };
        let chosen = if self.at_touch { find(true) } else { None };
        chosen.or_else(|| find(false))
    }
    pub fn letter(&self, letter: u8) -> Option<&'a Letter> {
        let (template, place) = self.find(letter)?;
        Some(&self.all[template].letters[place])
    }
}

/// One letter of a specification that a template is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// Place among the templates, and the letter's place in its template.
    pub template: u8,
    pub letter: u8,
    /// Number of the argument register in which the caller passes it, and of that in which the server gets it.
    pub from: u8,
    pub to: u8,
    /// Frame offsets of its own words and of those that its template's letters share.
    pub own: u16,
    pub common: u16,
    /// It is the first, the last, of its template.
    pub first: bool,
    pub last: bool,
}
/// All of them: template by template, and in each by argument.
#[derive(Clone, Copy, Debug)]
pub struct Uses {
    all: [Use; ARGUMENTS],
    count: u8,
    /// One of them has code for [`part::ASK`].
    pub asks: bool,
    /// Bytes of the frame that they take together.
    pub size: u16,
}
const UNUSED: Use = Use { template: 0, letter: 0, from: 0, to: 0, own: 0, common: 0, first: false, last: false };

impl Uses {
    pub const NONE: Uses = Uses { all: [UNUSED; ARGUMENTS], count: 0, asks: false, size: 0 };
    /// Those of `specification`, whose words start at frame offset `at`. `Err`: a letter that has no template.
    pub fn new(specification: &Specification, templates: &Templates, at: u16) -> Result<Uses, u8> {
        let mut uses = Uses::NONE;
        uses.find(specification, templates, at)?;
        Ok(uses)
    }
    /// Makes them, where there are none, those of `specification`.
    #[inline(always)]
    pub(crate) fn find(&mut self, specification: &Specification, templates: &Templates, at: u16) -> Result<(), u8> {
        let uses = self;
        if !specification.is_templated() {
            return Ok(());
        }
        let mut from = 0;
        for (to, argument) in specification.arguments().iter().enumerate() {
            if let Some(letter) = argument.templated() {
                let (template, place) = templates.find(letter).ok_or(letter)?;
                let found =
                    Use { template: template as u8, letter: place as u8, from: from as u8, to: to as u8, ..UNUSED };
                // Behind those of earlier templates, and of its own.
                let mut n = uses.count as usize;
                while n > 0 && uses.all[n - 1].template > found.template {
                    uses.all[n] = uses.all[n - 1];
                    n -= 1;
                }
                uses.all[n] = found;
                uses.count += 1;
            }
            from += !argument.inserted() as usize;
        }
        let mut next = at;
        let mut common = at;
        for n in 0..uses.count as usize {
            let Use { template, letter, .. } = uses.all[n];
            let of = templates.get(template as usize);
            let first = n == 0 || uses.all[n - 1].template != template;
            if first {
                common = next;
                next += 8 * of.words as u16;
            }
            let last = n + 1 == uses.count as usize || uses.all[n + 1].template != template;
            uses.all[n] = Use { own: next, common, first, last, ..uses.all[n] };
            let letter = &of.letters[letter as usize];
            next += 8 * letter.words as u16;
            uses.asks |= letter.parts[part::ASK].count != 0;
        }
        uses.size = next - at;
        Ok(())
    }
    pub fn all(&self) -> &[Use] {
        &self.all[..self.count as usize]
    }
}

/// Writes a template, instruction by instruction.
pub struct Writer(Template);
impl Writer {
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Writer {
        Writer(Template::EMPTY)
    }
    /// How many instructions there are.
    pub const fn position(&self) -> usize {
        self.0.code_count as usize
    }
    pub const fn put(&mut self, word: Word) {
        self.0.code[self.0.code_count as usize] = word;
        self.0.code_count += 1;
    }
    /// A whole instruction.
    pub const fn plain(&mut self, instruction: u32) {
        self.put(Word::new(instruction));
    }
    pub const fn more<const N: usize>(&mut self, instructions: [u32; N]) {
        let mut n = 0;
        while n < N {
            self.put(Word::new(instructions[n]).more());
            n += 1;
        }
    }
    pub const fn all<const N: usize>(&mut self, instructions: [u32; N]) {
        let mut n = 0;
        while n < N {
            self.plain(instructions[n]);
            n += 1;
        }
    }
    /// Makes the branch at `at`, which was put with offset 0, lead here.
    pub const fn land(&mut self, at: usize) {
        let distance = 4 * (self.position() - at) as i32;
        self.0.code[at].instruction |= beq(ZERO, ZERO, distance) & BRANCH_OFFSET;
    }
    /// What was put since `first`.
    pub const fn part(&self, first: usize) -> Part {
        Part { first: first as u16, count: (self.position() - first) as u16 }
    }
    pub const fn before(&mut self, which: usize, part: Part) {
        self.0.before[which] = part;
    }
    pub const fn after(&mut self, which: usize, part: Part) {
        self.0.after[which] = part;
    }
    pub const fn letter(&mut self, letter: Letter) {
        self.0.letters[self.0.letter_count as usize] = letter;
        self.0.letter_count += 1;
    }
    /// The template, whose letters share `words` words of the frame.
    pub const fn finish(mut self, words: u8) -> Template {
        self.0.words = words;
        let (mut n, mut run) = (self.position(), 0);
        while n > 0 {
            n -= 1;
            run = if is_whole(self.0.code[n]) { run + 1 } else { 0 };
            if run != 0 {
                self.0.code[n].hole = run << 16;
            }
        }
        self.0
    }
}

/// Whether nothing is filled in. The operand of such a word says how many like it there are from there on, or 0, so that those
/// that are filled in are found soon.
const fn is_whole(word: Word) -> bool {
    word.hole & 0xffff == 0
}

/// Why a template is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// No letters, too many, the same twice, or one that has another meaning.
    Letter { place: usize },
    /// A part lies outside the code.
    Part { letter: usize },
    /// The instruction is none that a template may have, or it writes a register that it may not.
    Instruction { word: usize },
    /// The branch goes backwards or out of its part.
    Branch { word: usize },
    /// Nothing can be filled in there.
    Hole { word: usize },
    /// It loads or stores elsewhere than in its own words, in its record, or public fields ([`crate::confinement`]).
    Access { word: usize },
    /// It looks at a register or a word of the frame that it has not written, or passes on an address.
    Register { word: usize },
}

/// The most words of the frame that a letter, or what letters share, may have.
pub(crate) const FRAME_WORDS: u8 = 12;
const BRANCH_OFFSET: u32 = 0xFE00_0F80;

/// Checks that `template` keeps to what portals allow: forward branches inside each part, the generator's own instructions,
/// free registers.
pub fn check(template: &Template) -> Result<(), Refused> {
    let count = template.letter_count as usize;
    if count == 0 || count > LETTERS || template.words > FRAME_WORDS {
        return Err(Refused::Letter { place: 0 });
    }
    let letters = &template.letters[..count];
    for (place, l) in letters.iter().enumerate() {
        let known = b"ic=tah".contains(&l.letter) || !l.letter.is_ascii_graphic();
        let flags = l.passed > 1 || l.length > 1 || (l.length == 1 && l.passed == 0);
        let twice = letters[..place].iter().any(|other| other.letter == l.letter);
        if known || flags || twice || l.words > FRAME_WORDS || l.lent > l.words {
            return Err(Refused::Letter { place });
        }
        for (which, &p) in l.parts.iter().enumerate() {
            check_part(template, p, which, Some(place))?;
        }
    }
    for which in 0..3 {
        check_part(template, template.before[which], which, None)?;
        check_part(template, template.after[which], which, None)?;
    }
    Ok(())
}
fn check_part(template: &Template, p: Part, which: usize, letter: Option<usize>) -> Result<(), Refused> {
    let (first, end) = (p.first as usize, p.first as usize + p.count as usize);
    if end > (template.code_count as usize).min(CODE) {
        return Err(Refused::Part { letter: letter.unwrap_or(LETTERS) });
    }
    let mut more = false;
    for word in first..end {
        let Word { instruction, hole } = template.code[word];
        // In words that not every portal has, and before them, all stay in order.
        if more && hole & hole::MORE == 0 {
            return Err(Refused::Hole { word });
        }
        more = hole & hole::MORE != 0;
        check_word(template.code[word], which, letter.is_some(), word)?;
        let run = template.code[word].operand() as usize;
        if is_whole(template.code[word])
            && !template.code.get(word..word + run).is_some_and(|words| words.iter().all(|&w| is_whole(w)))
        {
            return Err(Refused::Hole { word });
        }
        if instruction & 0x7f == 0x63 && !matches!(template.code[word].kind(), hole::FAIL | hole::SLOW) {
            let (backwards, offset) = branch_offset(instruction);
            if backwards || offset == 0 || !offset.is_multiple_of(4) || word + offset / 4 > end {
                return Err(Refused::Branch { word });
            }
        }
    }
    Ok(())
}
/// Whether a branch goes backwards, and else its offset.
pub(crate) fn branch_offset(word: u32) -> (bool, usize) {
    let offset = (word >> 7 & 1) << 11 | (word >> 25 & 63) << 5 | (word >> 8 & 15) << 1;
    (word >> 31 != 0, offset as usize)
}
fn check_word(word: Word, which: usize, of_letter: bool, at: usize) -> Result<(), Refused> {
    let Word { instruction, hole } = word;
    let opcode = instruction & 0x7f;
    let bad = Err(Refused::Instruction { word: at });
    let sfence = opcode == 0x73 && instruction >> 25 == 9;
    if !disassemble::known(instruction)
        || matches!(opcode, 0x6f | 0x67)
        || (opcode == 0x73 && !(sfence && which == part::BACK))
        || (opcode == 0x23 && which == part::SLOW)
    {
        return bad;
    }
    let fields = hole & 0x3f;
    let has_rd = matches!(opcode, 0x03 | 0x13 | 0x1b | 0x33 | 0x37);
    if has_rd && hole & hole::RD == 0 {
        let rd = instruction >> 7 & 31;
        let free = [T1, T4, T5, A6].iter().any(|r| r.0 as u32 == rd);
        // `t3` is where the caller goes on, `t6` the callee's table.
        let other = (rd == T3.0 as u32 && which != part::BACK) || (rd == T6.0 as u32 && which != part::PASS);
        if !free && !other {
            return bad;
        }
    }
    let hole_refused = Err(Refused::Hole { word: at });
    let load_or_store = matches!(opcode, 0x03 | 0x23);
    let immediate = load_or_store || matches!(opcode, 0x13 | 0x1b);
    let filled = |holes: u32, register: u32| hole & holes != 0 && register != 0;
    // The argument may be made in `PASS` only; its fields are in instructions that have them, and are empty.
    if filled(hole::RD, instruction >> 7 & 31)
        || filled(hole::RS1 | hole::LENGTH_RS1, instruction >> 15 & 31)
        || filled(hole::RS2 | hole::LENGTH_RS2, instruction >> 20 & 31)
        || (hole & hole::RD != 0 && (!has_rd || which != part::PASS))
        || (fields & (hole::RS2 | hole::LENGTH_RS2) != 0 && !matches!(opcode, 0x33 | 0x23 | 0x63))
        || (fields & (hole::RS1 | hole::LENGTH_RS1) != 0 && opcode == 0x37)
        || (fields != 0 && (!of_letter || which == part::BACK))
        || hole & 0x88 != 0
    {
        return hole_refused;
    }
    let fits = match word.kind() {
        0 => true,
        hole::OWN => load_or_store && of_letter,
        hole::COMMON => load_or_store,
        hole::CALLEE | hole::RECORD_UPPER => opcode == 0x37,
        hole::ASID => opcode == 0x13 || opcode == 0x1b,
        hole::PARAMETER => matches!(opcode, 0x13 | 0x1b) && of_letter && word.operand() < 3,
        hole::FAIL => {
            opcode == 0x63
                && matches!(which, part::CHECK | part::ASK)
                && abi::Error::from_number(word.operand() as usize).is_some()
        }
        hole::SLOW => opcode == 0x63 && matches!(which, part::CHECK | part::ASK | part::BACK),
        hole::RECORD_LOWER | hole::PLACE => immediate,
        hole::MODE => opcode == 0x13 && instruction >> 12 & 7 == 6,
        _ => false,
    };
    if fits { Ok(()) } else { hole_refused }
}

/// What fills a template's holes in one portal.
pub(crate) struct Filling<'a> {
    pub letter: &'a Letter,
    /// Number of the argument's register.
    pub argument: u32,
    /// By the kind of the hole: what goes into it.
    pub values: [u32; KINDS],
    pub last: bool,
}
/// Kinds of holes.
const KINDS: usize = 12;
impl<'a> Filling<'a> {
    /// For a letter of `template` that the caller passes in argument register `from`, its words and those that its template's
    /// letters share at `own` and `common` in the frame, in a call to `callee`.
    #[inline(always)]
    pub fn new(template: &'a Template, used: &Use, argument: u8, callee: &End) -> Filling<'a> {
        let record = template.record as u32;
        let mut values = [0; KINDS];
        values[hole::OWN as usize] = used.own as u32;
        values[hole::COMMON as usize] = used.common as u32;
        values[hole::CALLEE as usize] = callee.table as u32 & 0xffff_f000;
        values[hole::ASID as usize] = callee.asid as u32;
        values[hole::MODE as usize] = arch::riscv64::paging::mode(callee.supervisor());
        values[hole::RECORD_UPPER as usize] = record.wrapping_add(0x800) & 0xffff_f000;
        values[hole::RECORD_LOWER as usize] = record;
        let letter = &template.letters[used.letter as usize % LETTERS];
        values[hole::PLACE as usize] = 16 * (used.from as u32 >> (letter.length & 1));
        Filling { letter, argument: A0.0 as u32 + argument as u32, values, last: used.last }
    }
    /// `word` with the argument's registers in it.
    #[inline(always)]
    pub fn registers(&self, word: Word) -> u32 {
        let Word { mut instruction, hole } = word;
        /// Where a register goes, as a factor of its number: the lowest bit stands for `RD`, the next for `RS1`, `RS2`.
        const FACTOR: [u32; 8] = {
            let mut factors = [0; 8];
            let mut bits = 0;
            while bits < 8 {
                factors[bits] = ((bits & 1) << 7 | (bits >> 1 & 1) << 15 | (bits >> 2 & 1) << 20) as u32;
                bits += 1;
            }
            factors
        };
        if hole & 7 != 0 {
            instruction |= self.argument * FACTOR[hole as usize & 7];
        }
        if hole & 0x30 != 0 {
            instruction |= (self.argument + 1) * FACTOR[hole as usize >> 3 & 6];
        }
        instruction
    }
    /// What goes into the hole of `word`, which is of that kind.
    #[inline(always)]
    fn value(&self, word: Word, kind: u32) -> u32 {
        if kind == hole::PARAMETER {
            return self.letter.parameters.get(word.operand() as usize).map_or(0, |&p| p as u32);
        }
        self.values.get(kind as usize).copied().unwrap_or(0)
    }
}
/// Adds to the immediate of a load, a store or an arithmetic instruction; the upper part of a `lui` is `value` itself.
#[inline(always)]
fn add_immediate(word: u32, value: u32) -> u32 {
    match word & 0x7f {
        0x37 => word | value,
        0x23 => {
            let now = (word >> 25 << 5 | word >> 7 & 31).wrapping_add(value);
            word & !BRANCH_OFFSET | (now >> 5 & 127) << 25 | (now & 31) << 7
        }
        _ => word.wrapping_add(value << 20),
    }
}
/// The code of a part.
#[inline(always)]
pub(crate) fn code(template: &Template, p: Part) -> &[Word] {
    template.code.get(p.first as usize..p.first as usize + p.count as usize).unwrap_or(&[])
}
/// Puts `code` of a template in the portal; `link` gives the offset of a branch to one of the portal's tails, and is told where the
/// branch is.
#[inline(always)]
pub(crate) fn put(e: &mut Emitter, code: &[Word], filling: &Filling, mut link: impl FnMut(Word, usize) -> u32) {
    e.put_some(code.len(), |places, start| {
        let places = &places[..code.len()];
        copy(places, code);
        let mut n = 0;
        while n < code.len() {
            let word = code[n];
            if is_whole(word) {
                n += word.operand().max(1) as usize;
                continue;
            }
            if word.hole & hole::MORE != 0 && filling.last {
                break;
            }
            let instruction = filling.registers(word);
            places[n].set(match word.kind() {
                0 => instruction,
                hole::FAIL | hole::SLOW => instruction | link(word, start + n),
                kind => add_immediate(instruction, filling.value(word, kind)),
            });
            n += 1;
        }
        n.min(code.len())
    });
}
/// Copies the instructions of `code`, four at a time.
#[inline(always)]
fn copy(places: &[Cell<u32>], code: &[Word]) {
    let ((places, few), (code, rest)) = (places.as_chunks::<4>(), code.as_chunks::<4>());
    for (place, word) in places.iter().zip(code) {
        (0..4).for_each(|n| place[n].set(word[n].instruction));
    }
    few.iter().zip(rest).for_each(|(place, word)| place.set(word.instruction));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A template of letter `q`, whose part `which` is `words`.
    fn of(which: usize, words: &[Word]) -> Template {
        let mut w = Writer::new();
        let at = w.position();
        words.iter().for_each(|&word| w.put(word));
        let mut parts = [Part::NONE; 5];
        parts[which] = w.part(at);
        w.letter(Letter { letter: b'q', words: 1, parts, ..Letter::NONE });
        w.finish(0)
    }
    fn refused(which: usize, words: &[Word]) -> Refused {
        check(&of(which, words)).unwrap_err()
    }
    fn w(instruction: u32) -> Word {
        Word::new(instruction)
    }

    #[test]
    fn an_argument_made_from_a_record_is_allowed() {
        let words = [
            w(lui(T4, 0)).record_upper(),
            w(ld(T4, T4, 8)).record_lower(),
            w(sd(T4, T0, 0)).own(),
            w(bne(T4, ZERO, 0)).fail(abi::Error::EBADF),
        ];
        assert_eq!(check(&of(part::CHECK, &words)), Ok(()));
        assert_eq!(check(&of(part::PASS, &[w(addi(ZERO, T4, 0)).rd()])), Ok(()));
    }
    #[test]
    fn a_letter_of_the_generators_is_refused() {
        let mut template = of(part::PASS, &[]);
        for letter in *b"ic=tah" {
            template.letters[0].letter = letter;
            assert_eq!(check(&template), Err(Refused::Letter { place: 0 }));
        }
    }
    #[test]
    fn no_letter_one_twice_and_one_that_can_not_be_typed_are_refused() {
        assert_eq!(check(&Template::EMPTY), Err(Refused::Letter { place: 0 }));
        let mut template = of(part::PASS, &[]);
        template.letters[1] = template.letters[0];
        template.letter_count = 2;
        assert_eq!(check(&template), Err(Refused::Letter { place: 1 }));
        template.letters[0].letter = b' ';
        assert_eq!(check(&template), Err(Refused::Letter { place: 0 }));
    }
    #[test]
    fn a_letter_with_a_length_that_is_not_passed_is_refused() {
        let mut template = of(part::PASS, &[]);
        (template.letters[0].passed, template.letters[0].length) = (0, 1);
        assert_eq!(check(&template), Err(Refused::Letter { place: 0 }));
    }
    #[test]
    fn too_many_words_of_the_frame_are_refused() {
        let mut template = of(part::PASS, &[]);
        template.letters[0].words = FRAME_WORDS + 1;
        assert_eq!(check(&template), Err(Refused::Letter { place: 0 }));
    }
    #[test]
    fn a_part_outside_the_code_is_refused() {
        let mut template = of(part::PASS, &[]);
        template.letters[0].parts[part::CHECK] = Part { first: 0, count: 1 };
        assert_eq!(check(&template), Err(Refused::Part { letter: 0 }));
        template.letters[0].parts[part::CHECK] = Part { first: u16::MAX, count: u16::MAX };
        assert_eq!(check(&template), Err(Refused::Part { letter: 0 }));
    }
    #[test]
    fn jumps_and_privileged_instructions_are_refused() {
        for word in [SRET, jal(ZERO, 8), jalr(ZERO, T1, 0), csrw(csr::SATP, T1), csrr(T1, csr::SEPC), 0x73] {
            assert_eq!(refused(part::PASS, &[w(word)]), Refused::Instruction { word: 0 }, "{word:08x}");
        }
        assert_eq!(refused(part::CHECK, &[w(sfence_vma(T4, T5))]), Refused::Instruction { word: 0 });
        assert_eq!(check(&of(part::BACK, &[w(sfence_vma(T4, T5))])), Ok(()));
    }
    #[test]
    fn a_register_that_is_not_free_is_refused() {
        for register in [RA, SP, GP, TP, T0, T2, S0, S11, A0, A7] {
            assert_eq!(refused(part::CHECK, &[w(addi(register, ZERO, 0))]), Refused::Instruction { word: 0 });
        }
        assert_eq!(refused(part::BACK, &[w(addi(T3, ZERO, 0))]), Refused::Instruction { word: 0 });
        assert_eq!(refused(part::PASS, &[w(addi(T6, ZERO, 0))]), Refused::Instruction { word: 0 });
    }
    #[test]
    fn a_branch_backwards_or_out_of_its_part_is_refused() {
        assert_eq!(refused(part::PASS, &[w(addi(T1, ZERO, 0)), w(beq(T1, T4, -4))]), Refused::Branch { word: 1 });
        assert_eq!(refused(part::PASS, &[w(beq(T1, T4, 8))]), Refused::Branch { word: 0 });
        assert_eq!(refused(part::PASS, &[w(beq(T1, T4, 0))]), Refused::Branch { word: 0 });
        assert_eq!(check(&of(part::PASS, &[w(beq(T1, T4, 4))])), Ok(()));
    }
    #[test]
    fn a_hole_that_does_not_fit_is_refused() {
        let hole = |which, word| assert_eq!(refused(which, &[word]), Refused::Hole { word: 0 });
        hole(part::CHECK, w(addi(T1, ZERO, 0)).own());
        hole(part::CHECK, w(addi(ZERO, T4, 0)).rd());
        hole(part::BACK, w(addi(T1, ZERO, 0)).rs1());
        hole(part::CHECK, w(lui(T1, 0)).asid());
        hole(part::CHECK, w(addi(T1, T1, 0)).parameter(3));
        hole(part::CHECK, w(addi(T1, T1, 0)).slow());
        hole(part::PASS, w(bne(T1, ZERO, 0)).fail(abi::Error::EFAULT));
        hole(part::CHECK, Word { hole: 99 << 8, ..w(addi(T1, T1, 0)) });
        hole(part::CHECK, Word { hole: hole::FAIL << 8 | 9999 << 16, ..w(bne(T1, ZERO, 0)) });
        hole(part::CHECK, w(addi(T1, T1, 0)).rs1());
        hole(part::CHECK, w(add(T1, T1, T4)).rs2());
        hole(part::PASS, w(addi(T1, ZERO, 0)).rd());
        let out_of_order = [w(addi(T1, ZERO, 0)).more(), w(addi(T1, ZERO, 0))];
        assert_eq!(refused(part::PASS, &out_of_order), Refused::Hole { word: 1 });
    }
    #[test]
    fn words_without_holes_are_counted() {
        let words = [w(addi(T1, ZERO, 0)), w(addi(T4, ZERO, 0)), w(sd(T4, T0, 0)).own(), w(addi(T5, ZERO, 0))];
        let mut template = of(part::CHECK, &words);
        assert_eq!(template.code[..4].iter().map(|w| w.operand()).collect::<Vec<_>>(), [2, 1, 0, 1]);
        assert_eq!(check(&template), Ok(()));
        template.code[1].hole = 0;
        assert_eq!(check(&template), Ok(()), "not counted");
        template.code[0].hole = 3 << 16;
        assert_eq!(check(&template), Err(Refused::Hole { word: 0 }));
        template.code[0].hole = 1000 << 16;
        assert_eq!(check(&template), Err(Refused::Hole { word: 0 }));
    }
    #[test]
    fn holes_are_filled() {
        let mut template = Template { record: 0xFFFF_FFFF_8070_0FF0, ..Template::EMPTY };
        template.letters[0] = Letter { parameters: [5, -6, 7], ..Letter::NONE };
        let used = Use { from: 3, own: 64, common: 40, last: true, ..UNUSED };
        let callee = End { table: 0xFFFF_FFFF_8050_1000, asid: 9, flags: 0 };
        let filling = Filling::new(&template, &used, 2, &callee);
        let filled = |word: Word| {
            let mut out = crate::emit::Buffer::EMPTY;
            put(&mut Emitter::new(&mut out), &[word], &filling, |_, _| 0);
            out.0[0]
        };
        assert_eq!(filled(w(add(ZERO, ZERO, ZERO)).rd().rs1().length_rs2()), add(A2, A2, A3));
        assert_eq!(filled(w(sd(T1, T0, 8)).own()), sd(T1, T0, 72));
        assert_eq!(filled(w(ld(T1, T0, 0)).common()), ld(T1, T0, 40));
        assert_eq!(filled(w(lui(T3, 0)).callee()), lui(T3, 0x80501));
        assert_eq!(filled(w(addi(T5, ZERO, 0)).asid()), addi(T5, ZERO, 9));
        assert_eq!(filled(w(addi(T4, T4, 1)).parameter(1)), addi(T4, T4, -5));
        assert_eq!(filled(w(ld(T3, TP, 8)).place()), ld(T3, TP, 56));
        // The lower part is negative: the upper one makes up for it.
        assert_eq!(filled(w(lui(T3, 0)).record_upper()), lui(T3, 0x80701));
        assert_eq!(filled(w(ld(T3, T3, 0)).record_lower()), ld(T3, T3, -16));
    }
}
