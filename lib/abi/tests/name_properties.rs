//! Names of random bytes, beside a reader that looks at one byte after the other.

use abi::Error;
use abi::address::PAGE;
use abi::name::Name;
use abi::nucleus::NAMELEN;
use proptest::prelude::*;

/// The characters before the first 0 of the first `NAMELEN` bytes.
fn oracle(bytes: &[u8]) -> Option<&str> {
    let end = bytes.iter().take(NAMELEN).position(|&b| b == 0)?;
    let text = &bytes[..end];
    (end > 0 && text.iter().all(u8::is_ascii_graphic)).then(|| std::str::from_utf8(text).unwrap())
}
/// Bytes that are nearly a name.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let byte = || prop_oneof![60 => b'!'..=b'~', 1 => any::<u8>(), 1 => Just(0), 1 => proptest::sample::select(&[0x20, 0x7f, 0x80, 0xff][..])];
    let text = proptest::collection::vec(byte(), 0..80);
    (text, any::<bool>()).prop_map(|(mut text, ended)| {
        text.extend(ended.then_some(0));
        text
    })
}
#[repr(align(4096))]
struct Page([u8; PAGE]);

proptest! {
    #![proptest_config(properties::config(4000))]

    #[test]
    fn a_name_is_what_precedes_the_first_zero(bytes in bytes(), filler: u8, at in 0..PAGE) {
        let expected = oracle(&bytes);
        let name = Name::new(&bytes);
        prop_assert_eq!(name.as_ref().ok().map(Name::text), expected);
        prop_assert!(name.is_ok() || name == Err(Error::EINVAL));
        if let (Ok(name), Some(text)) = (name, expected) {
            prop_assert_eq!(name.len(), text.len());
            prop_assert_eq!(&name.bytes()[..text.len()], text.as_bytes());
            prop_assert!(name.bytes()[text.len()..].iter().all(|&b| b == 0));
            let words = name.bytes().chunks(8).map(|w| u64::from_le_bytes(w.try_into().unwrap()));
            prop_assert!(words.eq(name.words().iter().copied()));
            prop_assert_eq!(Name::of(text), Ok(name));
        }
        // In a window: to the end of its page and no further.
        let mut page = Page([filler; PAGE]);
        let room = bytes.len().min(PAGE - at);
        page.0[at..at + room].copy_from_slice(&bytes[..room]);
        // SAFETY: in `page`.
        let read = unsafe { Name::read(page.0.as_ptr() as usize + at) };
        prop_assert_eq!(read.as_ref().ok().map(Name::text), oracle(&page.0[at..]));
    }
    #[test]
    fn text_is_a_name_if_it_is_graphic_and_fits(text in ".{0,70}") {
        let expected = !text.is_empty() && text.len() < NAMELEN && text.bytes().all(|b| b.is_ascii_graphic());
        prop_assert_eq!(Name::of(&text).is_ok(), expected);
    }
    #[test]
    fn names_are_equal_if_their_texts_are(one in "[ab.*]{1,9}", other in "[ab.*]{1,9}") {
        prop_assert_eq!(Name::of(&one) == Name::of(&other), one == other);
    }
}
