//! Which letters of templates a specification has, and where in the frame their words are.

use crate::specification::{ARGUMENTS, Specification};
use crate::template::Templates;
use abi::template::part;

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
impl Use {
    pub(crate) const NONE: Use =
        Use { template: 0, letter: 0, from: 0, to: 0, own: 0, common: 0, first: false, last: false };
}

impl Uses {
    pub const NONE: Uses = Uses { all: [Use::NONE; ARGUMENTS], count: 0, asks: false, size: 0 };
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
                    Use { template: template as u8, letter: place as u8, from: from as u8, to: to as u8, ..Use::NONE };
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
