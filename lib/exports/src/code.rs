//! The code that an interface becomes on an extension's side: the crate that the extension names, and the entries by which its handlers are called.
//!
//! A call of a procedure is `auipc`, `ld`, `jalr`: through a word of the extension's constants, its *slot*, which the linker fills.

use crate::parse::declaration;
use crate::{Declared, Element, Interface, Lent, Passed, Procedure, Shape, Value};
use std::fmt::Write;

/// What entries and slots are called in the object: `__slot_packets_0`, `__entry_packets_0`.
pub const SLOT: &str = "__slot_";
pub const ENTRY: &str = "__entry_";

/// A handler of an extension: the event of the interface at that place.
#[derive(Clone, Copy, Debug)]
pub struct Handler<'i> {
    pub interface: &'i Interface,
    pub event: usize,
}

/// What the crate of an interface is called where it is compiled: no crate of the language is called so.
pub fn crate_name(interface: &str) -> String {
    format!("interface_{interface}")
}
pub(crate) fn documented(code: &mut String, indent: &str, means: &str) {
    if !means.is_empty() {
        let _ = writeln!(code, "{indent}#[doc = {means:?}]");
    }
}
/// A type of the interface's own; `inner` is who sees a handle's word: `"pub "`, where it is made.
pub(crate) fn declared(code: &mut String, declared: &Declared, inner: &str) {
    let name = &declared.name;
    documented(code, "", &declared.means);
    let derived = "#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]";
    let _ = match &declared.shape {
        Shape::Handle => writeln!(code, "{derived}\n#[repr(transparent)]\npub struct {name}({inner}u64);"),
        Shape::Choice(names) => {
            let _ = writeln!(code, "{derived}\n#[repr(u8)]\npub enum {name} {{");
            for (name, number) in names {
                let _ = writeln!(code, "    {name} = {number},");
            }
            writeln!(code, "}}")
        }
        Shape::Plain { fields, bytes, align } => {
            let _ = writeln!(code, "{derived}\n#[repr(C)]\npub struct {name} {{");
            for field in fields {
                documented(code, "    ", &field.means);
                let element = match &field.of {
                    Element::Integer(integer) => integer.to_string(),
                    Element::Plain(name) => name.clone(),
                };
                let of = field.count.map_or(element.clone(), |count| format!("[{element}; {count}]"));
                let _ = writeln!(code, "    pub {}: {of},", field.name);
            }
            let _ = writeln!(
                code,
                "}}\nconst _: () = assert!(core::mem::size_of::<{name}>() == {bytes} && core::mem::align_of::<{name}>() == {align});"
            );
            for field in fields {
                let _ = writeln!(
                    code,
                    "const _: () = assert!(core::mem::offset_of!({name}, {}) == {});",
                    field.name, field.at
                );
            }
            Ok(())
        }
    };
}
/// What a value is where it crosses.
pub(crate) fn raw(value: &Value) -> String {
    match value {
        Value::Integer(integer) => integer.to_string(),
        Value::Bool | Value::Choice(_) => "u8".into(),
        Value::Handle(_) => "u64".into(),
    }
}
/// A value as it crosses, where its expression is of the interface's types.
pub(crate) fn owned(value: &Value, expression: &str) -> String {
    match value {
        Value::Integer(_) => expression.into(),
        Value::Bool | Value::Choice(_) => format!("{expression} as u8"),
        Value::Handle(_) => format!("{expression}.0"),
    }
}
/// The parameters of a call as they cross, and what the caller passes for them.
pub(crate) fn crossing(procedure: &Procedure, path: &str) -> (Vec<String>, Vec<String>) {
    let (mut parameters, mut passed) = (Vec::new(), Vec::new());
    for (name, argument) in &procedure.arguments {
        match argument {
            Passed::Value(value) => {
                parameters.push(format!("{name}: {}", raw(value)));
                passed.push(owned(value, name));
            }
            Passed::Lent { of, mutable } => {
                let (kind, method) = if *mutable { ("*mut", "as_mut_ptr") } else { ("*const", "as_ptr") };
                match of {
                    Lent::Bytes => {
                        parameters.extend([format!("{name}: {kind} u8"), format!("__{name}_length: usize")]);
                        passed.extend([format!("{name}.{method}()"), format!("{name}.len()")]);
                    }
                    Lent::Plain(ty) => {
                        parameters.push(format!("{name}: {kind} {path}{ty}"));
                        passed.push(name.clone());
                    }
                }
            }
        }
    }
    (parameters, passed)
}
/// Arguments and result as a user of the crate `path` writes them.
pub(crate) fn typed(procedure: &Procedure, path: &str, lifetimes: bool) -> (Vec<String>, String) {
    let mut arguments = Vec::new();
    for (at, (name, passed)) in procedure.arguments.iter().enumerate() {
        let ty = match passed {
            Passed::Value(value) => written(value, path),
            Passed::Lent { of, mutable } => {
                let lifetime = if lifetimes { format!("'l{at} ") } else { String::new() };
                let of = if let Lent::Plain(name) = of { format!("{path}{name}") } else { "[u8]".into() };
                format!("&{lifetime}{}{of}", if *mutable { "mut " } else { "" })
            }
        };
        arguments.push(format!("{name}: {ty}"));
    }
    (arguments, procedure.result.as_ref().map_or(String::new(), |value| format!(" -> {}", written(value, path))))
}
/// A value's type as a user of the crate `path` writes it.
pub(crate) fn written(value: &Value, path: &str) -> String {
    match value {
        Value::Choice(name) | Value::Handle(name) => format!("{path}{name}"),
        other => other.to_string(),
    }
}
/// What a value that has crossed is on this side, as an expression. A number that is none of an enumeration's stops the extension: it is the host's mistake.
fn received(interface: &Interface, value: &Value, raw: &str, path: &str) -> String {
    match value {
        Value::Integer(_) => raw.into(),
        Value::Bool => format!("{raw} != 0"),
        // SAFETY of what is made: a handle is a word, and nothing else.
        Value::Handle(name) => format!("unsafe {{ core::mem::transmute::<u64, {path}{name}>({raw}) }}"),
        Value::Choice(name) => {
            let Some(Declared { shape: Shape::Choice(names), .. }) = interface.declared(name) else {
                return raw.into();
            };
            let arms: Vec<String> =
                names.iter().map(|(variant, n)| format!("{n} => {path}{name}::{variant}")).collect();
            format!("match {raw} {{ {}, _ => panic!() }}", arms.join(", "))
        }
    }
}

impl Interface {
    /// The crate that an extension names by the interface's name: types, and a function for each procedure.
    pub fn crate_source(&self) -> String {
        let mut code = String::from("#![no_std]\n#![allow(unused_parens)]\n");
        if !self.means.is_empty() {
            let _ = writeln!(code, "#![doc = {:?}]", self.means);
        }
        self.types.iter().for_each(|ty| declared(&mut code, ty, ""));
        for (at, procedure) in self.procedures.iter().enumerate() {
            self.caller(&mut code, at, procedure);
        }
        code
    }
    fn caller(&self, code: &mut String, at: usize, procedure: &Procedure) {
        let slot = format!("{SLOT}{}_{at}", self.name);
        let (parameters, passed) = crossing(procedure, "");
        let (arguments, result) = typed(procedure, "", false);
        let returned = procedure.result.as_ref().map_or(String::new(), |value| format!(" -> {}", raw(value)));
        let _ = writeln!(
            code,
            "#[unsafe(no_mangle)]\n#[unsafe(link_section = \".slots.{}.{at:03}\")]\nstatic {slot}: usize = 0;",
            self.name
        );
        documented(code, "", &procedure.means);
        let _ = writeln!(code, "#[inline]\npub fn {}({}){result} {{", procedure.name, arguments.join(", "));
        let _ = writeln!(code, "    // SAFETY: the linker has put there where a procedure of these types begins.");
        let _ = writeln!(
            code,
            "    let __called = unsafe {{\n        core::mem::transmute::<usize, extern \"C\" fn({}){returned}>(core::ptr::read_volatile(&raw const {slot}))\n    }};",
            parameters.join(", ")
        );
        let call = format!("__called({})", passed.join(", "));
        let _ = match &procedure.result {
            None => writeln!(code, "    {call}"),
            Some(value) => writeln!(code, "    let __result = {call};\n    {}", received(self, value, "__result", "")),
        };
        let _ = writeln!(code, "}}");
    }
}

impl Handler<'_> {
    /// Its entry in the object.
    pub fn symbol(&self) -> String {
        format!("{ENTRY}{}_{}", self.interface.name, self.event)
    }
    /// The function that is called where the event is raised, and calls the extension's.
    fn source(&self, code: &mut String) {
        let event = &self.interface.events[self.event];
        let path = format!("{}::", self.interface.name);
        let (parameters, _) = crossing(event, &path);
        let (arguments, result) = typed(event, &path, true);
        let returned = event.result.as_ref().map_or(String::new(), |value| format!(" -> {}", raw(value)));
        let lent: Vec<String> = (0..event.arguments.len())
            .filter(|&at| matches!(event.arguments[at].1, Passed::Lent { .. }))
            .map(|at| format!("'l{at}"))
            .collect();
        let names: Vec<&str> = event.arguments.iter().map(|(name, _)| name.as_str()).collect();
        let made: Vec<String> = event
            .arguments
            .iter()
            .map(|(name, passed)| match passed {
                Passed::Value(value) => received(self.interface, value, name, &path),
                Passed::Lent { of, mutable } => {
                    let word = if *mutable { "mut " } else { "" };
                    match of {
                        Lent::Plain(_) => format!("unsafe {{ &{word}*{name} }}"),
                        Lent::Bytes if *mutable => {
                            format!("unsafe {{ core::slice::from_raw_parts_mut({name}, __{name}_length) }}")
                        }
                        Lent::Bytes => format!("unsafe {{ core::slice::from_raw_parts({name}, __{name}_length) }}"),
                    }
                }
            })
            .collect();
        let _ = writeln!(
            code,
            "#[unsafe(no_mangle)]\nextern \"C\" fn {}({}){returned} {{",
            self.symbol(),
            parameters.join(", ")
        );
        let _ = writeln!(
            code,
            "    // A lifetime for each, so what is lent is lent for the call whatever the handler asks for."
        );
        let _ = writeln!(
            code,
            "    fn __handle<{}>({}){result} {{\n        extension::{}({})\n    }}",
            lent.join(", "),
            arguments.join(", "),
            event.name,
            names.join(", ")
        );
        let _ = writeln!(code, "    // SAFETY: the host lends what it says, for the call.");
        let call = format!("__handle({})", made.join(", "));
        let _ = match &event.result {
            None => writeln!(code, "    {call}"),
            Some(Value::Integer(_)) => writeln!(code, "    {call}"),
            Some(Value::Bool | Value::Choice(_)) => writeln!(code, "    {call} as u8"),
            // SAFETY of what is made: a handle is a word.
            Some(Value::Handle(name)) => {
                writeln!(code, "    unsafe {{ core::mem::transmute::<{path}{name}, u64>({call}) }}")
            }
        };
        let _ = writeln!(code, "}}");
    }
}

/// The interface of what every extension is given beneath its own code: memory, and an end. No extension can name it.
pub fn runtime() -> Interface {
    declaration("extension_runtime", include_str!("runtime.rs")).expect("the declaration is this crate's own")
}
/// The crate around an extension: entries for its handlers, memory of its arena, and what becomes of a panic.
pub fn program_source(handlers: &[Handler]) -> String {
    let mut code = String::from(include_str!("program.rs"));
    handlers.iter().for_each(|handler| handler.source(&mut code));
    code
}
