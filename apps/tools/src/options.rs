//! Options of a tool: letters, as POSIX writes them.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// The words that a tool was called with.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Options<'a> {
    letters: Vec<char>,
    values: Vec<(char, &'a str)>,
    pub operands: Vec<&'a str>,
}
impl<'a> Options<'a> {
    /// Takes words apart: letters that are in `plain`, and in `valued` those that a value follows. `-5` is the value of `n`.
    pub fn read(words: impl Iterator<Item = &'a str>, plain: &str, valued: &str) -> Result<Options<'a>, String> {
        let mut options = Options::default();
        let mut words = words.peekable();
        let mut over = false;
        while let Some(word) = words.next() {
            let Some(mut letters) = word.strip_prefix('-').filter(|rest| !over && !rest.is_empty()) else {
                options.operands.push(word);
                continue;
            };
            if letters == "-" {
                over = true;
                continue;
            }
            if valued.contains('n') && letters.bytes().all(|b| b.is_ascii_digit()) {
                options.values.push(('n', letters));
                continue;
            }
            while let Some(letter) = letters.chars().next() {
                letters = &letters[letter.len_utf8()..];
                if valued.contains(letter) {
                    let value = if letters.is_empty() { words.next() } else { Some(letters) };
                    options.values.push((letter, value.ok_or_else(|| format!("-{letter} wants a value"))?));
                    break;
                }
                if !plain.contains(letter) {
                    return Err(format!("there is no option -{letter}"));
                }
                options.letters.push(letter);
            }
        }
        Ok(options)
    }
    pub fn has(&self, letter: char) -> bool {
        self.letters.contains(&letter)
    }
    pub fn value(&self, letter: char) -> Option<&'a str> {
        self.values.iter().rev().find(|(l, _)| *l == letter).map(|(_, value)| *value)
    }
    /// The value as a number; `other`, if there is none.
    pub fn number(&self, letter: char, other: usize) -> Result<usize, String> {
        let value = self.value(letter).map(|v| v.parse().map_err(|_| format!("\"{v}\" is not a number")));
        value.unwrap_or(Ok(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    fn read<'a>(words: &[&'a str]) -> Result<Options<'a>, String> {
        Options::read(words.iter().copied(), "lc", "n")
    }
    #[test]
    fn letters_values_and_operands_are_told_apart() {
        let options = read(&["-lc", "-n", "5", "a", "-", "--", "-x"]).unwrap();
        assert!(options.has('l') && options.has('c'));
        assert_eq!((options.number('n', 1), options.operands), (Ok(5), vec!["a", "-", "-x"]));
        assert_eq!(read(&["-7"]).unwrap().value('n'), Some("7"));
        assert_eq!(read(&["-n7"]).unwrap().value('n'), Some("7"));
    }
    #[test]
    fn an_unknown_option_is_refused() {
        assert_eq!(read(&["-x"]), Err("there is no option -x".into()));
    }
    #[test]
    fn a_value_that_is_missing_or_no_number_is_refused() {
        assert_eq!(read(&["-n"]), Err("-n wants a value".into()));
        assert_eq!(read(&["-n", "x"]).unwrap().number('n', 1), Err("\"x\" is not a number".into()));
    }
}
