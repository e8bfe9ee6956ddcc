//! Short circuits: code that a trusted server puts before its portal, and that can end the call without entering it.
//!
//! A short circuit works on one record of the server's. It may use the values `V3` and `V4` and the words of the call, load from and
//! store to the record ([`abi::step::field`]), compute, and branch on. If it comes to its end, the call is complete with the result in
//! `W0`; if it branches to [`Way::Enter`], the portal goes on as if there had been no short circuit, so until then it must leave the words
//! of the call and the record alone: neither is written before the last branch there. Interrupts are off, as in any portal.

use crate::form::{Refused, is_step};
use abi::section::SHORT_CIRCUIT;
use abi::step::{Base, Fill, Operation, Place, Step, Way};

/// Whether it is a word of the call.
fn is_word(place: Place) -> bool {
    (Place::W0.0..=Place::W5.0).contains(&place.0)
}
/// Whether a short circuit may write it.
fn is_usable(place: Place) -> bool {
    is_word(place) || place == Place::V3 || place == Place::V4
}
fn enters(step: &Step) -> bool {
    step.is_branch() && step.way() == Some(Way::Enter)
}

/// Checks that `steps` keep to what a short circuit may do with a record of `stride` bytes.
#[cfg_attr(target_os = "none", optimize(size))]
pub fn check(steps: &[Step], stride: usize) -> Result<(), Refused> {
    if steps.len() > SHORT_CIRCUIT {
        return Err(Refused::Step { step: SHORT_CIRCUIT });
    }
    let entered_to = steps.iter().rposition(enters).unwrap_or(0);
    for (at, step) in steps.iter().enumerate() {
        is_step(step, at)?;
        // The portal may still be entered, with what the caller passed.
        let early = at < entered_to;
        let written = if step.is_branch() || step.stores().is_some() {
            step.stores().is_none() || !early
        } else {
            is_usable(step.to) && !(early && is_word(step.to))
        };
        let read = [step.first, step.second].into_iter().all(|place| is_usable(place) || place == Place::ZERO);
        let record = match step.loads().or(step.stores()) {
            Some(bytes) => {
                let offset = step.number.max(0) as usize;
                let inside = step.number >= 0 && offset.is_multiple_of(bytes) && offset + bytes <= stride;
                step.base == Base::RECORD && step.first == Place::ZERO && inside
            }
            None => true,
        };
        // These are about a portal with templates, or about what portals do themselves.
        let other = matches!(step.operation, Operation::CALLEE | Operation::RECORD | Operation::FORGET);
        if !written || !read || !record || other {
            return Err(Refused::Step { step: at });
        }
        if step.fill() != Fill::NONE || step.is_more() {
            return Err(Refused::Hole { step: at });
        }
        let leads = match step.way() {
            // To a step of its own.
            Some(Way::On(steps_on)) => steps_on > 0 && at + (steps_on as usize) < steps.len(),
            way => way == Some(Way::Enter),
        };
        if step.is_branch() && !leads {
            return Err(Refused::Branch { step: at });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use Place as P;
    use abi::step::*;

    const STEP: fn(usize) -> Result<(), Refused> = |step| Err(Refused::Step { step });
    #[test]
    fn a_counter_is_allowed() {
        let steps = [
            load_i32(P::V3, field(4)),
            not_less(P::ZERO, P::V3).enter(),
            add_number(P::V3, P::V3, -1),
            store_i32(P::V3, field(4)),
            number(P::W0, 0),
        ];
        assert_eq!(check(&steps, 16), Ok(()));
    }
    #[test]
    fn another_base_than_the_record_is_refused() {
        for from in [thread(0), caller(0), own(0), shared(0), record(P::V3, 0), table(P::V3, 0), callee(P::V3, 0)] {
            assert_eq!(check(&[load(P::W0, from)], 16), STEP(0));
            assert_eq!(check(&[store(P::W0, from)], 16), STEP(0));
        }
        assert_eq!(check(&[record_part(P::V3)], 16), STEP(0));
        assert_eq!(check(&[callee_record(P::V3)], 16), STEP(0));
        assert_eq!(check(&[copy(P::V3, P::THREAD)], 16), STEP(0));
    }
    #[test]
    fn an_access_outside_the_record_is_refused() {
        assert_eq!(check(&[load(P::W0, field(8))], 16), Ok(()));
        assert_eq!(check(&[number(P::W0, 0), load(P::W0, field(16))], 16), STEP(1));
        assert_eq!(check(&[store_i32(P::W0, field(-4))], 16), STEP(0));
        assert_eq!(check(&[load_i32(P::W0, field(2))], 16), STEP(0));
    }
    #[test]
    fn a_place_of_the_portals_is_refused() {
        for place in [P::ZERO, P::V1, P::V2, P::V5, P::V6, P::ARGUMENT, P::LENGTH, P::THREAD, P::CALLER, P(22), P(15)] {
            assert_eq!(check(&[number(place, 0)], 16), STEP(0), "{place:?}");
        }
    }
    #[test]
    fn a_branch_that_leads_elsewhere_is_refused() {
        let branch = equal(P::W0, P::W1);
        assert_eq!(check(&[branch], 16), Err(Refused::Branch { step: 0 }));
        assert_eq!(check(&[branch.on(1)], 16), Err(Refused::Branch { step: 0 }), "into what completes the call");
        assert_eq!(check(&[branch.on(2)], 16), Err(Refused::Branch { step: 0 }));
        assert_eq!(check(&[branch.on(u16::MAX.into())], 16), Err(Refused::Branch { step: 0 }));
        assert_eq!(check(&[branch.slow()], 16), Err(Refused::Branch { step: 0 }));
        assert_eq!(check(&[branch.fail(abi::Error::EINVAL)], 16), Err(Refused::Branch { step: 0 }));
        assert_eq!(check(&[branch.on(1), number(P::W0, 0)], 16), Ok(()));
        assert_eq!(check(&[branch.enter()], 16), Ok(()));
    }
    #[test]
    fn writing_what_the_portal_needs_before_it_may_be_entered_is_refused() {
        let late = equal(P::ZERO, P::V3).enter();
        for (step, at) in [(store_i32(P::V3, field(4)), 0), (number(P::W0, 0), 0), (load(P::W5, field(0)), 0)] {
            assert_eq!(check(&[step, late, number(P::W0, 0)], 16), STEP(at), "{step:?}");
            assert_eq!(check(&[equal(P::ZERO, P::V3).enter(), step], 16), Ok(()), "{step:?}");
        }
        assert_eq!(check(&[number(P::V3, 0), late, number(P::W0, 0)], 16), Ok(()));
    }
    #[test]
    fn what_only_templates_have_is_refused() {
        assert_eq!(check(&[forget(P::W0, P::W0)], 16), STEP(0));
        for step in [number(P::W0, 0).with(Fill::ASID), load(P::W0, field(0).of_argument()), number(P::W0, 0).more()] {
            assert_eq!(check(&[step], 16), Err(Refused::Hole { step: 0 }), "{step:?}");
        }
    }
    #[test]
    fn more_steps_than_there_is_room_for_are_refused() {
        assert_eq!(check(&[number(P::W0, 0); SHORT_CIRCUIT + 1], 16), STEP(SHORT_CIRCUIT));
    }
}
