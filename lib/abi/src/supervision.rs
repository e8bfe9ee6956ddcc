//! What is told of a component by who looks after it (`init.watch`): one word, which is another whenever something has happened to it.

/// What a component does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// It was not started, or has come to its end.
    Ended = 0,
    Runs = 1,
    /// It has failed, and is to be started again.
    StartsAgain = 2,
    /// It has failed too often, and is not started again by itself.
    StaysEnded = 3,
}
/// A component's condition, and how often it was started, modulo 2³⁰: no error's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State(usize);
impl State {
    const STARTS: usize = (1 << 30) - 1;
    pub fn new(condition: Condition, starts: u32) -> State {
        State((starts as usize & State::STARTS) << 2 | condition as usize)
    }
    /// From a word that `init.watch` has returned.
    pub fn of(word: usize) -> State {
        State(word & (State::STARTS << 2 | 3))
    }
    pub fn word(self) -> usize {
        self.0
    }
    pub fn condition(self) -> Condition {
        [Condition::Ended, Condition::Runs, Condition::StartsAgain, Condition::StaysEnded][self.0 & 3]
    }
    pub fn starts(self) -> u32 {
        (self.0 >> 2) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_has_both() {
        let all = [Condition::Ended, Condition::Runs, Condition::StartsAgain, Condition::StaysEnded];
        for (condition, starts) in all.into_iter().flat_map(|c| [0, 1, 77, (1 << 30) - 1].map(|starts| (c, starts))) {
            let state = State::of(State::new(condition, starts).word());
            assert_eq!((state.condition(), state.starts()), (condition, starts));
        }
        assert_eq!(State::new(Condition::Runs, 1 << 30), State::new(Condition::Runs, 0));
    }
}
