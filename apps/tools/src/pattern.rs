//! Patterns of grep: a string, or a regular expression as the crate regex has them, of bytes.

use alloc::string::{String, ToString};
use regex_automata::nfa::thompson::pikevm::{Builder, Cache, PikeVM};
use regex_automata::util::syntax;

pub struct Pattern {
    machine: PikeVM,
    cache: Cache,
}
impl Pattern {
    /// `fixed`: it stands for itself. `ignore_case`: of ASCII letters.
    pub fn new(text: &str, fixed: bool, ignore_case: bool) -> Result<Pattern, String> {
        let escaped = || text.chars().flat_map(|c| (!c.is_alphanumeric()).then_some('\\').into_iter().chain([c]));
        let text = if fixed { escaped().collect() } else { String::from(text) };
        let config = syntax::Config::new().unicode(false).utf8(false).case_insensitive(ignore_case);
        let thompson = regex_automata::nfa::thompson::Config::new().utf8(false);
        let machine = Builder::new().syntax(config).thompson(thompson).build(&text).map_err(|e| e.to_string())?;
        let cache = machine.create_cache();
        Ok(Pattern { machine, cache })
    }
    /// Whether it is somewhere in `line`.
    pub fn is_in(&mut self, line: &[u8]) -> bool {
        self.machine.is_match(&mut self.cache, line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    fn matches(pattern: &str, fixed: bool, ignore_case: bool, line: &str) -> bool {
        Pattern::new(pattern, fixed, ignore_case).unwrap().is_in(line.as_bytes())
    }
    #[test]
    fn expressions_match() {
        assert!(matches("^a.*[0-9]+$", false, false, "abc 12") && !matches("^b", false, false, "ab"));
        assert!(matches("TRUSTED", false, true, "is trusted"));
    }
    #[test]
    fn a_fixed_string_stands_for_itself() {
        assert!(matches("a.b", true, false, "xa.bx") && !matches("a.b", true, false, "aab"));
    }
    #[test]
    fn what_is_no_expression_is_refused() {
        assert!(Pattern::new("(", false, false).is_err());
    }
}
