//! The compiler's own errors as refusals: it finds most of what is wrong, and says where. Those that are of a rule are told by their code, as the texts change.

use crate::refusal::{Place, Refusals, Rule};
use serde::Deserialize;

#[derive(Deserialize)]
struct Message {
    message: String,
    level: String,
    code: Option<Code>,
    spans: Vec<Span>,
}
#[derive(Deserialize)]
struct Code {
    code: String,
}
#[derive(Deserialize)]
struct Span {
    file_name: String,
    line_start: usize,
    is_primary: bool,
    expansion: Option<Box<Expansion>>,
}
#[derive(Deserialize)]
struct Expansion {
    span: Span,
}
impl Span {
    /// Where it stands in the extension, which may be the call of a macro of another crate.
    fn place(&self) -> Place {
        let mut span = self;
        while let Some(expansion) = &span.expansion {
            span = &expansion.span;
        }
        Place { file: span.file_name.clone(), line: span.line_start }
    }
}
/// What the compiler says where it stops by itself, without a code of its own.
const BOMBS: [&str; 5] =
    ["recursion limit", "type length limit", "more memory than available", "too big for the target", "token limit"];
fn rule(code: &str, message: &str) -> Rule {
    match code {
        // Unsafe code, where it is used, and where the lint is to be turned off.
        "unsafe_code" | "E0133" | "E0453" => Rule::Lint,
        "unconditional_recursion" => Rule::Stack,
        "E0725" | "E0554" | "E0658" => Rule::Feature,
        // Crates, modules and names that are not there.
        "E0432" | "E0433" | "E0463" => Rule::Name,
        _ if message.contains("cannot find macro") => Rule::Macro,
        "E0275" | "long_running_const_eval" => Rule::Build,
        _ if BOMBS.iter().any(|words| message.contains(words)) => Rule::Build,
        _ => Rule::Compiler,
    }
}
/// Adds what these messages, a line of JSON each, call errors. Whether there was one.
pub fn errors(lines: &str, root: &str, refusals: &mut Refusals) -> bool {
    let mut found = false;
    for line in lines.lines() {
        let Ok(message) = serde_json::from_str::<Message>(line) else { continue };
        if message.level != "error" || message.message.starts_with("aborting due to") {
            continue;
        }
        found = true;
        let code = message.code.map_or(String::new(), |code| code.code);
        let place = message.spans.iter().find(|span| span.is_primary).map_or_else(|| Place::whole(root), Span::place);
        let text = message.message.lines().next().unwrap_or_default();
        let why = if code.starts_with('E') { format!("{text} [{code}]") } else { text.into() };
        refusals.add(rule(&code, text), place, why);
    }
    found
}
