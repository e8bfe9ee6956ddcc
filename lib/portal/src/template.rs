//! The templates that portals are made with. What templates are is said in [`abi::template`].

use abi::template::{LETTERS, Letter, Lowered, choice};

/// The templates that portals are made with.
#[derive(Clone, Copy)]
pub struct Templates<'a> {
    all: &'a [&'a Lowered],
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
    pub const fn new(all: &'a [&'a Lowered]) -> Templates<'a> {
        Templates { all, at_touch: false }
    }
    /// The same, with windows mapped at the first access, where there is a template for that.
    pub const fn at_touch(self, at_touch: bool) -> Templates<'a> {
        Templates { at_touch, ..self }
    }
    pub const fn is_at_touch(&self) -> bool {
        self.at_touch
    }
    pub fn get(&self, n: usize) -> &'a Lowered {
        self.all[n]
    }
    /// The template of `letter`, and the letter's place in it.
    pub fn find(&self, letter: u8) -> Option<(usize, usize)> {
        let find = |at_touch: bool| {
            let usable = |t: &Lowered| (t.choice == choice::AT_TOUCH) == at_touch;
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
