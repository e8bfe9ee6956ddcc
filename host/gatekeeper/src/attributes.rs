//! The closed list of attributes. One that is not here may change what a symbol is called, where code lies, what it is made of, or what the compiler
//! checks; `forbid(unsafe_code)` does not report all that do (`naked`, and `link_section` and `export_name` of methods).

use crate::refusal::Rule;

/// What an extension may write.
const ALLOWED: [&str; 22] = [
    "allow",
    "automatically_derived",
    "cfg",
    "cfg_attr",
    "cold",
    "default",
    "deny",
    "deprecated",
    "derive",
    "doc",
    "expect",
    "forbid",
    "inline",
    "macro_use",
    "must_use",
    "no_std",
    "non_exhaustive",
    "repr",
    "rustfmt::skip",
    "test",
    "track_caller",
    "warn",
];
/// The largest alignment of a type: a frame with one of more is moved by that much.
pub const ALIGNMENT: u64 = 64;

/// Why an attribute is refused.
pub fn refused(path: &str) -> Option<(Rule, String)> {
    match path {
        _ if ALLOWED.contains(&path) => None,
        "feature" => Some((Rule::Feature, "an extension has the stable language, without features".into())),
        "path" => Some((Rule::Builtin, "a module is in the file that its name says".into())),
        _ => Some((Rule::Attr, format!("the attribute {path} is not one of those that an extension may have"))),
    }
}
/// Why the arguments of `repr` are refused, as they are written.
pub fn refused_representation(arguments: &str) -> Option<(Rule, String)> {
    let words: String = arguments.chars().filter(|c| !c.is_whitespace()).collect();
    let alignments = words.split("align(").skip(1).map(|rest| rest.split(')').next().unwrap_or(""));
    let too_much = alignments.map(|number| number.parse::<u64>().unwrap_or(u64::MAX)).find(|&n| n > ALIGNMENT);
    too_much.map(|_| (Rule::Stack, format!("an alignment of more than {ALIGNMENT} bytes moves a frame over its guard")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alignments_are_bounded() {
        assert_eq!(refused_representation("C, align(64)"), None);
        assert!(refused_representation("align( 128 )").is_some());
        assert!(refused_representation("align(0x100000)").is_some());
    }
}
