//! The closed lists of crates and paths: what of `core` and `alloc` an extension is given. A path is looked at as the compiler resolved it, so
//! neither `use … as` nor a glob, a re-export or a method's receiver hides one.

use crate::refusal::Rule;

/// Modules of `core` that are given but for what [`ITEMS`] takes out.
const CORE: [&str; 47] = [
    "array",
    "ascii",
    "bool",
    "borrow",
    "cell",
    "char",
    "clone",
    "cmp",
    "convert",
    "default",
    "error",
    "f32",
    "f64",
    "fmt",
    "hash",
    "hint",
    "i128",
    "i16",
    "i32",
    "i64",
    "i8",
    "isize",
    "iter",
    "legacy_int_modules",
    "macros",
    "marker",
    "mem",
    "net",
    "num",
    "ops",
    "option",
    "prelude",
    "primitive",
    "range",
    "result",
    "slice",
    "str",
    "sync",
    "time",
    "tuple",
    "u128",
    "u16",
    "u32",
    "u64",
    "u8",
    "unit",
    "usize",
];
const ALLOC: [&str; 10] = ["borrow", "boxed", "collections", "fmt", "macros", "rc", "slice", "str", "string", "vec"];
/// Of `alloc` also these, by their whole path: what types of the others have as a parameter, and counted references.
const ALLOC_ITEMS: [&str; 2] = ["alloc::Global", "sync"];

/// Items that are not given wherever they are, and by which rule.
const ITEMS: [(Rule, &[&str]); 4] = [
    (
        Rule::Forget,
        &[
            "forget",
            "forget_unsized",
            "ManuallyDrop",
            "MaybeUninit",
            "MaybeDangling",
            "leak",
            "into_raw",
            "into_raw_parts",
            "into_raw_with_allocator",
        ],
    ),
    (
        Rule::PtrInt,
        &[
            "addr",
            "addr_eq",
            "addr_of",
            "addr_of_mut",
            "align_offset",
            "align_to",
            "align_to_mut",
            "as_mut_ptr",
            "as_mut_ptr_range",
            "as_non_null",
            "as_ptr",
            "as_ptr_range",
            "AtomicPtr",
            "element_offset",
            "expose_provenance",
            "fn_addr_eq",
            "get_mut_unchecked",
            "new_pointer",
            "NonNull",
            "null",
            "null_mut",
            "Pointer",
            "ptr_eq",
            "substr_range",
            "subslice_range",
            "UnsafeCell",
            "SyncUnsafeCell",
            "from_mut_ptr",
            "raw_get",
            "as_raw_mut",
        ],
    ),
    (Rule::Pin, &["pin", "into_pin", "Pin", "Unpin"]),
    (Rule::Any, &["downcast", "downcast_ref", "downcast_mut", "downcast_unchecked", "type_id", "TypeId"]),
];
/// Modules that have a rule of their own.
const MODULES: [(Rule, &[&str]); 4] = [
    (Rule::Any, &["any"]),
    (Rule::Pin, &["pin"]),
    (Rule::PtrInt, &["ptr"]),
    (Rule::Async, &["future", "task", "async_iter"]),
];

/// Whether a crate is that of an interface: no crate of the language is called so, and there are no others.
pub fn is_interface(krate: &str) -> bool {
    krate.starts_with(&exports::crate_name(""))
}
/// Why a path is not given: its crate's name first, without what is of one impl or one parameter.
pub fn refused(krate: &str, path: &str) -> Vec<(Rule, String)> {
    let parts: Vec<&str> = path.split("::").filter(|part| !part.starts_with(['{', '\'']) && !part.is_empty()).collect();
    let Some(first) = parts.first() else { return Vec::new() };
    let whole = format!("{krate}::{}", parts.join("::"));
    let mut found: Vec<(Rule, String)> = Vec::new();
    for (rule, items) in ITEMS {
        if parts[1..].iter().any(|part| items.contains(part)) {
            found.push((rule, format!("{whole} is not for extensions")));
        }
    }
    let of = |rules: &[(Rule, &[&str])]| rules.iter().find(|(_, names)| names.contains(first)).map(|(rule, _)| *rule);
    let given = match krate {
        "core" => CORE.contains(first),
        // What an interface's crate has is what its declaration says, and no more.
        _ if is_interface(krate) => true,
        "alloc" => ALLOC.contains(first) || ALLOC_ITEMS.iter().any(|item| *item == *first || *item == parts.join("::")),
        _ => false,
    };
    if !given {
        if let Some(rule) = of(&MODULES) {
            found.push((rule, format!("{krate}::{first} is not for extensions")));
        }
        if found.is_empty() || *first == "task" {
            found.push((Rule::Name, format!("{whole} is not among the paths that an extension has")));
        }
    }
    found
}
/// The rule of an item that is not given wherever it is.
pub fn rule_of_item(name: &str) -> Option<Rule> {
    ITEMS.iter().find(|(_, items)| items.contains(&name)).map(|(rule, _)| *rule)
}
/// What no macro of the standard library makes of an honest argument: refused in its expansions, too.
pub fn refused_in_given_macro(path: &str) -> Option<(Rule, String)> {
    let pointer = path.ends_with("::new_pointer");
    pointer.then(|| (Rule::PtrInt, "{:p} is an address as a number".into()))
}

/// A word of what the compiler prints of types and definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word<'t> {
    /// What is defined in another crate: crate and path.
    Foreign(&'t str, &'t str),
    /// What is defined in the extension: its path.
    Own(&'t str),
    /// Words with `::` between them: a type by the path that it is seen by, a keyword, a parameter.
    Path(&'t str),
    Quoted,
    Mark(char),
}
fn definition(text: &str) -> Option<(Word<'_>, &str)> {
    let (number, rest) = text.split_once(" ~ ")?;
    let (inner, after) = rest.split_once(')')?;
    let (krate, path) = inner.split_once('[')?;
    let path = path.split_once("]")?.1.trim_start_matches("::");
    let word = if number.starts_with("0:") { Word::Own(path) } else { Word::Foreign(krate, path) };
    Some((word, after))
}
fn quoted(text: &str) -> &str {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return &text[at + 1..],
            _ => {}
        }
    }
    ""
}
fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
/// Where the path ends that a text begins with.
fn path_end(text: &str) -> usize {
    let mut end = 0;
    loop {
        let rest = &text[end..];
        end += rest.find(|c| !is_of_word(c)).unwrap_or(rest.len());
        match text[end..].strip_prefix("::") {
            Some(rest) if rest.starts_with(is_of_word) => end += 2,
            _ => return end,
        }
    }
}
/// The words of a line. Letters in quotes are the source's own.
pub fn words(mut text: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    while let Some(c) = text.chars().next() {
        if let Some((word, after)) = text.strip_prefix("DefId(").and_then(definition) {
            words.push(word);
            text = after;
        } else if c == '"' {
            words.push(Word::Quoted);
            text = quoted(&text[1..]);
        } else if let Some(rest) = text.strip_prefix("'") {
            // A letter, or a lifetime.
            let mut letters = rest.chars();
            let (first, second) = (letters.next(), letters.next());
            let letter = first.filter(|_| first == Some('\\') || second == Some('\''));
            let end = letter.and_then(|first| rest[first.len_utf8()..].find('\'').map(|at| first.len_utf8() + at + 1));
            text = end.map_or(rest, |end| &rest[end..]);
            if end.is_none() {
                text = text.trim_start_matches(is_of_word);
            }
        } else if is_of_word(c) {
            let (word, after) = text.split_at(path_end(text));
            words.push(Word::Path(word));
            text = after;
        } else {
            if !c.is_whitespace() {
                words.push(Word::Mark(c));
            }
            text = &text[c.len_utf8()..];
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(krate: &str, path: &str) -> Vec<Rule> {
        refused(krate, path).into_iter().map(|(rule, _)| rule).collect()
    }
    #[test]
    fn paths_are_a_closed_list() {
        assert_eq!(rules("core", "option::{impl#0}::map"), []);
        assert_eq!(rules("core", "mem::forget"), [Rule::Forget]);
        assert_eq!(rules("core", "slice::{impl#0}::as_ptr"), [Rule::PtrInt]);
        assert_eq!(rules("core", "arch::riscv64::pause"), [Rule::Name]);
        assert_eq!(rules("core", "any::Any"), [Rule::Any]);
        assert_eq!(rules("alloc", "task::Wake"), [Rule::Async, Rule::Name]);
        assert_eq!(rules("alloc", "alloc::Global"), []);
        assert_eq!(rules("alloc", "alloc::alloc"), [Rule::Name]);
        assert_eq!(rules("std", "fs::read"), [Rule::Name]);
        assert_eq!(rules("interface_packets", "Header"), []);
        assert_eq!(rules("packets", "Header"), [Rule::Name]);
    }
    #[test]
    fn words_of_a_type() {
        let text = "&'{erased} FnDef(DefId(1:15 ~ core[9071]::hint::black_box), [core::cell::Cell<P/#0>, \"dyn\"])";
        let found: Vec<Word> = words(text).into_iter().filter(|word| !matches!(word, Word::Mark(_))).collect();
        assert_eq!(
            found,
            [
                Word::Path("erased"),
                Word::Path("FnDef"),
                Word::Foreign("core", "hint::black_box"),
                Word::Path("core::cell::Cell"),
                Word::Path("P"),
                Word::Path("0"),
                Word::Quoted
            ]
        );
    }
    #[test]
    fn words_of_definitions_in_the_extension_and_letters() {
        assert_eq!(words("DefId(0:3 ~ extension[0fa5]::a::{closure#0})"), [Word::Own("a::{closure#0}")]);
        assert_eq!(words("Char('\"') dyn"), [Word::Path("Char"), Word::Mark('('), Word::Mark(')'), Word::Path("dyn")]);
        assert_eq!(words("'\\'' dyn"), [Word::Path("dyn")]);
    }
}
