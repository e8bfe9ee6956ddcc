//! What a component is to be loaded with, as its starter writes it for `init.load`: a count, the standard streams that are handed over,
//! and strings, in one page.

shared! {
    /// In front of the strings, which are 0-terminated and follow each other: the component's name, its arguments, and then its environment,
    /// each as `NAME=value`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Header as load {
        /// How many of the strings are the name and arguments.
        pub words: u64,
        /// Bit n: standard stream n is handed over.
        pub inherited: u64,
    }
}
pub const HEADER: usize = size_of::<Header>();

/// Takes a request apart: the header, the name and arguments, and the environment. `None`: it is none.
pub fn parse(bytes: &[u8]) -> Option<(Header, impl Iterator<Item = &str> + Clone, impl Iterator<Item = &str> + Clone)> {
    let word = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
    let header = Header { words: word(0)?, inherited: word(8)? };
    let text = core::str::from_utf8(bytes.get(HEADER..)?).ok()?.strip_suffix('\0')?;
    let strings = text.split('\0');
    let words = usize::try_from(header.words).ok().filter(|&words| words > 0 && words <= strings.clone().count())?;
    Some((header, strings.clone().take(words), strings.skip(words)))
}

#[cfg(test)]
mod tests {
    use super::*;
    fn request(words: u64, strings: &str) -> Vec<u8> {
        [&words.to_le_bytes()[..], &5u64.to_le_bytes(), strings.as_bytes()].concat()
    }
    #[test]
    fn words_may_be_empty_and_have_blanks() {
        let bytes = request(3, "echo\0\0a b\0HOME=/\0");
        let (header, words, environment) = parse(&bytes).unwrap();
        assert_eq!(header, Header { words: 3, inherited: 5 });
        assert_eq!(words.collect::<Vec<_>>(), ["echo", "", "a b"]);
        assert_eq!(environment.collect::<Vec<_>>(), ["HOME=/"]);
    }
    #[test]
    fn a_request_without_a_name_is_refused() {
        assert!(parse(&request(0, "a\0")).is_none() && parse(&[0; 4]).is_none());
    }
    #[test]
    fn more_words_than_there_are_is_refused() {
        assert!(parse(&request(2, "a\0")).is_none() && parse(&request(u64::MAX, "a\0")).is_none());
    }
    #[test]
    fn a_string_without_an_end_is_refused() {
        assert!(parse(&request(1, "a")).is_none());
    }
}
