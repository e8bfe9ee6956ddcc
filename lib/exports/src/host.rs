//! The code that an interface becomes in the component that exports it: the same types, a trait for its procedures, and a function that raises each event.
//!
//! An event is raised through its *cell*: a word that leads to a function of the event's form. That is the default's where nobody handles it, else one that hands
//! the arguments as words to the dispatcher, or, where one alone handles it, the machine's own code with the arguments as they are. So nothing is generated at run time, and no cell is ever empty.

use crate::code::{crossing, declared, documented, owned, raw, typed, written as type_of};
use crate::guard::integer;
use crate::{Declared, Element, Error, Integer, Interface, Lent, MOST_WORDS, Passed, Procedure, Shape, Value};
use std::fmt::Write;
use std::path::Path;

/// The words of a call, as the dispatcher gets them.
fn words(procedure: &Procedure) -> String {
    let mut words = Vec::new();
    for (name, passed) in &procedure.arguments {
        // In registers, what has 32 bits has a sign in the others, whatever its type says of it.
        let is_word = |integer: &Integer| integer.bits == 32 && !integer.signed;
        words.push(match passed {
            Passed::Value(Value::Integer(integer)) if is_word(integer) => format!("{name} as i32 as usize"),
            _ => format!("{name} as usize"),
        });
        if let Passed::Lent { of: Lent::Bytes, .. } = passed {
            words.push(format!("__{name}_length"));
        }
    }
    words.resize(MOST_WORDS, "0".into());
    words.join(", ")
}
/// A number as a value that crosses.
fn number(value: &Value, number: i128) -> String {
    format!("{number}{}", raw(value))
}
/// What a value that has crossed is here, as an expression; `wrong` where it is none of its type: what comes out of an extension is not believed.
fn believed(interface: &Interface, value: &Value, crossed: &str, wrong: &str) -> String {
    let arms: Vec<String> = match value {
        Value::Integer(_) => return crossed.into(),
        Value::Handle(name) => return format!("{name}({crossed})"),
        Value::Bool => vec!["0 => false".into(), "1 => true".into()],
        Value::Choice(name) => match interface.declared(name) {
            Some(Declared { shape: Shape::Choice(names), .. }) => {
                names.iter().map(|(variant, number)| format!("{number} => {name}::{variant}")).collect()
            }
            _ => Vec::new(),
        },
    };
    format!("match {crossed} {{ {}, _ => {wrong} }}", arms.join(", "))
}
/// A value of a type as the user writes it.
fn written(interface: &Interface, value: &Value, of: i128) -> String {
    match value {
        Value::Integer(integer) => format!("{of}{integer}"),
        Value::Bool => (of != 0).to_string(),
        Value::Handle(name) => format!("{name}({of})"),
        Value::Choice(name) => match interface.declared(name) {
            Some(Declared { shape: Shape::Choice(names), .. }) => {
                let variant = names.iter().find(|(_, number)| i128::from(*number) == of);
                variant.map_or(String::new(), |(variant, _)| format!("{name}::{variant}"))
            }
            _ => String::new(),
        },
    }
}
/// What is lent, from what has crossed for it.
fn lent(name: &str, of: &Lent, mutable: bool) -> String {
    let (word, method) = if mutable { ("mut ", "from_raw_parts_mut") } else { ("", "from_raw_parts") };
    match of {
        Lent::Plain(_) => format!("unsafe {{ &{word}*{name} }}"),
        Lent::Bytes => format!("unsafe {{ ::core::slice::{method}({name}, __{name}_length) }}"),
    }
}

/// The form of what has several results be one.
fn combining(value: &Value) -> String {
    let ty = type_of(value, "");
    format!("fn(::dispatch::Results<{ty}>) -> {ty}")
}

impl Interface {
    /// The module that the exporting component includes.
    pub fn host_source(&self) -> String {
        let mut code = String::new();
        self.types.iter().for_each(|ty| declared(&mut code, ty, "pub "));
        let (name, identity) = (&self.name, self.identity());
        let (procedures, events) = (self.procedures.len(), self.events.len());
        let _ = writeln!(
            code,
            "/// The interface: what extensions have to agree with.\npub const INTERFACE: ::dispatch::Interface ="
        );
        let _ =
            writeln!(code, "    ::dispatch::Interface {{ name: {name:?}, identity: {identity:?}, events: &EVENTS }};");
        let _ = writeln!(
            code,
            "/// What extensions call; what they pass is of its type, and else not to be believed.\npub trait Procedures {{"
        );
        for procedure in &self.procedures {
            let (arguments, result) = typed(procedure, "", false);
            documented(&mut code, "    ", &procedure.means);
            let _ = writeln!(code, "    fn {}({}){result};", procedure.name, arguments.join(", "));
        }
        let _ = writeln!(
            code,
            "}}\n/// Where these begin, by their places.\npub fn procedures<P: Procedures>() -> [usize; {procedures}] {{"
        );
        self.procedures.iter().enumerate().for_each(|(at, procedure)| self.entry(&mut code, at, procedure));
        let entries: Vec<String> =
            (0..procedures).map(|at| format!("::dispatch::door!(__{at}::<P>, P: Procedures)")).collect();
        let _ = writeln!(code, "    [{}]\n}}", entries.join(", "));
        let cells: Vec<String> = (0..events)
            .map(|at| {
                format!(
                    "    ::dispatch::Event::new(__default_{at} as *const (), __handled_{at} as *const (), ::dispatch::quick!(EVENTS, {at}, __handled_{at}), ::dispatch::chosen!(EVENTS, {at}, __handled_{at}), &[{}]),\n",
                    self.arguments(&self.events[at])
                )
            })
            .collect();
        let _ = writeln!(
            code,
            "/// By their places.\npub static EVENTS: [::dispatch::Event; {events}] = [\n{}];",
            cells.concat()
        );
        self.events.iter().enumerate().for_each(|(at, event)| self.raised(&mut code, at, event));
        code
    }
    /// What guards look at.
    fn arguments(&self, event: &Procedure) -> String {
        let argument = |passed: &Passed| match passed {
            Passed::Value(Value::Handle(_)) => "::dispatch::Argument::Handle".into(),
            Passed::Value(value) => {
                let Integer { signed, bits } = integer(value);
                format!("::dispatch::Argument::Value({}, {signed})", bits / 8)
            }
            Passed::Lent { of: Lent::Bytes, .. } => "::dispatch::Argument::Bytes".into(),
            Passed::Lent { of: Lent::Plain(name), .. } => {
                let mut numbers = String::new();
                self.numbers(&mut numbers, name, 0);
                format!("::dispatch::Argument::Lent(&[{numbers}])")
            }
        };
        let all: Vec<String> = event.arguments.iter().map(|(_, passed)| argument(passed)).collect();
        all.join(", ")
    }
    /// The numbers of a structure that begins there.
    fn numbers(&self, to: &mut String, name: &str, start: usize) {
        for field in self.fields(name) {
            let (at, count) = (start + field.at, field.count.unwrap_or(1));
            match &field.of {
                Element::Integer(Integer { signed, bits }) => {
                    let width = bits / 8;
                    let _ = write!(
                        to,
                        "::dispatch::Numbers {{ at: {at}, width: {width}, signed: {signed}, count: {count} }}, "
                    );
                }
                Element::Plain(name) => {
                    let bytes = self.bytes_of(&field.of);
                    (0..count).for_each(|n| self.numbers(to, name, at + n * bytes));
                }
            }
        }
    }
    /// The function that an extension's slot leads to.
    fn entry(&self, code: &mut String, at: usize, procedure: &Procedure) {
        let (parameters, _) = crossing(procedure, "");
        let returned = procedure.result.as_ref().map_or(String::new(), |value| format!(" -> {}", raw(value)));
        // What has to be looked at is so before anything else is done: the procedure's own code, which may have registers of its caller's, is not entered with what is wrong.
        let is_looked_at = |value: &Value| matches!(value, Value::Bool | Value::Choice(_));
        let (mut looked_at, mut given) = (Vec::new(), Vec::new());
        for (name, passed) in &procedure.arguments {
            match passed {
                Passed::Value(value) if is_looked_at(value) => {
                    looked_at.push(format!("let {name} = {};", believed(self, value, name, "::dispatch::wrong()")));
                    given.push(name.clone());
                }
                Passed::Value(value) => given.push(believed(self, value, name, "")),
                Passed::Lent { of, mutable } => given.push(lent(name, of, *mutable)),
            }
        }
        let call = format!("P::{}({})", procedure.name, given.join(", "));
        let call = procedure.result.as_ref().map_or(call.clone(), |value| owned(value, &call));
        let _ = writeln!(code, "    extern \"C\" fn __{at}<P: Procedures>({}){returned} {{", parameters.join(", "));
        let _ = writeln!(code, "        // SAFETY: what is lent is so for the call: the extension's types say it.");
        looked_at.iter().for_each(|line| _ = writeln!(code, "        {line}"));
        let call = if looked_at.is_empty() { call } else { format!("::dispatch::apart(|| {call})") };
        let _ = writeln!(code, "        {call}\n    }}");
    }
    /// What raises an event, and what its cell leads to.
    fn raised(&self, code: &mut String, at: usize, event: &Procedure) {
        let (parameters, passed) = crossing(event, "");
        let (parameters, passed) = (parameters.join(", "), passed.join(", "));
        let (arguments, result) = typed(event, "", false);
        // A word, whatever the result is: what of it that is comes out of an extension, and is not believed.
        let (returned, default) =
            (event.result.as_ref().map_or("", |_| " -> usize"), event.default.unwrap_or_default());
        let (silent, said) = match &event.result {
            Some(value) => {
                let silent = format!("{} as usize", number(value, default));
                (silent.clone(), format!(".unwrap_or({silent})"))
            }
            None => (String::new(), ";".into()),
        };
        documented(code, "", &event.means);
        let _ = writeln!(code, "pub fn {}({}){result} {{", event.name, arguments.join(", "));
        let _ = writeln!(code, "    // SAFETY: cells of this event lead to functions of this form.");
        let _ = writeln!(
            code,
            "    let __raise = unsafe {{ ::core::mem::transmute::<*const (), extern \"C\" fn({parameters}){returned}>(EVENTS[{at}].cell()) }};"
        );
        let call = format!("__raise({passed})");
        let _ = match &event.result {
            None => writeln!(code, "    {call}"),
            Some(value) => {
                let word = format!("{call} as {}", raw(value));
                writeln!(code, "    {}", believed(self, value, &word, &written(self, value, default)))
            }
        };
        let _ = writeln!(
            code,
            "}}\n#[allow(unused_variables)]\nextern \"C\" fn __default_{at}({parameters}){returned} {{\n    {silent}\n}}"
        );
        if let Some(value) = &event.result {
            let (name, form) = (&event.name, combining(value));
            let _ = writeln!(
                code,
                "/// Has what several handlers of `{name}` say be one: it gets what they say as it asks for it, and they are called so. One result alone is believed as it is.\n#[allow(dead_code)]\npub fn combine_{name}(combine: {form}) {{\n    // SAFETY: that is its form.\n    unsafe {{ EVENTS[{at}].combines_by(combine as *const ()) }};\n}}"
            );
        }
        if let Some(value) = &event.result {
            self.combined(code, at, event, value);
        }
        let _ = writeln!(code, "extern \"C\" fn __handled_{at}({parameters}){returned} {{");
        let _ = writeln!(code, "    let __words = [{}];", words(event));
        if event.result.is_some() {
            let _ = writeln!(code, "    if let Some(__combine) = EVENTS[{at}].combine() {{");
            let _ = writeln!(code, "        return __combined_{at}(__combine, &__words);\n    }}");
        }
        let _ = writeln!(code, "    EVENTS[{at}].handle(&__words){said}\n}}");
    }
    /// What has several results be one, and is asked where there is such. It is a function of its own, for which who has none saves no registers.
    fn combined(&self, code: &mut String, at: usize, event: &Procedure, value: &Value) {
        let (name, word) = (&event.name, format!("__word as {}", raw(value)));
        let (form, one) = (combining(value), believed(self, value, &word, "return None"));
        let silent = number(value, event.default.unwrap_or_default());
        let said = owned(value, "__one");
        let _ = writeln!(
            code,
            "#[inline(never)]\nfn __combined_{at}(__combine: ::core::ptr::NonNull<()>, __words: &[usize; ::dispatch::WORDS]) -> usize {{"
        );
        let _ = writeln!(
            code,
            "    // SAFETY: `combine_{name}` has put it there.\n    let __combine = unsafe {{ ::core::mem::transmute::<*mut (), {form}>(__combine.as_ptr()) }};"
        );
        let _ = writeln!(
            code,
            "    // SAFETY: it is dropped here.\n    let __said = unsafe {{ EVENTS[{at}].said(__words) }};"
        );
        // Where nobody is called, or one, there is nothing to be made one of.
        let _ = writeln!(code, "    let __count = __said.how_many();");
        let _ = writeln!(code, "    let mut __said = __said.believed(|__word| Some({one}));");
        let _ = writeln!(
            code,
            "    if __count < 2 {{\n        return __said.next().map_or({silent} as usize, |__one| {said} as usize);\n    }}"
        );
        let _ = writeln!(code, "    let __one = __combine(__said);\n    {said} as usize\n}}");
    }
}

/// What the build script of a component does: the module of each interface that is declared in `folder` becomes `NAME.rs` in `OUT_DIR`. A declaration that is
/// wrong, and a file that can not be read or written, are errors of the build, with their place.
///
/// # Panics
/// Where cargo has not called it.
pub fn build(folder: &str) {
    let out = std::env::var("OUT_DIR").expect("cargo says it");
    if let Err(why) = write_modules(folder.as_ref(), out.as_ref()) {
        println!("cargo::error={why}");
    }
    println!("cargo::rerun-if-changed={folder}");
}
fn write_modules(folder: &Path, out: &Path) -> Result<(), String> {
    let place = |path: &Path, why: &dyn std::fmt::Display| format!("{}: {why}", path.display());
    for entry in std::fs::read_dir(folder).map_err(|why| place(folder, &why))? {
        let path = entry.map_err(|why| place(folder, &why))?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()?.strip_suffix(".rs")) else { continue };
        let text = std::fs::read_to_string(&path).map_err(|why| place(&path, &why))?;
        let interface = Interface::parse(name, &text).map_err(|error: Error| place(&path, &error))?;
        let to = out.join(format!("{name}.rs"));
        std::fs::write(&to, interface.host_source()).map_err(|why| place(&to, &why))?;
    }
    Ok(())
}
