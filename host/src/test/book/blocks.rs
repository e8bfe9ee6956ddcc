//! The code blocks of a page, and what the words behind their fences say that they are.

use anyhow::{Result, bail};

/// What a block is, and so how it is tested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `c`, `rust`: a program, which is run; the `text output` behind it is what it must print.
    Program(Language),
    /// `c compiled`, `rust compiled`: a program, or declarations as the SDK has them, for the compiler only.
    Compiled(Language),
    /// `sh`: commands of a shell on this machine; those of `./pebble` must be such.
    Commands,
    /// `sh run`: commands that are run, in the folder of the page; the `text output` behind it is what they must print.
    Run,
    /// `c NAME.c`, `rust NAME.rs`, `toml NAME.toml`: a file of the page, which `sh run` and `console NAME.toml` find in its folder.
    File(String),
    /// `console`: a dialogue with a system, which is held again: with the default one, or with that of a file of the page.
    Dialogue(Option<String>),
    /// `toml`: components of a manifest; `toml keys`: keys of one; `toml system`: a manifest's own keys; `toml port`: a port.
    Manifest(Toml),
    /// `text output`: of the program before it.
    Output,
    /// `text`: what nobody runs.
    Text,
}
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    C,
    Rust,
}
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Toml {
    Components,
    Keys,
    System,
    Port,
}
/// A code block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    pub kind: Kind,
    /// The line of its fence, from 1.
    pub line: usize,
    pub text: String,
}

fn kind(info: &str) -> Option<Kind> {
    Some(match info {
        "c" => Kind::Program(Language::C),
        "rust" => Kind::Program(Language::Rust),
        "c compiled" => Kind::Compiled(Language::C),
        "rust compiled" => Kind::Compiled(Language::Rust),
        "sh" => Kind::Commands,
        "sh run" => Kind::Run,
        "console" => Kind::Dialogue(None),
        "toml" => Kind::Manifest(Toml::Components),
        "toml keys" => Kind::Manifest(Toml::Keys),
        "toml system" => Kind::Manifest(Toml::System),
        "toml port" => Kind::Manifest(Toml::Port),
        "text output" => Kind::Output,
        "text" => Kind::Text,
        _ => {
            let (language, name) = info.split_once(' ')?;
            let named = |ending| name.ends_with(ending) && !name.contains("..");
            match language {
                "c" if named(".c") => Kind::File(name.into()),
                "rust" if named(".rs") => Kind::File(name.into()),
                "toml" if named(".toml") => Kind::File(name.into()),
                "console" if named(".toml") => Kind::Dialogue(Some(name.into())),
                _ => return None,
            }
        }
    })
}
/// The blocks of a page; an error names the line of one that does not say what it is.
pub fn blocks(page: &str) -> Result<Vec<Block>> {
    let mut found = Vec::new();
    let mut lines = page.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        let Some(info) = line.strip_prefix("```") else { continue };
        let Some(kind) = kind(info.trim()) else {
            bail!("line {}: \"{info}\" does not say what this block is: see \"The book\" in building.md", at + 1);
        };
        let mut text = String::new();
        loop {
            match lines.next() {
                Some((_, "```")) => break,
                Some((_, line)) => text.extend([line, "\n"]),
                None => bail!("line {}: this block has no end", at + 1),
            }
        }
        found.push(Block { kind, line: at + 1, text });
    }
    Ok(found)
}

/// Whether `said` is what `written` has: a line `…` stands for any lines, `…` in a line for anything there, and one space for as many
/// as there are. The first line of `written` that is not there, else.
pub fn differs<'a>(written: &'a str, said: &str) -> Option<&'a str> {
    let mut said = said.lines().map(str::trim_end).filter(|line| !line.is_empty()).peekable();
    let mut skips = false;
    for line in written.lines().filter(|line| !line.trim().is_empty()) {
        if line.trim() == "…" {
            skips = true;
            continue;
        }
        let there = match skips {
            true => said.any(|one| like(line, one)),
            false => said.next().is_some_and(|one| like(line, one)),
        };
        if !there {
            return Some(line);
        }
        skips = false;
    }
    (!skips && said.peek().is_some()).then_some("no more lines")
}
fn like(written: &str, said: &str) -> bool {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let said = words(said);
    let mut parts: Vec<String> = written.split('…').map(words).collect();
    let last = parts.pop().unwrap_or_default();
    let Some(first) = parts.first() else { return said == last };
    let Some(mut rest) = said.strip_prefix(first.as_str()) else { return false };
    for part in &parts[1..] {
        let Some(at) = rest.find(part.as_str()) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(&last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_found_with_their_kinds_and_lines() {
        let page = "one\n```c\nint main(void);\n```\ntwo\n```text output\n7\n```\n";
        let found = blocks(page).unwrap();
        assert_eq!(found[0].kind, Kind::Program(Language::C));
        assert_eq!((found[0].line, found[0].text.as_str()), (2, "int main(void);\n"));
        assert_eq!((&found[1].kind, found[1].text.as_str()), (&Kind::Output, "7\n"));
    }
    #[test]
    fn a_block_that_does_not_say_what_it_is_is_refused() {
        let error = blocks("text\n```\nwhat is this\n```\n").unwrap_err().to_string();
        assert!(error.starts_with("line 2:"), "{error}");
    }
    #[test]
    fn files_of_a_page_have_names() {
        let found = blocks("```c one.c\n```\n```console all.toml\n```\n```sh run\n```\n").unwrap();
        let kinds: Vec<Kind> = found.into_iter().map(|block| block.kind).collect();
        assert_eq!(kinds, [Kind::File("one.c".into()), Kind::Dialogue(Some("all.toml".into())), Kind::Run]);
        assert!(blocks("```c ../one.c\n```\n").is_err());
        assert!(blocks("```rust one.c\n```\n").is_err());
    }
    #[test]
    fn a_block_without_an_end_is_refused() {
        assert!(blocks("```c\nint main(void);\n").unwrap_err().to_string().contains("no end"));
    }
    #[test]
    fn output_is_compared_line_by_line() {
        assert_eq!(differs("one\ntwo\n", "one\ntwo\n"), None);
        assert_eq!(differs("one\ntwo\n", "one\nthree\n"), Some("two"));
        assert_eq!(differs("one\n", "one\ntwo\n"), Some("no more lines"));
        assert_eq!(differs("one\ntwo\n", "one\n"), Some("two"));
    }
    #[test]
    fn what_is_left_out_stands_for_anything() {
        assert_eq!(differs("one\n…\nfive\n", "one\ntwo\nthree\nfive\n"), None);
        assert_eq!(differs("one\n…\n", "one\ntwo\n"), None);
        assert_eq!(differs("one\n…\nsix\n", "one\ntwo\n"), Some("six"));
        assert_eq!(differs("a … of …\n", "a table  of 7\n"), None);
        assert_eq!(differs("a … of 8\n", "a table of 7\n"), Some("a … of 8"));
        assert_eq!(differs("a  b\n", "a b\n"), None);
    }
}
