//! The source as it is written, word by word, what stands in the bodies of its macros included. It finds what a later look would miss because it is gone by then
//! (a macro's name, code that `cfg` takes out) or because the source does not compile; what macros make is looked at behind them.

use crate::attributes;
use crate::macros;
use crate::names;
use crate::refusal::{Place, Refusals, Rule};
use crate::source::Source;
use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use std::collections::HashSet;

/// How deep brackets are in each other.
const DEPTH: usize = 64;
/// Words before a `!` that call nothing.
const KEYWORDS: [&str; 14] =
    ["if", "in", "as", "mut", "let", "else", "while", "match", "return", "break", "move", "const", "static", "yield"];

struct Look<'r> {
    file: &'r str,
    own: &'r HashSet<String>,
    refusals: &'r mut Refusals,
}
fn is_punctuation(token: Option<&TokenTree>, character: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == character)
}
fn ident(token: Option<&TokenTree>) -> Option<&Ident> {
    match token {
        Some(TokenTree::Ident(ident)) => Some(ident),
        _ => None,
    }
}
fn group(token: Option<&TokenTree>) -> Option<&Group> {
    match token {
        Some(TokenTree::Group(group)) => Some(group),
        _ => None,
    }
}
impl Look<'_> {
    fn refuse(&mut self, rule: Rule, at: &TokenTree, why: &str) {
        let place = Place { file: self.file.into(), line: at.span().start().line };
        self.refusals.add(rule, place, why);
    }
    /// What stands between the brackets of an attribute.
    fn attribute(&mut self, content: TokenStream) {
        let tokens: Vec<TokenTree> = content.into_iter().collect();
        let Some(first) = tokens.first() else { return };
        let mut path = String::new();
        let mut next = 0;
        while let Some(token @ (TokenTree::Ident(_) | TokenTree::Punct(_))) = tokens.get(next) {
            // What a macro's variable stands for is looked at where the macro is expanded.
            if is_punctuation(Some(token), '$') {
                return;
            }
            if is_punctuation(Some(token), '=') {
                break;
            }
            path += &token.to_string();
            next += 1;
        }
        let arguments = group(tokens.get(next)).filter(|group| group.delimiter() == Delimiter::Parenthesis);
        if path == "cfg_attr"
            && let Some(arguments) = arguments
        {
            let inner: Vec<TokenTree> = arguments.stream().into_iter().collect();
            let parts = inner.split(|token| is_punctuation(Some(token), ',')).skip(1);
            return parts.for_each(|part| self.attribute(part.iter().cloned().collect()));
        }
        if path == "unsafe" {
            return self.refuse(Rule::Attr, first, "attributes that are unsafe are not for extensions");
        }
        let refused = attributes::refused(&path);
        let representation = arguments.filter(|_| path == "repr");
        let representation =
            representation.and_then(|group| attributes::refused_representation(&group.stream().to_string()));
        if let Some((rule, why)) = refused.or(representation) {
            self.refuse(rule, first, &why);
        }
    }
    /// A macro's name before its `!`.
    fn call(&mut self, name: &TokenTree, defined: Option<&Ident>) {
        let text = name.to_string();
        if text == "macro_rules" {
            if let Some(defined) = defined
                && macros::is_taken(defined.to_string().trim_start_matches("r#"))
            {
                self.refuse(Rule::Macro, name, &format!("{defined} is the name of one of the compiler's macros"));
            }
        } else if !self.own.contains(&text)
            && let Some((rule, why)) = macros::refused(&text)
        {
            self.refuse(rule, name, &why);
        }
    }
    fn external(&mut self, tokens: &[TokenTree], at: usize) {
        let rest = |after: usize| ident(tokens.get(at + after)).map(Ident::to_string);
        if rest(1).as_deref() != Some("crate") {
            return self.refuse(
                Rule::Extern,
                &tokens[at],
                "an extension names nothing by its symbol, and is named by none",
            );
        }
        let name = rest(2).unwrap_or_default();
        if !["core", "alloc"].contains(&&*name) {
            self.refuse(Rule::Name, &tokens[at], &format!("the crate {name} is not one that an extension has"));
        } else if rest(3).as_deref() == Some("as") {
            self.refuse(Rule::Name, &tokens[at], "a crate keeps its name");
        }
    }
    fn word(&mut self, tokens: &[TokenTree], at: usize) {
        let TokenTree::Ident(word) = &tokens[at] else { return };
        let next = tokens.get(at + 1);
        if !word.to_string().is_ascii() {
            return self.refuse(
                Rule::Name,
                &tokens[at],
                "names have letters of ASCII: what the compiler prints of others ends elsewhere",
            );
        }
        // A lifetime is a mark and a word.
        if is_punctuation(at.checked_sub(1).map(|at| &tokens[at]), '\'') {
            return;
        }
        let follows = |words: &[&str]| ident(next).is_some_and(|next| words.iter().any(|word| next == word));
        let refused = match word.to_string().as_str() {
            "unsafe" => Some((Rule::Lint, "an extension is safe code")),
            "dyn" => Some((Rule::Dyn, "trait objects: what they call no type says")),
            "async" | "await" => Some((Rule::Async, "asynchronous code needs Pin, whose macro is unsound")),
            "static" if follows(&["mut"]) => Some((Rule::Static, "state that all activations share")),
            "for" if is_punctuation(next, '<') => Some((Rule::Hrtb, "bounds over all lifetimes, but for Fn(&T)")),
            "raw" if follows(&["const", "mut"]) => Some((Rule::PtrInt, "raw pointers")),
            "extern" => return self.external(tokens, at),
            _ => None,
        };
        if let Some((rule, why)) = refused {
            self.refuse(rule, &tokens[at], why);
        } else if is_punctuation(next, '!')
            && group(tokens.get(at + 2)).is_some_and(|_| !is_punctuation(at.checked_sub(1).map(|at| &tokens[at]), '$'))
            && !KEYWORDS.iter().any(|keyword| word == keyword)
        {
            self.call(&tokens[at], None);
        } else if word == "macro_rules" && is_punctuation(next, '!') {
            self.call(&tokens[at], ident(tokens.get(at + 2)));
        }
    }
    fn stream(&mut self, stream: TokenStream) {
        let mut left = vec![(stream, 0)];
        while let Some((stream, depth)) = left.pop() {
            let tokens: Vec<TokenTree> = stream.into_iter().collect();
            for (at, token) in tokens.iter().enumerate() {
                let next = tokens.get(at + 1);
                match token {
                    TokenTree::Group(group) if depth < DEPTH => left.push((group.stream(), depth + 1)),
                    TokenTree::Group(_) => self.refuse(Rule::Build, token, "brackets are 64 deep at most"),
                    TokenTree::Ident(_) => self.word(&tokens, at),
                    TokenTree::Punct(punct) if punct.as_char() == '#' => {
                        let inner = usize::from(is_punctuation(next, '!'));
                        if let Some(group) = group(tokens.get(at + 1 + inner)) {
                            self.attribute(group.stream());
                        }
                    }
                    TokenTree::Punct(punct)
                        if punct.as_char() == '*'
                            && ident(next).is_some_and(|next| next == "const" || next == "mut") =>
                    {
                        self.refuse(Rule::PtrInt, token, "raw pointers");
                    }
                    _ => {}
                }
            }
        }
    }
}
/// Names behind a `::`, a dot or a comma of an import, where the compiler could not say what they are: as a hint beside its errors.
pub fn look_for_names(source: &Source, refusals: &mut Refusals) {
    for (file, text) in &source.files {
        let Ok(stream) = text.parse::<TokenStream>() else { continue };
        each(stream, |tokens, at| {
            let before = at.checked_sub(1).map(|at| &tokens[at]);
            let TokenTree::Ident(word) = &tokens[at] else { return };
            if ['.', ':', ','].iter().any(|&mark| is_punctuation(before, mark)) {
                let text = word.to_string();
                let builders = macros::is_of_the_builder(&text).then_some(Rule::Builtin);
                if let Some(rule) = names::rule_of_item(&text).or(builders) {
                    let place = Place { file: file.clone(), line: word.span().start().line };
                    refusals.add(rule, place, format!("{text} is not for extensions"));
                }
            }
        });
    }
}
/// Does something for each token of a stream, within brackets too: it gets the tokens around, and the token's place among them.
fn each(stream: TokenStream, mut look: impl FnMut(&[TokenTree], usize)) {
    let mut left = vec![stream];
    while let Some(stream) = left.pop() {
        let tokens: Vec<TokenTree> = stream.into_iter().collect();
        for (at, token) in tokens.iter().enumerate() {
            if let TokenTree::Group(group) = token {
                left.push(group.stream());
            }
            look(&tokens, at);
        }
    }
}
/// The words that stand in the source, wherever that is.
pub fn all(source: &Source) -> HashSet<String> {
    let mut words = HashSet::new();
    for stream in source.files.iter().filter_map(|(_, text)| text.parse().ok()) {
        each(stream, |tokens, at| words.extend(ident(tokens.get(at)).map(Ident::to_string)));
    }
    words
}
/// The functions that stand in the crate's file as `pub fn`, in no module.
pub fn public_functions(source: &Source) -> Vec<String> {
    let root = source.files.iter().find(|(name, _)| *name == source.root);
    let stream: TokenStream = root.and_then(|(_, text)| text.parse().ok()).unwrap_or_default();
    let tokens: Vec<TokenTree> = stream.into_iter().collect();
    let three = tokens.windows(3).filter_map(|window| match window {
        [TokenTree::Ident(visible), TokenTree::Ident(kind), TokenTree::Ident(name)]
            if visible == "pub" && kind == "fn" =>
        {
            Some(name.to_string())
        }
        _ => None,
    });
    three.collect()
}
/// The names behind `macro_rules!`.
fn own_macros(stream: &TokenStream) -> HashSet<String> {
    let mut names = HashSet::new();
    each(stream.clone(), |tokens, at| {
        if ident(tokens.get(at)).is_some_and(|word| word == "macro_rules") {
            names.extend(ident(tokens.get(at + 2)).map(Ident::to_string));
        }
    });
    names
}
/// Looks through all files.
pub fn look(source: &Source, refusals: &mut Refusals) {
    let mut streams = Vec::new();
    for (file, text) in &source.files {
        match text.parse::<TokenStream>() {
            Ok(stream) => streams.push((file, stream)),
            Err(error) => {
                let place = Place { file: file.clone(), line: error.span().start().line };
                refusals.add(Rule::Compiler, place, "these are no words of Rust");
            }
        }
    }
    let own = streams.iter().flat_map(|(_, stream)| own_macros(stream)).collect();
    for (file, stream) in streams {
        Look { file, own: &own, refusals }.stream(stream);
    }
}
