//! Floating-point instructions, by the host's arithmetic: to nearest, without flags.

use crate::decode::{Decoded, Op};
use crate::machine::{Machine, Trap, cause};

/// A single in a register has ones above it.
const BOX: u64 = 0xffff_ffff_0000_0000;

fn single(register: u64) -> f32 {
    if register & BOX == BOX { f32::from_bits(register as u32) } else { f32::NAN }
}
fn boxed(value: f32) -> u64 {
    BOX | u64::from(if value.is_nan() { 0x7fc0_0000 } else { value.to_bits() })
}
fn canonical(value: f64) -> u64 {
    if value.is_nan() { 0x7ff8_0000_0000_0000 } else { value.to_bits() }
}
/// `fclass`'s bit.
fn class(negative: bool, category: std::num::FpCategory, quiet: bool) -> u64 {
    use std::num::FpCategory::*;
    match category {
        Infinite => {
            if negative {
                1 << 0
            } else {
                1 << 7
            }
        }
        Normal => {
            if negative {
                1 << 1
            } else {
                1 << 6
            }
        }
        Subnormal => {
            if negative {
                1 << 2
            } else {
                1 << 5
            }
        }
        Zero => {
            if negative {
                1 << 3
            } else {
                1 << 4
            }
        }
        Nan => {
            if quiet {
                1 << 9
            } else {
                1 << 8
            }
        }
    }
}
/// Rounds to an integer as mode `mode` says.
fn round(value: f64, mode: u64) -> f64 {
    match mode {
        1 => value.trunc(),
        2 => value.floor(),
        3 => value.ceil(),
        4 => value.round(),
        _ => value.round_ties_even(),
    }
}
/// To an integer of the kind that field rs2 of the instruction says.
fn to_integer(value: f64, kind: u8, mode: u64) -> u64 {
    let value = if value.is_nan() { f64::INFINITY } else { round(value, mode) };
    match kind {
        0 => value as i32 as u64,
        1 => value as u32 as i32 as u64,
        2 => value as i64 as u64,
        _ => value as u64,
    }
}
fn least(a: f64, b: f64) -> f64 {
    if a == 0.0 && b == 0.0 { if a.is_sign_negative() { a } else { b } } else { a.min(b) }
}
fn most(a: f64, b: f64) -> f64 {
    if a == 0.0 && b == 0.0 { if a.is_sign_negative() { b } else { a } } else { a.max(b) }
}

impl Machine {
    pub(crate) fn perform_floating(&mut self, d: Decoded, base: u64) -> Result<(), Trap> {
        let at = base.wrapping_add(d.immediate as u64);
        match d.op {
            Op::FloatLoadWord => self.f[d.rd as usize] = BOX | self.load::<4>(at)?,
            Op::FloatLoad => self.f[d.rd as usize] = self.load::<8>(at)?,
            Op::FloatStoreWord => self.store::<4>(at, self.f[d.rs2 as usize])?,
            Op::FloatStore => self.store::<8>(at, self.f[d.rs2 as usize])?,
            Op::FloatMultiplyAdd => return self.multiply_add(d),
            _ => return self.other_floating(d, base),
        }
        Ok(())
    }
    fn multiply_add(&mut self, d: Decoded) -> Result<(), Trap> {
        let word = d.immediate as u32;
        let [a, b, c] = [d.rs1, d.rs2, (word >> 27) as u8].map(|n| self.f[n as usize]);
        // madd, msub, nmsub, nmadd
        let (product, added) = match word >> 2 & 3 {
            0 => (1.0, 1.0),
            1 => (1.0, -1.0),
            2 => (-1.0, 1.0),
            _ => (-1.0, -1.0),
        };
        self.f[d.rd as usize] = match word >> 25 & 3 {
            0 => {
                let (product, added) = (product as f32, added as f32);
                boxed((single(a) * product).mul_add(single(b), single(c) * added))
            }
            1 => {
                let [a, b, c] = [a, b, c].map(f64::from_bits);
                canonical((a * product).mul_add(b, c * added))
            }
            _ => return Err(Trap(cause::ILLEGAL, word.into())),
        };
        Ok(())
    }
    #[expect(clippy::too_many_lines, reason = "an arm for each instruction")]
    fn other_floating(&mut self, d: Decoded, integer: u64) -> Result<(), Trap> {
        let word = d.immediate as u32;
        let refused = Trap(cause::ILLEGAL, word.into());
        let (a, b) = (self.f[d.rs1 as usize], self.f[d.rs2 as usize]);
        let function = word >> 12 & 7;
        let mode = if function == 7 { self.control.fcsr >> 5 & 7 } else { function.into() };
        let double = word >> 25 & 3 == 1;
        if word >> 25 & 3 > 1 {
            return Err(refused);
        }
        let (sign, width) = if double { (1 << 63, !0) } else { (1 << 31, !BOX) };
        let (one, two) =
            if double { (f64::from_bits(a), f64::from_bits(b)) } else { (single(a).into(), single(b).into()) };
        let rounded = |value: f64| if double { canonical(value) } else { boxed(value as f32) };
        // Singles are computed as doubles, which have more than twice their digits, so that to round twice is to round once.
        let result = match word >> 27 {
            0 => rounded(one + two),
            1 => rounded(one - two),
            2 => rounded(one * two),
            3 => rounded(one / two),
            11 => rounded(one.sqrt()),
            4 => {
                let of = |register: u64| if double || register & BOX == BOX { register & width } else { 0x7fc0_0000 };
                let (a, b) = (of(a), of(b));
                let signs = match function {
                    0 => b,
                    1 => !b,
                    _ => a ^ b,
                };
                a & !sign & width | signs & sign | !width
            }
            5 if function == 0 => rounded(least(one, two)),
            5 => rounded(most(one, two)),
            8 if double => canonical(single(a).into()),
            8 => boxed(f64::from_bits(a) as f32),
            26 => match d.rs2 {
                0 => rounded(integer as i32 as f64),
                1 => rounded(integer as u32 as f64),
                2 if double => rounded(integer as i64 as f64),
                2 => boxed(integer as i64 as f32),
                _ if double => rounded(integer as f64),
                _ => boxed(integer as f32),
            },
            30 if double => integer,
            30 => BOX | integer & !BOX,
            20 | 24 | 28 => {
                let value = match (word >> 27, function) {
                    (20, 0) => (one <= two).into(),
                    (20, 1) => (one < two).into(),
                    (20, _) => (one == two).into(),
                    (24, _) => to_integer(one, d.rs2, mode),
                    (_, 1) if double => class(a & sign != 0, one.classify(), a >> 51 & 1 == 1),
                    (_, 1) => class(a & sign != 0, single(a).classify(), a >> 22 & 1 == 1),
                    _ if double => a,
                    _ => a as i32 as u64,
                };
                if d.rd != 0 {
                    self.x[d.rd as usize] = value;
                }
                return Ok(());
            }
            _ => return Err(refused),
        };
        self.f[d.rd as usize] = result;
        Ok(())
    }
}
