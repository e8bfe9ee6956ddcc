//! smoltcp's generator, backwards: which seed has it give a number that was chosen.
//!
//! smoltcp numbers connections and questions itself, from a generator of its interface that is seeded once (PCG, O'Neill 2014): whoever sees three numbers
//! can compute all others. It lets nobody say them, but it says what it does with a seed. So an interface is made for one connection, or one question, with
//! the seed from which the numbers come out that it is to have. The version is pinned; tests of `openings.rs` look at what is sent.

/// A step is a multiplication and an addition.
const FACTOR: u64 = 0xbb2e_fcec_3c39_611d;
const ADDEND: u64 = 0x7590_ef39;
/// What takes the multiplication back, by Newton's iteration: each doubles the bits that are right.
const INVERSE: u64 = {
    let mut inverse = FACTOR;
    let mut n = 0;
    while n < 5 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(FACTOR.wrapping_mul(inverse)));
        n += 1;
    }
    inverse
};
/// Bits of a state below those that come out, where its highest three are 0.
const BELOW: u32 = 29;

/// What comes out at a state.
fn output(state: u64) -> u32 {
    (state >> (BELOW as u64 - (state >> 61))) as u32
}
/// The half of that which is taken where 16 bits are.
fn half(output: u32) -> u16 {
    (output ^ output >> 16) as u16
}
fn before(state: u64) -> u64 {
    state.wrapping_sub(ADDEND).wrapping_mul(INVERSE)
}
/// A state at which `output` comes out; `low` is what lies below it.
fn at(output: u32, low: u64) -> u64 {
    (output as u64) << BELOW | low & ((1 << BELOW) - 1)
}
/// The seed from which a new interface, which draws the number of its first fragment from it, comes to a state; `drawn`: what is drawn in between.
fn leading_to(state: u64, drawn: u32) -> Option<u64> {
    let first = (0..drawn + 1).fold(state, |state, _| before(state));
    // It would draw that number again, if it were 0.
    (half(output(first)) != 0).then(|| before(first))
}

/// The seed of an interface whose first connection has this sequence number. `draw`: anything.
pub fn seed_of_connection(sequence: u32, mut draw: impl FnMut() -> u64) -> u64 {
    loop {
        if let Some(seed) = leading_to(at(sequence, draw()), 0) {
            return seed;
        }
    }
}
/// The seed of an interface whose first question comes from this port, which is above 1024, with any identifier. `draw`: anything that nobody foresees: the identifier
/// comes from it.
pub fn seed_of_question(port: u16, mut draw: impl FnMut() -> u64) -> u64 {
    loop {
        let drawn = draw();
        let high = drawn as u16;
        let source = (high as u32) << 16 | (high ^ port) as u32;
        if let Some(seed) = leading_to(at(source, drawn >> 16), 1) {
            return seed;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(state: u64) -> u64 {
        state.wrapping_mul(FACTOR).wrapping_add(ADDEND)
    }

    #[test]
    fn a_step_back_is_one_forward() {
        for state in [0, 1, u64::MAX, 0x0123_4567_89ab_cdef] {
            assert_eq!(before(after(state)), state);
        }
    }
    #[test]
    fn the_seed_leads_to_what_was_chosen() {
        for n in 0..1000u64 {
            let mut any = n;
            let mut draw = || {
                any = any.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(n);
                any
            };
            let sequence = draw() as u32;
            let fragment = after(seed_of_connection(sequence, &mut draw));
            assert_ne!(half(output(fragment)), 0);
            assert_eq!(output(after(fragment)), sequence);
            let port = 49_152 + (n as u16) * 16;
            let fragment = after(seed_of_question(port, &mut draw));
            assert_ne!(half(output(fragment)), 0);
            assert_eq!(half(output(after(after(fragment)))), port);
        }
    }
}
