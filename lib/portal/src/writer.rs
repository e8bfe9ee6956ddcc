//! Templates as servers write them, step by step.

use abi::step::Step;
use abi::template::{Letter, Part, Template};

/// Writes a template.
pub struct Writer(Template);
impl Writer {
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Writer {
        Writer(Template::EMPTY)
    }
    /// How many steps there are.
    pub const fn position(&self) -> usize {
        self.0.code_count as usize
    }
    pub const fn put(&mut self, step: Step) {
        self.0.code[self.0.code_count as usize] = step;
        self.0.code_count += 1;
    }
    /// Steps that are left out where no letter of the template follows.
    pub const fn more<const N: usize>(&mut self, steps: [Step; N]) {
        let mut n = 0;
        while n < N {
            self.put(steps[n].more());
            n += 1;
        }
    }
    pub const fn all<const N: usize>(&mut self, steps: [Step; N]) {
        let mut n = 0;
        while n < N {
            self.put(steps[n]);
            n += 1;
        }
    }
    /// Puts a branch that is to lead to where [`Writer::land`] says.
    pub const fn branch(&mut self, branch: Step) -> usize {
        self.put(branch);
        self.position() - 1
    }
    /// Makes the branch at `at` lead here.
    pub const fn land(&mut self, at: usize) {
        self.0.code[at] = self.0.code[at].on(self.position() - at);
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
        self.0
    }
}
