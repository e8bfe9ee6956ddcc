//! From a word as it was typed to the words that a program gets: variables, and names of files that match.

use crate::syntax::{Part, Word};
use alloc::string::String;
use alloc::vec::Vec;

/// A word whose variables have their values; whether each character was quoted, so that it stands for itself.
type Marked = Vec<(char, bool)>;

/// The words that `word` comes to: an unquoted variable is parted at blanks, and is no word where it is empty.
fn fields(word: &Word, value: &dyn Fn(&str) -> Option<String>) -> Vec<Marked> {
    let mut fields: Vec<Marked> = Vec::new();
    // A word is being made: what comes belongs to it.
    let mut open = false;
    for part in &word.0 {
        let (text, quoted, parted) = match part {
            Part::Text(text, quoted) => (text.clone(), *quoted, false),
            Part::Variable(name, quoted) => (value(name).unwrap_or_default(), *quoted, !quoted),
        };
        if quoted && !open {
            fields.push(Marked::new());
            open = true;
        }
        for c in text.chars() {
            if parted && c.is_whitespace() {
                open = false;
                continue;
            }
            if !open {
                fields.push(Marked::new());
                open = true;
            }
            if let Some(field) = fields.last_mut() {
                field.push((c, quoted));
            }
        }
    }
    fields
}
fn plain(field: &Marked) -> String {
    field.iter().map(|(c, _)| *c).collect()
}
/// The value of a word that stays one, as a file's name or a variable's value does.
pub fn one(word: &Word, value: &dyn Fn(&str) -> Option<String>) -> String {
    let fields: Vec<String> = fields(word, value).iter().map(plain).collect();
    fields.join(" ")
}
/// The words that a program gets. `names` are those in a directory.
pub fn words(
    words: &[Word],
    value: &dyn Fn(&str) -> Option<String>,
    names: &dyn Fn(&str) -> Vec<String>,
) -> Vec<String> {
    let mut result = Vec::new();
    for field in words.iter().flat_map(|word| fields(word, value)) {
        let found =
            if field.iter().any(|f| matches!(f, ('*' | '?', false))) { matches(&field, names) } else { Vec::new() };
        if found.is_empty() {
            result.push(plain(&field));
        } else {
            result.extend(found);
        }
    }
    result
}
/// Paths that match a pattern in the last of its names.
fn matches(field: &Marked, names: &dyn Fn(&str) -> Vec<String>) -> Vec<String> {
    let name = field.iter().rposition(|(c, _)| *c == '/').map_or(0, |slash| slash + 1);
    let (directory, pattern) = (plain(&field[..name].to_vec()), &field[name..]);
    let mut found: Vec<String> = names(&directory).into_iter().filter(|name| matched(pattern, name)).collect();
    found.sort();
    found.iter_mut().for_each(|name| name.insert_str(0, &directory));
    found
}
/// Whether `name` matches an unquoted pattern.
pub fn matches_all(pattern: &str, name: &str) -> bool {
    let pattern: Marked = pattern.chars().map(|c| (c, false)).collect();
    matched(&pattern, name)
}
fn matched(pattern: &[(char, bool)], name: &str) -> bool {
    match pattern.split_first() {
        None => name.is_empty(),
        Some((('*', false), rest)) => {
            name.char_indices().map(|(at, _)| at).chain([name.len()]).any(|at| matched(rest, &name[at..]))
        }
        Some(((c, quoted), rest)) => {
            let mut others = name.chars();
            others.next().is_some_and(|other| other == *c || *c == '?' && !quoted) && matched(rest, others.as_str())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::parse;
    fn expanded(text: &str) -> Vec<String> {
        let lists = parse(text).unwrap();
        let value = |name: &str| match name {
            "A" => Some("x  y".into()),
            "E" => Some(String::new()),
            _ => None,
        };
        let names = |directory: &str| match directory {
            "" => vec!["a.c".into(), "b.c".into(), "c.h".into()],
            "d/" => vec!["one".into()],
            _ => vec![],
        };
        words(&lists[0].pipelines[0].commands[0].words, &value, &names)
    }
    #[test]
    fn an_unquoted_variable_is_parted() {
        assert_eq!(expanded("p$A \"$A\" q"), ["px", "y", "x  y", "q"]);
    }
    #[test]
    fn an_empty_variable_is_no_word_unless_it_is_quoted() {
        assert_eq!(expanded("a $E \"$E\" $NONE"), ["a", ""]);
    }
    #[test]
    fn a_pattern_becomes_the_names_that_match() {
        assert_eq!(expanded("*.c d/o?e"), ["a.c", "b.c", "d/one"]);
        assert_eq!(expanded("*.x '*.c'"), ["*.x", "*.c"]);
    }
}
