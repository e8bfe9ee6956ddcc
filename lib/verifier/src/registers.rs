//! What the scan knows of the dedicated registers.
//!
//! Between any two instructions of a straight run, what a register holds is described by three properties. Wherever code may be *entered* (at every word,
//! since any word can be jumped to) all registers have the properties of [`Registers::VALID`]; so every jump out must leave them so. That this
//! also covers runs that are entered in their middle is shown in `docs/src/fault-domains.md`.

use crate::decode::Kind;
use crate::dedicated::*;
use crate::rejection::Rule;
use crate::segment::{Form, Segment};

/// What is known of a register's value.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Value {
    /// An address of the segment; with [`Form::Or`] one that has all bits of its base.
    inside: bool,
    /// Less than the segment's size.
    masked: bool,
    /// A multiple of 4.
    aligned: bool,
}
impl Value {
    const NOTHING: Value = Value { inside: false, masked: false, aligned: false };
}

/// What is known of all of them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Registers {
    link: Value,
    stack: Value,
    jump: Value,
    address: Value,
    /// How far `sp` may be from where it was when it was used last, in bytes; it is `inside` but for this.
    drift: u32,
}
impl Registers {
    /// What holds wherever code can be entered. `sp` may be up to an access's offset out of its segment.
    pub const VALID: Registers = Registers {
        link: Value { inside: true, masked: false, aligned: true },
        stack: Value { inside: true, masked: false, aligned: false },
        jump: Value { inside: true, masked: false, aligned: true },
        address: Value { inside: true, masked: false, aligned: false },
        drift: 0,
    };
    /// Which rule they break if code is entered, or left, now.
    pub fn all_valid(&self) -> Option<Rule> {
        let whole = [self.link, self.jump].iter().all(|value| value.inside && value.aligned);
        if !whole || !self.stack.inside || !self.address.inside {
            Some(Rule::Unfinished)
        } else {
            (self.drift != 0).then_some(Rule::Drift)
        }
    }
    /// Checks an access to memory through `base`; `rule` says what another register breaks.
    pub fn access(&mut self, base: u8, rule: Rule) -> Result<(), Rule> {
        self.attempt(base, rule)?;
        if base == STACK {
            // Had it gone too far, this would have faulted.
            self.drift = 0;
        }
        Ok(())
    }
    /// The same of one that need not be made, and so shows nothing of where `base` is.
    pub fn attempt(&self, base: u8, rule: Rule) -> Result<(), Rule> {
        let value = match base {
            ADDRESS => self.address,
            STACK => self.stack,
            _ => return Err(rule),
        };
        if value.inside { Ok(()) } else { Err(Rule::StaleAddress) }
    }
    /// Checks a jump to `offset` from `base`. Targets up to an offset out of the segment are in the guard zones.
    pub fn jump(&self, base: u8, offset: i32) -> Result<(), Rule> {
        let value = match base {
            JUMP => self.jump,
            LINK => self.link,
            _ => return Err(Rule::Jump),
        };
        match (offset % 4, value.inside && value.aligned) {
            (0, true) => Ok(()),
            (0, false) => Err(Rule::StaleJump),
            _ => Err(Rule::Jump),
        }
    }
    fn of(&mut self, register: u8) -> &mut Value {
        match register {
            LINK => &mut self.link,
            STACK => &mut self.stack,
            JUMP => &mut self.jump,
            _ => &mut self.address,
        }
    }
    /// One of the four is written by an instruction of `kind` at `address`.
    pub fn write(&mut self, register: u8, kind: Kind, segment: &Segment, address: u64) -> Result<(), Rule> {
        if register == STACK {
            return self.write_stack(kind, segment, address);
        }
        let before = *self.of(register);
        let same = |source| if source == register { before } else { Value::NOTHING };
        *self.of(register) = match kind {
            Kind::AddUnsignedWord { source, base: BASE } if segment.form == Form::AddUnsignedWord => {
                Value { inside: true, masked: false, aligned: same(source).aligned }
            }
            Kind::And { other: JUMP_MASK, .. } | Kind::And { one: JUMP_MASK, .. } if segment.form == Form::Mask => {
                Value { inside: false, masked: true, aligned: true }
            }
            Kind::And { one, other: MASK } | Kind::And { one: MASK, other: one } if segment.form == Form::Mask => {
                Value { inside: false, masked: true, aligned: same(one).aligned }
            }
            Kind::Or { one, other: BASE } | Kind::Or { one: BASE, other: one } => {
                let Value { inside, masked, aligned } = same(one);
                let inside = inside || masked || segment.form == Form::Or;
                Value { inside, masked: false, aligned: aligned && inside }
            }
            // Clears the two lowest bits: what was in the segment still is.
            Kind::AndImmediate { source, immediate: -4 } => Value { aligned: true, ..same(source) },
            _ if is_place(kind, segment, address) => Value { inside: true, masked: false, aligned: true },
            _ => Value::NOTHING,
        };
        Ok(())
    }
    /// The stack pointer may be an offset out of its segment where code is entered, so nothing that keeps part of its value brings it
    /// back: it is set as a whole, or moved by a constant.
    fn write_stack(&mut self, kind: Kind, segment: &Segment, address: u64) -> Result<(), Rule> {
        if let Kind::AddImmediate { source: STACK, immediate } = kind
            && self.stack.inside
        {
            self.drift += immediate.unsigned_abs();
            return if self.drift <= MOST_DRIFT { Ok(()) } else { Err(Rule::Drift) };
        }
        self.drift = 0;
        self.stack.inside = match kind {
            Kind::AddUnsignedWord { base: BASE, .. } => segment.form == Form::AddUnsignedWord,
            Kind::Or { other: BASE, .. } | Kind::Or { one: BASE, .. } => segment.form == Form::Or,
            Kind::AddImmediate { source: ADDRESS, immediate: 0 } => self.address.inside,
            _ => is_place(kind, segment, address),
        };
        Ok(())
    }
}
/// Whether what an instruction of `kind` at `address` writes is a place in the segment that it says itself, or the word behind it (which is in
/// the segment, or begins the guard zone at its end).
fn is_place(kind: Kind, segment: &Segment, address: u64) -> bool {
    match kind {
        Kind::AddUpper { immediate } => segment.contains(address.wrapping_add_signed(immediate.into())),
        Kind::Jump { .. } | Kind::JumpRegister { .. } => true,
        _ => false,
    }
}
