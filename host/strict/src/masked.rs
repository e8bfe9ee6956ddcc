//! For how long interrupts are off: from a trap until a component goes on with the timer's interrupt on, counted in instructions. What
//! comes before the first component does is the boot's, and does not count; nor does what comes before a wait for an interrupt,
//! or before a hint ([`UNCOUNTED`]) by which somebody says that it looked for what must not be, in a system for tests.

/// `slti x0, x0, 2047`.
pub(crate) const UNCOUNTED: u32 = 0x7ff0_2013;

/// A stretch of instructions with interrupts off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Masked {
    /// How many.
    pub instructions: u64,
    /// How many were executed before the first of them.
    pub began: u64,
    /// Where the component was, and in which address space.
    pub from: (u64, u16),
    /// Where one went on.
    pub to: (u64, u16),
}
/// The stretch that goes on, and the longest so far.
#[derive(Default)]
pub(crate) struct Mask {
    now: State,
    longest: Masked,
}
#[derive(Default)]
enum State {
    #[default]
    Boot,
    On,
    Off(Masked),
}
impl Mask {
    /// Interrupts are `off`, or on, at `place` (program counter and address space) after so many instructions.
    pub fn set(&mut self, off: bool, instructions: u64, place: (u64, u16)) {
        match (&self.now, off) {
            (State::On, true) => {
                self.now = State::Off(Masked { began: instructions, from: place, ..Masked::default() })
            }
            (State::Off(masked), false) => {
                let masked = Masked { instructions: instructions - masked.began, to: place, ..*masked };
                if masked.instructions > self.longest.instructions {
                    self.longest = masked;
                }
                self.now = State::On;
            }
            (State::Boot, false) => self.now = State::On,
            _ => {}
        }
    }
    /// What came before held nobody up.
    pub fn begin_anew(&mut self, instructions: u64) {
        if let State::Off(masked) = &mut self.now {
            masked.began = instructions;
        }
    }
    pub fn longest(&self) -> Masked {
        self.longest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    fn longest(steps: impl IntoIterator<Item = (bool, u64)>) -> Masked {
        let mut mask = Mask::default();
        steps.into_iter().for_each(|(off, at)| mask.set(off, at, (at, 1)));
        mask.longest()
    }
    #[test]
    fn the_longest_stretch_is_kept_with_its_ends() {
        let found = longest([(false, 10), (true, 20), (false, 50), (true, 60), (true, 65), (false, 80)]);
        assert_eq!(found, Masked { instructions: 30, began: 20, from: (20, 1), to: (50, 1) });
    }
    #[test]
    fn the_boot_does_not_count_nor_what_has_not_ended() {
        assert_eq!(longest([(true, 0), (false, 5000), (true, 5010)]), Masked::default());
    }
    #[test]
    fn what_comes_before_a_wait_does_not_count() {
        let mut mask = Mask::default();
        mask.set(false, 0, (0, 1));
        mask.set(true, 10, (0, 1));
        mask.begin_anew(100);
        mask.set(false, 104, (0, 1));
        assert_eq!(mask.longest().instructions, 4);
    }
}
