//! That the table of letters is what the parser knows.

use portal::specification::LETTERS;
use portal::specification::Reason::*;
use portal::{Specification, Templates};

#[test]
fn letters_are_those_that_are_parsed() {
    let reason = |text: &[u8]| {
        let text = core::str::from_utf8(text).unwrap();
        Specification::parse(text, true, &Templates::NONE).err().map(|r| (r.reason, r.position))
    };
    for byte in 0..128u8 {
        let [stack, state, argument] = LETTERS.map(|letters| letters.contains(&byte));
        assert_eq!(reason(&[byte, b'm']) != Some((UnknownStack, 0)), stack, "stack {byte}");
        assert_eq!(reason(&[b's', byte]) != Some((UnknownState, 1)), state, "state {byte}");
        // It may be one that only a server's template makes usable.
        assert_eq!(reason(&[b's', b'm', byte]) != Some((UnknownArgument, 2)), argument, "argument {byte}");
    }
}
