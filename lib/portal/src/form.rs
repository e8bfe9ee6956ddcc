//! The form of steps: what a template's are where, before anything is known of what they do. Short circuits have the same steps, and
//! other rules ([`crate::short_circuit`]).

use abi::Error;
use abi::step::{Base, Fill, Operation, Place, Step, Way};
use abi::template::{CODE, LETTERS, Part, Template, part};

/// Why code is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// No letters, too many, the same twice, or one that has another meaning.
    Letter { place: usize },
    /// A part lies outside the code.
    Part { letter: usize },
    /// There is no such step, none may be there, or it writes a place that it may not.
    Step { step: usize },
    /// The branch leads nowhere, or out of its part.
    Branch { step: usize },
    /// Nothing can be filled in there.
    Hole { step: usize },
    /// It loads or stores elsewhere than in its own words, in its record, or public fields ([`crate::confinement`]).
    Access { step: usize },
    /// It looks at a place or a word of the frame that it has not written, or passes on an address.
    Place { step: usize },
}
impl Refused {
    /// Where.
    pub fn position(self) -> usize {
        match self {
            Refused::Letter { place } => place,
            Refused::Part { letter } => letter,
            Refused::Step { step }
            | Refused::Branch { step }
            | Refused::Hole { step }
            | Refused::Access { step }
            | Refused::Place { step } => step,
        }
    }
}

/// The most words of the frame that a letter, or what letters share, may have.
pub const FRAME_WORDS: u8 = 12;

/// What a step of an operation has.
struct Shape {
    to: bool,
    first: bool,
    second: bool,
    /// Its number's bounds. Those of 12 bits are what every back end has room for in one instruction.
    number: (i16, i16),
}
/// `None`: there is no such operation.
fn shape(operation: Operation) -> Option<Shape> {
    const NUMBER: (i16, i16) = (-2048, 2047);
    let (to, first, second, number) = match operation {
        Operation::ADD_NUMBER
        | Operation::AND_NUMBER
        | Operation::OR_NUMBER
        | Operation::XOR_NUMBER
        | Operation::BELOW_NUMBER
        | Operation::ADD_NUMBER_32
        | Operation::LOAD
        | Operation::LOAD_I32
        | Operation::LOAD_U16 => (true, true, false, NUMBER),
        Operation::SHIFT_LEFT | Operation::SHIFT_RIGHT => (true, true, false, (0, 63)),
        Operation::SHIFT_LEFT_32 => (true, true, false, (0, 31)),
        Operation::ADD | Operation::SUBTRACT | Operation::AND | Operation::OR | Operation::XOR => {
            (true, true, true, (0, 0))
        }
        Operation::PAGES => (true, false, false, (i16::MIN, i16::MAX)),
        Operation::CALLEE | Operation::RECORD => (true, false, false, (0, 0)),
        Operation::STORE | Operation::STORE_I32 => (false, true, true, NUMBER),
        // What a branch's number and `to` are is what its way says.
        Operation::EQUAL | Operation::DIFFERENT | Operation::LESS | Operation::NOT_LESS | Operation::BELOW => {
            (true, true, true, (i16::MIN, i16::MAX))
        }
        Operation::FORGET => (false, true, true, (0, 0)),
        _ => return None,
    };
    Some(Shape { to, first, second, number })
}
/// Whether something may be filled into a step of the operation.
fn fits(operation: Operation, fill: Fill) -> bool {
    match fill {
        Fill::NONE => true,
        Fill::RECORD_REST | Fill::PLACE => matches!(
            operation,
            Operation::ADD_NUMBER
                | Operation::LOAD
                | Operation::LOAD_I32
                | Operation::LOAD_U16
                | Operation::STORE
                | Operation::STORE_I32
        ),
        Fill::ASID => operation == Operation::ADD_NUMBER,
        Fill::MODE => operation == Operation::OR_NUMBER,
        Fill::PARAMETER_0 | Fill::PARAMETER_1 | Fill::PARAMETER_2 => {
            matches!(operation, Operation::ADD_NUMBER | Operation::AND_NUMBER)
        }
        _ => false,
    }
}
/// Whether an access of `step` has a base, and what holds its address, and another step has none.
fn is_addressed(step: &Step) -> bool {
    let held = (Place::V1.0..=Place::V6.0).contains(&step.first.0);
    let access = step.loads().or(step.stores()).is_some();
    match step.base {
        Base::NONE => !access,
        Base::OWN | Base::SHARED => access && step.first == Place::ZERO && step.fill() == Fill::NONE,
        Base::THREAD | Base::CALLER | Base::RECORD => access && (held || step.first == Place::ZERO),
        Base::CALLEE | Base::TABLE => access && held,
        _ => false,
    }
}
/// Whether step `at` is one: an operation that there is, with what it has and nothing else, and a branch with a way.
pub(crate) fn is_step(step: &Step, at: usize) -> Result<(), Refused> {
    let refused = Err(Refused::Step { step: at });
    let Some(shape) = shape(step.operation) else { return refused };
    let unused = |used: bool, place: Place| used || place == Place::ZERO;
    let places = unused(shape.to, step.to) && unused(shape.first, step.first) && unused(shape.second, step.second);
    if !places || !is_addressed(step) || step.number < shape.number.0 || step.number > shape.number.1 {
        return refused;
    }
    if !fits(step.operation, step.fill()) {
        return Err(Refused::Hole { step: at });
    }
    if step.is_branch() && step.way().is_none() { Err(Refused::Branch { step: at }) } else { Ok(()) }
}

/// Checks that the form of `template` is one that portals allow: parts that are there, steps that are some, branches on inside each
/// part, places that are free.
#[cfg_attr(target_os = "none", optimize(size))]
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
    // What is in no part is lowered, too.
    let code = &template.code[..(template.code_count as usize).min(CODE)];
    code.iter().enumerate().try_for_each(|(at, step)| is_step(step, at))
}
#[cfg_attr(target_os = "none", optimize(size))]
fn check_part(template: &Template, p: Part, which: usize, letter: Option<usize>) -> Result<(), Refused> {
    let (first, end) = (p.first as usize, p.first as usize + p.count as usize);
    if end > (template.code_count as usize).min(CODE) {
        return Err(Refused::Part { letter: letter.unwrap_or(LETTERS) });
    }
    let mut more = false;
    for (at, step) in template.code[..end].iter().enumerate().skip(first) {
        // In steps that not every portal has, and before them, all stay in order.
        if more && !step.is_more() {
            return Err(Refused::Hole { step: at });
        }
        more = step.is_more();
        check_step(step, which, letter.is_some(), at)?;
        if let (true, Some(Way::On(steps))) = (step.is_branch(), step.way())
            && (steps == 0 || at + steps as usize > end)
        {
            return Err(Refused::Branch { step: at });
        }
    }
    Ok(())
}
/// Checks one step, which is in part `which` of a letter, or of what letters share.
#[cfg_attr(target_os = "none", optimize(size))]
fn check_step(step: &Step, which: usize, of_letter: bool, at: usize) -> Result<(), Refused> {
    is_step(step, at)?;
    let (refused, hole) = (Err(Refused::Step { step: at }), Err(Refused::Hole { step: at }));
    let early = matches!(which, part::CHECK | part::ASK);
    if (step.operation == Operation::FORGET && which != part::BACK) || (step.stores().is_some() && which == part::SLOW)
    {
        return refused;
    }
    if step.is_branch() {
        match step.way() {
            Some(Way::Fail(error)) if !early || Error::from_number(error as usize).is_none() => return hole,
            Some(Way::Slow) if !early && which != part::BACK => return hole,
            Some(Way::Enter) => return Err(Refused::Branch { step: at }),
            _ => {}
        }
    } else {
        match step.to {
            // Not made, or as good as that.
            Place::ZERO => {}
            // What the callee gets is made when the call is committed.
            Place::ARGUMENT if of_letter && which == part::PASS => {}
            Place::ARGUMENT => return hole,
            Place::V1 | Place::V3 | Place::V4 | Place::V6 => {}
            Place::V2 if which != part::BACK => {}
            Place::V5 if which != part::PASS => {}
            _ => return refused,
        }
    }
    for place in [step.first, step.second] {
        match place {
            Place::ARGUMENT | Place::LENGTH if of_letter && which != part::BACK => {}
            Place::ARGUMENT | Place::LENGTH => return hole,
            _ if place.0 <= Place::CALLER.0 => {}
            _ => return refused,
        }
    }
    let of_a_letter = step.base == Base::OWN || step.fill().parameter().is_some();
    // A short circuit's record is always in one place, a template's never.
    let record = step.base == Base::RECORD && step.first == Place::ZERO;
    if (of_a_letter && !of_letter) || record { hole } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::writer::Writer;
    use Place as P;
    use abi::step::*;
    use abi::template::Letter;

    /// A template of letter `q`, whose part `which` is `steps`.
    fn of(which: usize, steps: &[Step]) -> Template {
        let mut w = Writer::new();
        let at = w.position();
        steps.iter().for_each(|&step| w.put(step));
        let mut parts = [Part::NONE; 5];
        parts[which] = w.part(at);
        w.letter(Letter { letter: b'q', words: 1, parts, ..Letter::NONE });
        w.finish(0)
    }
    fn refused(which: usize, steps: &[Step]) -> Refused {
        check(&of(which, steps)).unwrap_err()
    }

    #[test]
    fn an_argument_made_from_a_record_is_allowed() {
        let steps = [
            record_part(P::V3),
            load(P::V3, record(P::V3, 8).rest()),
            store(P::V3, own(0)),
            different(P::V3, P::ZERO).fail(Error::EBADF),
        ];
        assert_eq!(check(&of(part::CHECK, &steps)), Ok(()));
        assert_eq!(check(&of(part::PASS, &[copy(P::ARGUMENT, P::V3)])), Ok(()));
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
    fn a_step_in_no_part_that_is_none_is_refused() {
        let mut template = of(part::PASS, &[number(P::V1, 0)]);
        (template.code[1], template.code_count) = (number(P::V1, 0), 2);
        assert_eq!(check(&template), Ok(()));
        template.code[1].number = i16::MAX;
        assert_eq!(check(&template), Err(Refused::Step { step: 1 }));
    }
    #[test]
    fn operations_that_there_are_not_are_refused() {
        for n in (0..=u8::MAX).filter(|n| !(1..=Operation::FORGET.0).contains(n)) {
            assert_eq!(refused(part::PASS, &[Step::of(Operation(n))]), Refused::Step { step: 0 }, "{n}");
        }
    }
    #[test]
    fn translations_are_forgotten_at_the_return_only() {
        for which in [part::CHECK, part::PASS, part::SLOW, part::ASK] {
            assert_eq!(refused(which, &[forget(P::V3, P::V4)]), Refused::Step { step: 0 });
        }
        assert_eq!(check(&of(part::BACK, &[forget(P::V3, P::V4)])), Ok(()));
    }
    #[test]
    fn what_an_operation_does_not_have_is_refused() {
        let plain = number(P::V1, 0);
        let branch = equal(P::V1, P::V3).on(1);
        for step in [
            Step { second: P::V3, ..plain },
            Step { first: P::V3, ..pages(P::V1, 1) },
            Step { to: P::V3, ..store(P::V1, own(0)) },
            Step { number: 1, ..add(P::V1, P::V3, P::V3) },
            Step { base: Base::OWN, ..plain },
            Step { base: Base::OWN, ..branch },
            Step { base: Base::NONE, ..load(P::V1, own(0)) },
            Step { base: Base(8), ..load(P::V1, own(0)) },
            Step { first: P::V3, ..load(P::V1, own(0)) },
            Step { first: P::ZERO, ..load(P::V1, callee(P::V3, 0)) },
            Step { first: P::ZERO, ..load(P::V1, table(P::V3, 0)) },
            Step { first: P::ARGUMENT, ..load(P::V1, table(P::V3, 0)) },
            Step { first: P::CALLER, ..load(P::V1, table(P::V3, 0)) },
            Step { number: 2048, ..plain },
            Step { number: -2049, ..plain },
            Step { number: 64, ..shift_left(P::V1, P::V3, 0) },
            Step { number: -1, ..shift_right(P::V1, P::V3, 0) },
            Step { number: 32, ..shift_left_32(P::V1, P::V3, 0) },
        ] {
            assert_eq!(refused(part::CHECK, &[step]), Refused::Step { step: 0 }, "{step:?}");
        }
    }
    #[test]
    fn a_place_that_is_not_free_is_refused() {
        for place in [P::LENGTH, P::THREAD, P::CALLER, P(11), P::W0, P::W5, P(22), P(255)] {
            assert_eq!(refused(part::CHECK, &[number(place, 0)]), Refused::Step { step: 0 }, "{place:?}");
        }
        assert_eq!(refused(part::BACK, &[number(P::V2, 0)]), Refused::Step { step: 0 });
        assert_eq!(refused(part::PASS, &[number(P::V5, 0)]), Refused::Step { step: 0 });
        for place in [P(11), P::W0, P::W5, P(255)] {
            assert_eq!(refused(part::CHECK, &[copy(P::V1, place)]), Refused::Step { step: 0 }, "{place:?}");
        }
    }
    #[test]
    fn a_branch_that_leads_nowhere_or_out_of_its_part_is_refused() {
        let branch = equal(P::V1, P::V3);
        assert_eq!(refused(part::PASS, &[number(P::V1, 0), branch.on(u16::MAX.into())]), Refused::Branch { step: 1 });
        assert_eq!(refused(part::PASS, &[branch.on(2)]), Refused::Branch { step: 0 });
        assert_eq!(refused(part::PASS, &[branch]), Refused::Branch { step: 0 });
        assert_eq!(refused(part::CHECK, &[branch.enter()]), Refused::Branch { step: 0 });
        assert_eq!(refused(part::CHECK, &[Step { to: P(4), ..branch }]), Refused::Branch { step: 0 });
        assert_eq!(refused(part::CHECK, &[Step { number: 1, ..branch.slow() }]), Refused::Branch { step: 0 });
        assert_eq!(check(&of(part::PASS, &[branch.on(1)])), Ok(()));
    }
    #[test]
    fn a_hole_that_does_not_fit_is_refused() {
        let hole = |which, step| assert_eq!(refused(which, &[step]), Refused::Hole { step: 0 }, "{step:?}");
        hole(part::CHECK, copy(P::ARGUMENT, P::V3));
        hole(part::BACK, copy(P::V1, P::ARGUMENT));
        hole(part::CHECK, pages(P::V1, 0).with(Fill::ASID));
        hole(part::CHECK, number(P::V1, 0).with(Fill::MODE));
        hole(part::CHECK, or_number(P::V1, P::V1, 0).with(Fill::PARAMETER_0));
        hole(part::CHECK, number(P::V1, 0).with(Fill(5)));
        hole(part::CHECK, number(P::V1, 0).with(Fill(11)));
        hole(part::PASS, different(P::V1, P::ZERO).fail(Error::EFAULT));
        hole(part::PASS, different(P::V1, P::ZERO).slow());
        hole(part::CHECK, Step { number: 9999, ..different(P::V1, P::ZERO).fail(Error::EFAULT) });
        hole(part::CHECK, Step { number: -1, ..different(P::V1, P::ZERO).fail(Error::EFAULT) });
        hole(part::CHECK, load(P::V1, field(0)));
        let out_of_order = [number(P::V1, 0).more(), number(P::V1, 0)];
        assert_eq!(refused(part::PASS, &out_of_order), Refused::Hole { step: 1 });
    }
    #[test]
    fn what_a_letter_has_is_refused_in_what_letters_share() {
        for step in [copy(P::V1, P::ARGUMENT), load(P::V1, own(0)), number(P::V1, 0).with(Fill::PARAMETER_0)] {
            let mut template = of(part::CHECK, &[step]);
            assert_eq!(check(&template), Ok(()), "{step:?}");
            template.before[part::CHECK] = template.letters[0].parts[part::CHECK];
            template.letters[0].parts[part::CHECK] = Part::NONE;
            assert_eq!(check(&template), Err(Refused::Hole { step: 0 }), "{step:?}");
        }
    }
}
