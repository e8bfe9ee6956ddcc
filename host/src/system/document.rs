//! A manifest's text, and the place of everything in it, so that what is wrong is shown where it stands. The crate annotate-snippets,
//! which cargo and rustc use for the same, draws it.

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use std::io::IsTerminal;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A manifest that was read.
#[derive(Clone, Debug)]
pub struct Document {
    /// As it is shown.
    pub path: String,
    pub text: String,
}
/// What is wrong with a component's block, and where in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The block's place among all components of the system.
    pub component: usize,
    /// The key whose value is wrong; none: the block.
    pub key: Option<&'static str>,
    /// The element, where the value is a list.
    pub entry: Option<usize>,
    pub title: String,
    /// What could be done.
    pub help: Option<String>,
}
impl Fault {
    pub fn of(component: usize, title: String) -> Fault {
        Fault { component, key: None, entry: None, title, help: None }
    }
    pub fn at(self, key: &'static str) -> Fault {
        Fault { key: Some(key), ..self }
    }
    pub fn entry(self, entry: usize) -> Fault {
        Fault { entry: Some(entry), ..self }
    }
    pub fn help(self, help: impl Into<Option<String>>) -> Fault {
        Fault { help: help.into(), ..self }
    }
}

impl Document {
    /// Where the key of a block is, or an element of its value, or else the block's name.
    pub fn place(&self, block: usize, key: Option<&str>, entry: Option<usize>) -> Range<usize> {
        self.find(block, key, entry).or_else(|| self.find(block, Some("name"), None)).unwrap_or(0..0)
    }
    fn find(&self, block: usize, key: Option<&str>, entry: Option<usize>) -> Option<Range<usize>> {
        let table = DeTable::parse(&self.text).ok()?;
        let blocks = table.get_ref().get("component")?.get_ref().as_array()?;
        let value: &Spanned<DeValue> = blocks.get(block)?.get_ref().as_table()?.get(key?)?;
        let element = entry.and_then(|n| value.get_ref().as_array()?.get(n));
        Some(element.unwrap_or(value).span())
    }
    /// A report with file, line, column, the line, and what could be done. The first line says what is wrong.
    pub fn show(&self, place: Range<usize>, title: &str, help: Option<&str>) -> String {
        let colours = std::io::stderr().is_terminal();
        let renderer = if colours { Renderer::styled() } else { Renderer::plain() };
        let snippet = Snippet::source(&self.text).path(&self.path);
        let error = Level::ERROR.primary_title(title).element(snippet.annotation(AnnotationKind::Primary.span(place)));
        let error = match help {
            Some(help) => error.element(Level::HELP.message(help)),
            None => error,
        };
        renderer.render(&[error])
    }
    /// What the reader of TOML, or of its values, found.
    pub fn malformed(&self, error: &toml::de::Error) -> String {
        let message = error.message().trim_end();
        // serde lists what it knows: `unknown field `x`, expected one of `a`, `b``.
        let (title, known) = message.split_once(", expected ").unwrap_or((message, ""));
        let wrong = title.split('`').nth(1).filter(|_| title.starts_with("unknown"));
        let known: Vec<&str> = known.split('`').skip(1).step_by(2).collect();
        let help = wrong.map(|wrong| {
            meant(wrong, known.iter().copied()).unwrap_or_else(|| format!("there are {}", known.join(", ")))
        });
        self.show(error.span().unwrap_or(0..0), if known.is_empty() { message } else { title }, help.as_deref())
    }
}

/// "did you mean", if one of `known` is close enough to `wrong`.
pub fn meant<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    /// How alike two words are that are taken for each other (Jaro and Winkler's measure, 0 to 1).
    const CLOSE: f64 = 0.8;
    let measured = known.into_iter().map(|word| (strsim::jaro_winkler(wrong, word), word));
    let (likeness, word) = measured.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (likeness >= CLOSE && word != wrong).then(|| format!("did you mean \"{word}\"?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(text: &str) -> Document {
        Document { path: "x.toml".into(), text: text.into() }
    }
    #[test]
    fn an_element_of_a_list_is_shown_with_its_line_and_column() {
        let document = document("name = \"x\"\n[[component]]\nname = \"a\"\nopens = [\"one\", \"twoo\"]\n");
        let shown =
            document.show(document.place(0, Some("opens"), Some(1)), "wrong", meant("twoo", ["two"]).as_deref());
        assert!(shown.contains("x.toml:4:17") && shown.contains("opens = [\"one\", \"twoo\"]"), "{shown}");
        assert!(shown.contains("did you mean \"two\"?") && shown.starts_with("error: wrong"), "{shown}");
    }
    #[test]
    fn what_a_block_does_not_have_is_shown_at_its_name() {
        let document = document("name = \"x\"\n[[component]]\nname = \"a\"\n");
        assert_eq!(document.place(0, Some("opens"), None), document.place(0, Some("name"), None));
    }
    #[test]
    fn only_what_is_close_was_meant() {
        assert_eq!(meant("serail", ["rtc", "serial"]), Some("did you mean \"serial\"?".into()));
        assert_eq!(meant("network", ["rtc", "serial"]), None);
    }
}
