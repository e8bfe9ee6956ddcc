//! What an extension says of itself: `extension.toml`, or what is meant where it has none.

use crate::refusal::{Place, Refusals, Rule};
use crate::source::{MANIFEST, Source};
use crate::words;
use exports::{Handler, Interface};
use extension::{Condition, Limits, Order};
use serde::Deserialize;
use std::collections::HashSet;
use toml::Spanned;

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct File {
    name: Option<String>,
    interfaces: Option<Vec<String>>,
    handles: Option<Vec<String>>,
    #[serde(default)]
    handler: Vec<FileHandler>,
    #[serde(default)]
    limits: FileLimits,
}
/// On what terms an event is handled.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileHandler {
    event: Spanned<String>,
    guard: Option<Spanned<String>>,
    order: Option<Spanned<String>>,
}
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct FileLimits {
    stack: Option<u32>,
    arena: Option<u32>,
    quantum: Option<u32>,
}

/// What an extension is called, is given and handles.
pub struct Manifest<'i> {
    pub name: String,
    /// By their names.
    pub interfaces: Vec<&'i Interface>,
    /// By the names of their interfaces, and by their places.
    pub handlers: Vec<Handler<'i>>,
    /// Of each of these.
    pub terms: Vec<Terms>,
    pub limits: Limits,
}
/// On what terms an event is handled: all conditions hold, and where among others it is called.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    pub conditions: Vec<Condition>,
    pub order: Order<String>,
}
impl Manifest<'_> {
    /// On what terms it handles an event.
    pub fn terms_of(&self, interface: &str, event: usize) -> Option<&Terms> {
        let is = |handler: &Handler| handler.interface.name == interface && handler.event == event;
        self.handlers.iter().position(is).and_then(|at| self.terms.get(at))
    }
    /// The names of what it is given.
    pub fn given(&self) -> Vec<String> {
        self.interfaces.iter().map(|interface| interface.name.clone()).collect()
    }
}

/// A name that a file of an extension may have, made of any.
fn name_of(called: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c.to_ascii_lowercase() } else { '-' };
    let name: String = called.chars().map(letter).skip_while(|&c| c == '-').take(extension::MOST_NAME).collect();
    if name.is_empty() { "extension".into() } else { name }
}
/// The line of the manifest that such a byte is in.
fn line(source: &Source, at: usize) -> Place {
    let text = source.manifest.as_deref().unwrap_or_default();
    let before = text.bytes().take(at).filter(|&byte| byte == b'\n').count();
    Place { file: MANIFEST.into(), line: 1 + before }
}
fn parse(source: &Source, refusals: &mut Refusals) -> File {
    let Some(text) = &source.manifest else { return File::default() };
    toml::from_str(text).unwrap_or_else(|error| {
        let place = error.span().map_or(Place::whole(MANIFEST), |span| line(source, span.start));
        refusals.add(Rule::Package, place, error.message());
        File::default()
    })
}
fn called(handler: &Handler) -> String {
    format!("{}.{}", handler.interface.name, handler.interface.events[handler.event].name)
}
/// What is handled: what the manifest names, or where it names nothing, events of which the crate's file has a `pub fn` with the name. What could be meant for one
/// and is none is refused, since nobody would see that it is never called.
fn handlers<'i>(
    (source, words): (&Source, &HashSet<String>),
    interfaces: &[&'i Interface],
    named: Option<&[String]>,
    refuse: &mut impl FnMut(String),
) -> Vec<Handler<'i>> {
    let events = |interface: &'i Interface| (0..interface.events.len()).map(move |event| Handler { interface, event });
    let all: Vec<Handler> = interfaces.iter().copied().flat_map(events).collect();
    if let Some(named) = named {
        for handled in named.iter().filter(|handled| !all.iter().any(|handler| called(handler) == **handled)) {
            refuse(format!("handles: \"{handled}\" is no event of an interface that it has"));
        }
        return all.into_iter().filter(|handler| named.contains(&called(handler))).collect();
    }
    let functions = words::public_functions(source);
    let name = |handler: &Handler| handler.interface.events[handler.event].name.clone();
    for handler in &all {
        let event = name(handler);
        if all.iter().filter(|other| name(other) == event).count() > 1 && functions.contains(&event) {
            refuse(format!(
                "{event} is an event of several interfaces: handles says which it is, as \"{}\"",
                called(handler)
            ));
        } else if !functions.contains(&event) && words.contains(&event) {
            refuse(format!(
                "{event} is an event of {}, and {} has no plain \"pub fn {event}\": handles says which events it handles",
                handler.interface.name, source.root
            ));
        }
    }
    all.into_iter().filter(|handler| functions.contains(&name(handler))).collect()
}
/// An order as it is written.
fn order(text: &str) -> Result<Order<String>, String> {
    let order = Order::parse(text).map(|order| order.map(String::from));
    order
        .ok_or_else(|| format!("order: \"{text}\" is not first, last, before NAME or after NAME, of another extension"))
}
/// On what terms each of the events is handled.
fn terms(
    name: &str,
    source: &Source,
    handlers: &[Handler],
    said: &[FileHandler],
    refusals: &mut Refusals,
) -> Vec<Terms> {
    let mut all = vec![None; handlers.len()];
    for FileHandler { event, guard, order: placed } in said {
        let mut refuse = |at: &Spanned<String>, why: String| {
            refusals.add(Rule::Package, line(source, at.span().start), why);
        };
        let Some(at) = handlers.iter().position(|handler| called(handler) == *event.get_ref()) else {
            refuse(event, format!("handler: \"{}\" is no event that it handles", event.get_ref()));
            continue;
        };
        if all[at].is_some() {
            refuse(event, format!("handler: \"{}\" is there twice", event.get_ref()));
        }
        let Handler { interface, event } = handlers[at];
        let mut terms = Terms::default();
        if let Some(guard) = guard {
            match interface.guard(event, guard.get_ref()) {
                Ok(conditions) => terms.conditions = conditions,
                Err(why) => refuse(guard, format!("guard: {why}")),
            }
        }
        if let Some(placed) = placed {
            match order(placed.get_ref()) {
                Ok(Order::Before(other) | Order::After(other)) if other == name => {
                    refuse(placed, format!("order: {other} is this one: it is before or after another"));
                }
                Ok(order) => terms.order = order,
                Err(why) => refuse(placed, why),
            }
        }
        all[at] = Some(terms);
    }
    all.into_iter().map(Option::unwrap_or_default).collect()
}
/// The manifest of a source, of the interfaces that are known.
pub fn read<'i>(source: &Source, known: &'i [Interface], refusals: &mut Refusals) -> Manifest<'i> {
    let file = parse(source, refusals);
    let mut refuse = |why: String| refusals.add(Rule::Package, Place::whole(MANIFEST), why);
    let name = file.name.unwrap_or_else(|| name_of(&source.called));
    if !extension::is_name(&name) {
        refuse(format!(
            "name: \"{name}\" is not at most {} small letters, digits, \"-\" and \"_\"",
            extension::MOST_NAME
        ));
    }
    let words = words::all(source);
    let mut interfaces: Vec<&'i Interface> = match &file.interfaces {
        None => known.iter().filter(|interface| words.contains(&interface.name)).collect(),
        Some(names) => names
            .iter()
            .filter_map(|name| {
                let found = known.iter().find(|interface| interface.name == *name);
                if found.is_none() {
                    refuse(format!("interfaces: no component here exports \"{name}\""));
                }
                found
            })
            .collect(),
    };
    interfaces.sort_by(|one, other| one.name.cmp(&other.name));
    interfaces.dedup_by(|one, other| one.name == other.name);
    let handlers = handlers((source, &words), &interfaces, file.handles.as_deref(), &mut refuse);
    let Limits { stack, arena, quantum } = Limits::DEFAULT;
    let FileLimits { stack: of_stack, arena: of_arena, quantum: of_quantum } = file.limits;
    let limits = Limits {
        stack: of_stack.unwrap_or(stack),
        arena: of_arena.unwrap_or(arena),
        quantum: of_quantum.unwrap_or(quantum),
    };
    if !limits.are_valid() {
        refuse("limits: a stack is 4096 to 262144 bytes, whole pages; an arena at most 67108864 bytes; a quantum 1 to 1000000 microseconds".into());
    }
    let terms = terms(&name, source, &handlers, &file.handler, refusals);
    Manifest { name, interfaces, handlers, terms, limits }
}
