//! The closed list of macros of `core` and `alloc`. A macro of the extension's own has no name of these, so a name says whose it is.

use crate::refusal::Rule;

/// Called with `!`.
const CALLED: [&str; 25] = [
    "assert",
    "assert_eq",
    "assert_ne",
    "cfg",
    "column",
    "compile_error",
    "concat",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "format",
    "format_args",
    "line",
    "macro_rules",
    "matches",
    "module_path",
    "panic",
    "stringify",
    "todo",
    "unimplemented",
    "unreachable",
    "vec",
    "write",
    "writeln",
    "file",
];
const DERIVED: [&str; 9] = ["Clone", "Copy", "Debug", "Default", "Eq", "Hash", "Ord", "PartialEq", "PartialOrd"];
/// What the builder has, of which nothing gets into an extension.
const OF_THE_BUILDER: [&str; 5] = ["include", "include_bytes", "include_str", "env", "option_env"];
const ASSEMBLY: [&str; 3] = ["asm", "global_asm", "naked_asm"];

/// Whether it is one of the standard library's that an extension has.
pub fn is_given(name: &str) -> bool {
    CALLED.contains(&name)
}
pub fn is_derived(name: &str) -> bool {
    DERIVED.contains(&name)
}
pub fn is_of_the_builder(name: &str) -> bool {
    OF_THE_BUILDER.contains(&name)
}
/// Whether a name is one that the extension's own macros do not have.
pub fn is_taken(name: &str) -> bool {
    is_given(name) || is_of_the_builder(name) || ASSEMBLY.contains(&name)
}
/// Why a macro that is not the extension's own is refused.
pub fn refused(name: &str) -> Option<(Rule, String)> {
    if is_of_the_builder(name) {
        return Some((
            Rule::Builtin,
            format!("{name}! has what the builder has: its files, its variables, its output"),
        ));
    }
    if ASSEMBLY.contains(&name) {
        return Some((Rule::Asm, format!("{name}! is machine code, of which no type says anything")));
    }
    (!is_given(name)).then(|| (Rule::Macro, format!("the macro {name}! is not one of those that an extension has")))
}
