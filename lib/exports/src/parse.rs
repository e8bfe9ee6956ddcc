//! Declarations, read: what is not said in them can not cross.

use crate::{
    Declared, Element, Error, Field, Integer, Interface, Lent, MOST_BYTES, MOST_NAME, MOST_PROCEDURES, MOST_WORDS,
    Passed, Procedure, Shape, Value,
};
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, Fields, FnArg, Ident, Item, Lit, Pat, ReturnType, Stmt, TraitItem, Type, Visibility};

fn wrong<T>(span: Span, why: impl Into<String>) -> Result<T, Error> {
    Err(Error { line: span.start().line, why: why.into() })
}
/// Names that mean something else where an extension is compiled.
const TAKEN: [&str; 10] = [
    "core",
    "alloc",
    "std",
    "extension",
    "extension_runtime",
    "pebble",
    "host",
    "proc_macro",
    "test",
    "compiler_builtins",
];

/// Types of the language, beside integers of 8 to 64 bits.
const PRIMITIVE: [&str; 11] = ["bool", "char", "str", "usize", "isize", "u128", "i128", "f16", "f32", "f64", "f128"];

/// Whether it is of small letters, digits and low lines, and is no word of the language.
fn is_name(name: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let plain =
        name.len() <= MOST_NAME && name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(is_letter);
    // A word of this edition that the reader does not know yet.
    plain && name != "gen" && syn::parse_str::<Ident>(name).is_ok()
}
pub fn interface(name: &str, text: &str) -> Result<Interface, Error> {
    let primitive = || PRIMITIVE.contains(&name) || integer_type(name).is_some();
    if !is_name(name) || TAKEN.contains(&name) || primitive() {
        let why = format!(
            "\"{name}\" is no name of an interface: at most {MOST_NAME} small letters, digits and \"_\", no word of Rust, none of {TAKEN:?}"
        );
        return Err(Error { line: 0, why });
    }
    declaration(name, text)
}
/// An interface by whatever name.
pub fn declaration(name: &str, text: &str) -> Result<Interface, Error> {
    let file = syn::parse_file(text).or_else(|error| wrong(error.span(), error.to_string()))?;
    let means = documentation(&file.attrs)?;
    let mut interface =
        Interface { name: name.into(), means, types: Vec::new(), procedures: Vec::new(), events: Vec::new() };
    let mut seen = Vec::new();
    for item in &file.items {
        match item {
            Item::Trait(item) => {
                let title = item.ident.to_string();
                if seen.contains(&title) {
                    return wrong(item.ident.span(), format!("{title} stand twice"));
                }
                let procedures = procedures(&interface, item)?;
                match title.as_str() {
                    "Procedures" => interface.procedures = procedures,
                    "Events" => interface.events = procedures,
                    _ => return wrong(item.ident.span(), "a trait is Procedures or Events"),
                }
                seen.push(title);
            }
            other => {
                let declared = declared(&interface, other)?;
                if interface.declared(&declared.name).is_some() {
                    return wrong(other.span(), format!("{} is declared twice", declared.name));
                }
                interface.types.push(declared);
            }
        }
    }
    Ok(interface)
}

/// What is documented; an attribute that is no documentation says something that is not kept.
fn documentation(attributes: &[Attribute]) -> Result<String, Error> {
    let mut lines = Vec::new();
    for attribute in attributes {
        let text = match &attribute.meta {
            syn::Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
                Expr::Lit(literal) => match &literal.lit {
                    Lit::Str(text) => Some(text.value()),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        };
        match text {
            Some(text) => lines.push(text.trim().to_owned()),
            None => return wrong(attribute.span(), "attributes are not for declarations"),
        }
    }
    Ok(lines.join(" "))
}
fn is_public(visibility: &Visibility, span: Span) -> Result<(), Error> {
    if matches!(visibility, Visibility::Public(_)) { Ok(()) } else { wrong(span, "all of an interface is pub") }
}
fn type_name(name: &Ident) -> Result<String, Error> {
    let text = name.to_string();
    let plain = text.starts_with(|c: char| c.is_ascii_uppercase()) && text.chars().all(|c| c.is_ascii_alphanumeric());
    if plain && !["Self", "Handle", "Option", "Some", "None", "Ok", "Err"].contains(&&*text) {
        Ok(text)
    } else {
        wrong(name.span(), format!("{text} is no name of a type: letters and digits, a capital first"))
    }
}
fn no_generics(generics: &syn::Generics, span: Span) -> Result<(), Error> {
    if generics.params.is_empty() && generics.where_clause.is_none() {
        Ok(())
    } else {
        wrong(span, "nothing of an interface is generic")
    }
}

fn declared(interface: &Interface, item: &Item) -> Result<Declared, Error> {
    let (name, attributes, visibility, generics) = match item {
        Item::Struct(item) => (&item.ident, &item.attrs, &item.vis, &item.generics),
        Item::Enum(item) => (&item.ident, &item.attrs, &item.vis, &item.generics),
        Item::Type(item) => (&item.ident, &item.attrs, &item.vis, &item.generics),
        other => {
            return wrong(
                other.span(),
                "an interface is of struct, enum, type … = Handle, and the traits Procedures and Events",
            );
        }
    };
    is_public(visibility, name.span())?;
    no_generics(generics, name.span())?;
    let shape = match item {
        Item::Struct(item) => plain(interface, &item.fields, name)?,
        Item::Enum(item) => choice(item)?,
        Item::Type(item) if word(&item.ty).as_deref() == Some("Handle") => Shape::Handle,
        _ => return wrong(name.span(), "a type is = Handle"),
    };
    Ok(Declared { name: type_name(name)?, means: documentation(attributes)?, shape })
}
fn choice(item: &syn::ItemEnum) -> Result<Shape, Error> {
    let mut names: Vec<(String, u8)> = Vec::new();
    for variant in &item.variants {
        documentation(&variant.attrs)?;
        let number =
            variant.discriminant.as_ref().and_then(|(_, value)| integer(value)).and_then(|n| u8::try_from(n).ok());
        let (Fields::Unit, Some(number)) = (&variant.fields, number) else {
            return wrong(variant.span(), "a variant has a number of 0 to 255, and no fields");
        };
        if names.iter().any(|(name, other)| *other == number || variant.ident == name) {
            return wrong(variant.span(), format!("{} or its number {number} stands twice", variant.ident));
        }
        names.push((type_name(&variant.ident)?, number));
    }
    if names.is_empty() {
        return wrong(item.ident.span(), "an enumeration has a variant");
    }
    Ok(Shape::Choice(names))
}
/// A number, with a sign or without.
fn integer(value: &Expr) -> Option<i128> {
    match value {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(number) if number.suffix().is_empty() => number.base10_parse().ok(),
            _ => None,
        },
        Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Neg(_)) => integer(&unary.expr)?.checked_neg(),
        _ => None,
    }
}
/// Bytes and alignment of a field's element.
fn measure(interface: &Interface, ty: &Type) -> Result<(Element, usize, usize), Error> {
    let name = word(ty);
    if let Some(integer) = name.as_deref().and_then(integer_type) {
        let bytes = integer.bits as usize / 8;
        return Ok((Element::Integer(integer), bytes, bytes));
    }
    match name.as_deref().and_then(|name| interface.declared(name)) {
        Some(Declared { name, shape: Shape::Plain { bytes, align, .. }, .. }) => {
            Ok((Element::Plain(name.clone()), *bytes, *align))
        }
        _ => wrong(
            ty.span(),
            "a field is of integers of 8 to 64 bits, of structures that are declared before, or arrays of these: every pattern of bits has to be one of its type",
        ),
    }
}
fn plain(interface: &Interface, fields: &Fields, name: &Ident) -> Result<Shape, Error> {
    let Fields::Named(fields) = fields else {
        return wrong(name.span(), "a structure has fields with names");
    };
    let (mut found, mut end, mut most) = (Vec::new(), 0usize, 1);
    for field in &fields.named {
        let Some(name) = &field.ident else { continue };
        is_public(&field.vis, name.span())?;
        if !is_name(&name.to_string()) || found.iter().any(|other: &Field| name == &other.name) {
            return wrong(name.span(), format!("{name} is no name of a field, or stands twice"));
        }
        let (element, count) = match &field.ty {
            Type::Array(array) => (&*array.elem, Some((integer(&array.len), array.len.span()))),
            other => (other, None),
        };
        let count = match count {
            None => None,
            Some((Some(count @ 1..=4096), _)) => usize::try_from(count).ok(),
            Some((_, span)) => return wrong(span, format!("an array has 1 to {MOST_BYTES} elements, as a number")),
        };
        let (of, bytes, align) = measure(interface, element)?;
        let at = end.next_multiple_of(align);
        end = at + bytes * count.unwrap_or(1);
        most = most.max(align);
        if end > MOST_BYTES {
            return wrong(name.span(), format!("a structure has at most {MOST_BYTES} bytes"));
        }
        found.push(Field { name: name.to_string(), means: documentation(&field.attrs)?, at, of, count });
    }
    if found.is_empty() {
        return wrong(name.span(), "a structure has a field");
    }
    Ok(Shape::Plain { fields: found, bytes: end.next_multiple_of(most), align: most })
}

/// A type that is one word.
fn word(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(path) if path.qself.is_none() => path.path.get_ident().map(Ident::to_string),
        _ => None,
    }
}
fn integer_type(name: &str) -> Option<Integer> {
    let signed = name.starts_with('i');
    let bits = name.strip_prefix(['i', 'u'])?;
    ["8", "16", "32", "64"].contains(&bits).then(|| Integer { signed, bits: bits.parse().unwrap_or(64) })
}
fn value(interface: &Interface, ty: &Type) -> Result<Value, Error> {
    let name = word(ty).unwrap_or_default();
    if let Some(integer) = integer_type(&name) {
        return Ok(Value::Integer(integer));
    }
    match (name.as_str(), interface.declared(&name).map(|declared| &declared.shape)) {
        ("bool", _) => Ok(Value::Bool),
        (_, Some(Shape::Choice(_))) => Ok(Value::Choice(name)),
        (_, Some(Shape::Handle)) => Ok(Value::Handle(name)),
        (_, Some(Shape::Plain { .. })) => wrong(ty.span(), format!("{name} is lent, and not passed by value: &{name}")),
        _ => wrong(
            ty.span(),
            "what crosses is an integer of 8 to 64 bits, bool, an enumeration or a handle that is declared before, or & or &mut of [u8] or of a structure",
        ),
    }
}
fn passed(interface: &Interface, ty: &Type) -> Result<Passed, Error> {
    let Type::Reference(reference) = ty else { return value(interface, ty).map(Passed::Value) };
    if reference.lifetime.is_some() {
        return wrong(ty.span(), "what is lent is lent for the call, and has no lifetime of a name");
    }
    let mutable = reference.mutability.is_some();
    if let Type::Slice(slice) = &*reference.elem {
        return match word(&slice.elem).as_deref() {
            Some("u8") => Ok(Passed::Lent { of: Lent::Bytes, mutable }),
            _ => wrong(ty.span(), "slices are of u8"),
        };
    }
    let name = word(&reference.elem).unwrap_or_default();
    match interface.declared(&name).map(|declared| &declared.shape) {
        Some(Shape::Plain { .. }) => Ok(Passed::Lent { of: Lent::Plain(name), mutable }),
        _ => wrong(ty.span(), "what is lent is [u8], or a structure that is declared before"),
    }
}

fn procedures(interface: &Interface, item: &syn::ItemTrait) -> Result<Vec<Procedure>, Error> {
    documentation(&item.attrs)?;
    is_public(&item.vis, item.ident.span())?;
    no_generics(&item.generics, item.ident.span())?;
    if !item.supertraits.is_empty() || item.unsafety.is_some() || item.auto_token.is_some() {
        return wrong(item.ident.span(), "Procedures and Events are plain traits");
    }
    let events = item.ident == "Events";
    let mut found: Vec<Procedure> = Vec::new();
    for item in &item.items {
        let TraitItem::Fn(function) = item else {
            return wrong(item.span(), "functions only");
        };
        let procedure = procedure(interface, function, events)?;
        if found.iter().any(|other| other.name == procedure.name) {
            return wrong(function.sig.ident.span(), format!("{} stands twice", procedure.name));
        }
        found.push(procedure);
    }
    if found.len() > MOST_PROCEDURES {
        return wrong(item.ident.span(), format!("at most {MOST_PROCEDURES} of them"));
    }
    Ok(found)
}
fn procedure(interface: &Interface, function: &syn::TraitItemFn, event: bool) -> Result<Procedure, Error> {
    let signature = &function.sig;
    let (name, span) = (signature.ident.to_string(), signature.ident.span());
    no_generics(&signature.generics, span)?;
    let odd = signature.unsafety.is_some() || signature.asyncness.is_some() || signature.constness.is_some();
    if odd || signature.abi.is_some() || signature.variadic.is_some() || !is_name(&name) {
        return wrong(span, format!("{name} is no plain function with a name of small letters"));
    }
    let mut arguments = Vec::new();
    for input in &signature.inputs {
        let FnArg::Typed(typed) = input else {
            return wrong(input.span(), "nothing is asked of an object: no self");
        };
        if let Some(attribute) = typed.attrs.first() {
            return wrong(attribute.span(), "attributes are not for arguments");
        }
        let argument = match &*typed.pat {
            Pat::Ident(pattern)
                if pattern.by_ref.is_none() && pattern.mutability.is_none() && pattern.subpat.is_none() =>
            {
                pattern.ident.to_string()
            }
            other => return wrong(other.span(), "an argument is a name and a type"),
        };
        if !is_name(&argument) || arguments.iter().any(|(other, _)| *other == argument) {
            return wrong(typed.span(), format!("{argument} is no name of an argument, or stands twice"));
        }
        arguments.push((argument, passed(interface, &typed.ty)?));
    }
    if arguments.iter().map(|(_, passed)| passed.words()).sum::<usize>() > MOST_WORDS {
        return wrong(span, format!("{name} passes more than {MOST_WORDS} words; a slice is two"));
    }
    let result = match &signature.output {
        ReturnType::Default => None,
        ReturnType::Type(_, ty) => Some(value(interface, ty)?),
    };
    let default = default(interface, function, result.as_ref(), event)?;
    Ok(Procedure { name, means: documentation(&function.attrs)?, arguments, result, default })
}
/// What an event's body says.
fn default(
    interface: &Interface,
    function: &syn::TraitItemFn,
    result: Option<&Value>,
    event: bool,
) -> Result<Option<i128>, Error> {
    let span = function.sig.ident.span();
    let body = function.default.as_ref().map(|block| block.stmts.as_slice());
    let value = match (body, result, event) {
        (None, _, false) => return Ok(None),
        (Some(_), _, false) => return wrong(span, "a procedure has no body: its host has that"),
        (None | Some([]), None, true) => return Ok(None),
        (Some([Stmt::Expr(value, None)]), Some(result), true) => (value, result),
        _ => {
            return wrong(
                span,
                "an event with a result says in its body what its raiser gets where nobody handles it; one without a result says nothing",
            );
        }
    };
    let found = match value {
        (value, Value::Integer(kind)) => {
            let least = if kind.signed { -(1i128 << (kind.bits - 1)) } else { 0 };
            integer(value).filter(|n| (least..least + (1i128 << kind.bits)).contains(n))
        }
        (Expr::Lit(literal), Value::Bool) => match &literal.lit {
            Lit::Bool(literal) => Some(i128::from(literal.value)),
            _ => None,
        },
        (Expr::Path(path), Value::Choice(of)) => {
            let words: Vec<String> = path.path.segments.iter().map(|part| part.ident.to_string()).collect();
            let names = match interface.declared(of).map(|declared| &declared.shape) {
                Some(Shape::Choice(names)) => names.as_slice(),
                _ => &[],
            };
            let [krate, variant] = words.as_slice() else { return wrong(span, "a default is Type::Variant") };
            names.iter().find(|(name, _)| krate == of && name == variant).map(|&(_, number)| i128::from(number))
        }
        // The handle of nothing.
        (value, Value::Handle(_)) => integer(value).filter(|&n| n == 0),
        _ => None,
    };
    match found {
        Some(number) => Ok(Some(number)),
        None => wrong(
            span,
            "what its body says is no value of its result: a number, true or false, Type::Variant, or 0 for a handle",
        ),
    }
}
