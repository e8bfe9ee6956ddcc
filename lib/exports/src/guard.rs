//! Guards as they are written: conditions of an event's arguments, in the language's own words, joined by `&&`.
//!
//! `header.port == 23 && bytes.len() >= 14 && bytes[12..14] == 0x0800 && bytes[46] & 0x0F != 5 && !last`: arguments by the names that the interface gives them, their fields, bytes of slices by one place or
//! a range of 1, 2, 4 or 8, the first of which is the highest; at most one mask; a number, `true`, or a name of the enumeration.

use crate::{Declared, Element, Field, Integer, Interface, Lent, Passed, Procedure, Shape, Value};
use extension::{Compare, Condition, MOST_CONDITIONS, Part};
use syn::spanned::Spanned;
use syn::{BinOp, Expr, ExprLit, Lit, Member, UnOp};

type Result<T> = std::result::Result<T, String>;

/// What is looked at of an argument, and what its values are.
struct Place {
    argument: u8,
    part: Part,
    offset: u32,
    of: Value,
}
/// Most bytes of a guard's text, and most of what may be within each other in it.
const MOST_BYTES: usize = 2048;
const MOST_SIGNS: usize = 128;
const WORD: Value = Value::Integer(Integer { signed: false, bits: 64 });

impl Interface {
    /// The conditions that a guard of its event number `event` has. An error says what of it can not be.
    pub fn guard(&self, event: usize, text: &str) -> Result<Vec<Condition>> {
        // Who reads it goes as deep as it does.
        let deepens = |letter: &char| "([{<!-*&|".contains(*letter);
        if text.len() > MOST_BYTES || text.chars().filter(deepens).count() > MOST_SIGNS {
            return Err(format!("a guard has at most {MOST_BYTES} bytes, and {MOST_SIGNS} parentheses and signs"));
        }
        if text.contains('#') {
            return Err("a guard has no attributes".into());
        }
        let wrong = |why: syn::Error| format!("{why}, in \"{text}\"");
        let expression: Expr = syn::parse_str(text).map_err(wrong)?;
        let mut conditions = Vec::new();
        self.conditions(&self.events[event], &expression, &mut conditions)?;
        if conditions.len() > MOST_CONDITIONS {
            return Err(format!("a guard has at most {MOST_CONDITIONS} conditions, this one {}", conditions.len()));
        }
        Ok(conditions)
    }
    fn conditions(&self, event: &Procedure, expression: &Expr, to: &mut Vec<Condition>) -> Result<()> {
        match expression {
            Expr::Paren(inner) => self.conditions(event, &inner.expr, to),
            Expr::Binary(both) if matches!(both.op, BinOp::And(_)) => {
                self.conditions(event, &both.left, to)?;
                self.conditions(event, &both.right, to)
            }
            Expr::Binary(both) => {
                let compare = compare(&both.op).map_err(|why| in_text(&why, expression))?;
                let condition = self.condition(event, &both.left, compare, Constant::Of(&both.right));
                to.push(condition.map_err(|why| in_text(&why, expression))?);
                Ok(())
            }
            Expr::Unary(not) if matches!(not.op, UnOp::Not(_)) => {
                let condition = self.condition(event, &not.expr, Compare::Equal, Constant::Bool(false));
                to.push(condition.map_err(|why| in_text(&why, expression))?);
                Ok(())
            }
            flag => {
                let condition = self.condition(event, flag, Compare::Equal, Constant::Bool(true));
                to.push(condition.map_err(|why| in_text(&why, expression))?);
                Ok(())
            }
        }
    }
    fn condition(&self, event: &Procedure, left: &Expr, compare: Compare, constant: Constant) -> Result<Condition> {
        let (left, mask) = match bare(left) {
            Expr::Binary(both) if matches!(both.op, BinOp::BitAnd(_)) => (bare(&both.left), Some(number(&both.right)?)),
            left => (left, None),
        };
        let Place { argument, part, offset, of } = self.place(event, left)?;
        let integer = integer(&of);
        let (width, signed) = ((integer.bits / 8) as u8, integer.signed);
        let bits = Condition::bits(width);
        let mask = match mask {
            Some(_) if signed || !matches!(of, Value::Integer(_)) => {
                return Err("a mask is for numbers without a sign".into());
            }
            Some(mask) => u64::try_from(mask).ok().filter(|mask| mask & !bits == 0).ok_or("the mask has more bits")?,
            None => bits,
        };
        if !matches!(of, Value::Integer(_)) && !matches!(compare, Compare::Equal | Compare::Differs) {
            return Err(format!("{of} has no order: it is equal, or it differs"));
        }
        let constant = self.constant(&of, constant)?;
        if !signed && constant & !mask != 0 && matches!(compare, Compare::Equal | Compare::Differs) {
            return Err(format!("{constant:#x} has bits that the mask has not: it is never equal"));
        }
        Ok(Condition { argument, part, width, signed, compare, offset, mask, constant })
    }
    /// What is compared to, as bits of what is compared.
    fn constant(&self, of: &Value, constant: Constant) -> Result<u64> {
        let expression = match constant {
            Constant::Of(expression) => bare(expression),
            Constant::Bool(value) if *of == Value::Bool => return Ok(value.into()),
            Constant::Bool(_) => return Err(format!("{of} is compared to something: ==, !=, <, <=, >, >=")),
        };
        match of {
            Value::Integer(integer) => {
                let number = number(expression)?;
                let (least, most) = range(*integer);
                if !(least..=most).contains(&number) {
                    return Err(format!("{number} is no {integer}"));
                }
                Ok(number as u64)
            }
            Value::Bool => match expression {
                Expr::Lit(ExprLit { lit: Lit::Bool(value), .. }) => Ok(value.value.into()),
                _ => Err("it is true, or false".into()),
            },
            Value::Choice(name) => {
                let names = self.choices(name);
                let path = if let Expr::Path(path) = expression { variant(path, name) } else { None };
                let found = path.and_then(|path| names.iter().find(|(variant, _)| path == variant));
                let all: Vec<&str> = names.iter().map(|(name, _)| &name[..]).collect();
                found.map(|(_, n)| (*n).into()).ok_or_else(|| format!("{name} is one of {}", all.join(", ")))
            }
            Value::Handle(name) => Err(format!("{name} is a handle, which only the host understands")),
        }
    }
    fn choices(&self, name: &str) -> &[(String, u8)] {
        match self.declared(name) {
            Some(Declared { shape: Shape::Choice(names), .. }) => names,
            _ => &[],
        }
    }
    pub(crate) fn fields(&self, name: &str) -> &[Field] {
        match self.declared(name) {
            Some(Declared { shape: Shape::Plain { fields, .. }, .. }) => fields,
            _ => &[],
        }
    }
    /// What an expression leads to.
    fn place(&self, event: &Procedure, expression: &Expr) -> Result<Place> {
        match expression {
            Expr::Path(path) => {
                let (argument, passed) = argument(event, path)?;
                let Passed::Value(of) = passed else {
                    return Err(format!(
                        "\"{}\" is lent: a field of it, bytes or its length can be looked at",
                        named(path)
                    ));
                };
                Ok(Place { argument, part: Part::Value, offset: 0, of: of.clone() })
            }
            Expr::MethodCall(call) if call.method == "len" && call.args.is_empty() && call.turbofish.is_none() => {
                let (argument, _) = bytes(event, &call.receiver)?;
                Ok(Place { argument, part: Part::Length, offset: 0, of: WORD })
            }
            Expr::Index(index) if bytes(event, &index.expr).is_ok() => {
                let (argument, _) = bytes(event, &index.expr)?;
                let (first, count) = match bare(&index.index) {
                    Expr::Range(range) => {
                        let (Some(start), Some(end), syn::RangeLimits::HalfOpen(_)) =
                            (&range.start, &range.end, &range.limits)
                        else {
                            return Err("bytes are said as [FIRST..END]".into());
                        };
                        let (start, end) = (number(start)?, number(end)?);
                        (start, end - start)
                    }
                    one => (number(one)?, 1),
                };
                let bits = if [1, 2, 4, 8].contains(&count) { 8 * count as u32 } else { 0 };
                let offset = u32::try_from(first).ok().filter(|first| *first < u32::MAX - 8);
                let (Some(offset), 1..) = (offset, bits) else {
                    return Err(format!("1, 2, 4 or 8 bytes can be looked at, not {count} from {first} on"));
                };
                Ok(Place { argument, part: Part::Bytes, offset, of: Value::Integer(Integer { signed: false, bits }) })
            }
            Expr::Field(_) | Expr::Index(_) => {
                let (argument, at, element, count) = self.field(event, expression)?;
                match element {
                    Element::Integer(integer) if count.is_none() => {
                        Ok(Place { argument, part: Part::Field, offset: at, of: Value::Integer(integer) })
                    }
                    _ => Err("only a number of it can be compared: an element, a field".into()),
                }
            }
            _ => Err("what is compared is an argument, a field, bytes or a length, left of the comparison".into()),
        }
    }
    /// A field: its argument, where it is, what it is of and how many there are.
    fn field(&self, event: &Procedure, expression: &Expr) -> Result<(u8, u32, Element, Option<usize>)> {
        match bare(expression) {
            Expr::Path(path) => match argument(event, path)? {
                (argument, Passed::Lent { of: Lent::Plain(name), .. }) => {
                    Ok((argument, 0, Element::Plain(name.clone()), None))
                }
                _ => Err(format!("\"{}\" has no fields", named(path))),
            },
            Expr::Field(field) => {
                let (argument, at, element, count) = self.field(event, &field.base)?;
                let Member::Named(name) = &field.member else { return Err("a field has a name".into()) };
                let (Element::Plain(of), None) = (&element, count) else {
                    return Err(format!("there is no field \"{name}\""));
                };
                let found = self.fields(of).iter().find(|field| *name == field.name);
                let found = found.ok_or_else(|| format!("{of} has no field \"{name}\""))?;
                Ok((argument, at + found.at as u32, found.of.clone(), found.count))
            }
            Expr::Index(index) => {
                let (argument, at, element, count) = self.field(event, &index.expr)?;
                let n = number(&index.index)?;
                let count = count.ok_or("what is no array has no elements")?;
                let n =
                    usize::try_from(n).ok().filter(|n| *n < count).ok_or(format!("{n} is none of {count} elements"))?;
                Ok((argument, at + (n * self.bytes_of(&element)) as u32, element, None))
            }
            _ => Err("an argument, and its fields".into()),
        }
    }
    pub(crate) fn bytes_of(&self, element: &Element) -> usize {
        match element {
            Element::Integer(integer) => integer.bits as usize / 8,
            Element::Plain(name) => match self.declared(name) {
                Some(Declared { shape: Shape::Plain { bytes, .. }, .. }) => *bytes,
                _ => 0,
            },
        }
    }

    /// A condition of a guard as it is written; where it can be none of the event's, its numbers.
    pub fn condition_text(&self, event: usize, condition: &Condition) -> String {
        let named = self.events[event].arguments.get(condition.argument as usize);
        let place = named.and_then(|(name, passed)| self.place_text(name, passed, condition));
        let Some((place, of)) = place else { return format!("{condition:?}") };
        let mask = if condition.mask == Condition::bits(condition.width) {
            String::new()
        } else {
            format!(" & {:#x}", condition.mask)
        };
        let constant = match &of {
            Value::Bool => (condition.constant != 0).to_string(),
            Value::Choice(name) => {
                let found = self.choices(name).iter().find(|(_, n)| u64::from(*n) == condition.constant);
                found.map_or(condition.constant.to_string(), |(variant, _)| format!("{name}::{variant}"))
            }
            _ if condition.signed => (condition.constant as i64).to_string(),
            _ if condition.part == Part::Bytes && condition.width > 1 => format!("{:#x}", condition.constant),
            _ => condition.constant.to_string(),
        };
        format!("{place}{mask} {} {constant}", condition.compare.sign())
    }
    /// What a condition looks at, and of which type that is.
    fn place_text(&self, name: &str, passed: &Passed, condition: &Condition) -> Option<(String, Value)> {
        let (offset, width) = (condition.offset as usize, condition.width as usize);
        let unsigned = Value::Integer(Integer { signed: false, bits: 8 * u32::from(condition.width) });
        match (condition.part, passed) {
            (Part::Value, Passed::Value(value)) => Some((name.into(), value.clone())),
            (Part::Length, Passed::Lent { of: Lent::Bytes, .. }) => Some((format!("{name}.len()"), WORD)),
            (Part::Bytes, Passed::Lent { of: Lent::Bytes, .. }) if width == 1 => {
                Some((format!("{name}[{offset}]"), unsigned))
            }
            (Part::Bytes, Passed::Lent { of: Lent::Bytes, .. }) => {
                Some((format!("{name}[{offset}..{}]", offset + width), unsigned))
            }
            (Part::Field, Passed::Lent { of: Lent::Plain(of), .. }) => {
                let (path, integer) = self.field_text(of, offset)?;
                (integer.bits as usize == 8 * width).then(|| (format!("{name}{path}"), Value::Integer(integer)))
            }
            _ => None,
        }
    }
    /// The number of a structure that begins there.
    fn field_text(&self, of: &str, offset: usize) -> Option<(String, Integer)> {
        let bytes = |field: &Field| self.bytes_of(&field.of);
        let holds = |field: &&Field| (field.at..field.at + field.count.unwrap_or(1) * bytes(field)).contains(&offset);
        let field = self.fields(of).iter().find(holds)?;
        let (n, within) = ((offset - field.at) / bytes(field), (offset - field.at) % bytes(field));
        let index = field.count.map_or(String::new(), |_| format!("[{n}]"));
        let path = format!(".{}{index}", field.name);
        match &field.of {
            Element::Integer(integer) => (within == 0).then_some((path, *integer)),
            Element::Plain(name) => self.field_text(name, within).map(|(rest, integer)| (path + &rest, integer)),
        }
    }
}

/// What is wrong, and with which part of the guard.
fn in_text(why: &str, expression: &Expr) -> String {
    format!("{why}, in \"{}\"", expression.span().source_text().unwrap_or_default())
}
/// What something is compared to.
enum Constant<'e> {
    Of(&'e Expr),
    Bool(bool),
}
fn compare(op: &BinOp) -> Result<Compare> {
    Ok(match op {
        BinOp::Eq(_) => Compare::Equal,
        BinOp::Ne(_) => Compare::Differs,
        BinOp::Lt(_) => Compare::Below,
        BinOp::Le(_) => Compare::AtMost,
        BinOp::Gt(_) => Compare::Above,
        BinOp::Ge(_) => Compare::AtLeast,
        BinOp::Or(_) => return Err("all conditions of a guard hold: there is no ||".into()),
        _ => return Err("a condition compares: ==, !=, <, <=, >, >=".into()),
    })
}
/// An expression without parentheses around it.
fn bare(expression: &Expr) -> &Expr {
    match expression {
        Expr::Paren(inner) => bare(&inner.expr),
        Expr::Group(inner) => bare(&inner.expr),
        other => other,
    }
}
fn named(path: &syn::ExprPath) -> String {
    path.path.get_ident().map_or(String::new(), ToString::to_string)
}
/// What a path names of an enumeration: `Name` or `Enumeration::Name`.
fn variant<'p>(path: &'p syn::ExprPath, of: &str) -> Option<&'p syn::Ident> {
    let segments = &path.path.segments;
    let is_plain = path.qself.is_none() && segments.iter().all(|segment| segment.arguments.is_none());
    let is_own = segments.len() == 1 || (segments.len() == 2 && segments[0].ident == *of);
    segments.last().map(|last| &last.ident).filter(|_| is_plain && is_own)
}
fn argument<'e>(event: &'e Procedure, path: &syn::ExprPath) -> Result<(u8, &'e Passed)> {
    let name = named(path);
    let at = event.arguments.iter().position(|(argument, _)| *argument == name);
    let at = at.ok_or_else(|| format!("\"{name}\" is no argument of {event}"))?;
    Ok((at as u8, &event.arguments[at].1))
}
/// The argument that is a slice.
fn bytes<'e>(event: &'e Procedure, expression: &Expr) -> Result<(u8, &'e Passed)> {
    let Expr::Path(path) = bare(expression) else { return Err("an argument that is a slice of bytes".into()) };
    let (at, passed) = argument(event, path)?;
    match passed {
        Passed::Lent { of: Lent::Bytes, .. } => Ok((at, passed)),
        _ => Err(format!("\"{}\" is no slice of bytes", named(path))),
    }
}
fn number(expression: &Expr) -> Result<i128> {
    match bare(expression) {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) if number.suffix().is_empty() => {
            number.base10_parse::<u64>().map(i128::from).map_err(|why| why.to_string())
        }
        Expr::Lit(ExprLit { lit: Lit::Byte(byte), .. }) => Ok(byte.value().into()),
        Expr::Unary(minus) if matches!(minus.op, UnOp::Neg(_)) => Ok(-number(&minus.expr)?),
        _ => Err("a number is expected, without a suffix: names of constants are not known".into()),
    }
}
fn range(Integer { signed, bits }: Integer) -> (i128, i128) {
    if signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}
/// What a value is as it crosses.
pub(crate) fn integer(value: &Value) -> Integer {
    match value {
        Value::Integer(integer) => *integer,
        Value::Bool | Value::Choice(_) => Integer { signed: false, bits: 8 },
        Value::Handle(_) => Integer { signed: false, bits: 64 },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn packets() -> Interface {
        let text = "pub struct Address { pub bytes: [u8; 4], pub port: u16 }
            pub struct Header { pub port: u16, pub size: i32, pub ends: [Address; 2], pub flow: u64 }
            pub enum Verdict { Pass = 0, Drop = 7 }
            pub type Connection = Handle;
            pub trait Procedures {}
            pub trait Events { fn arrived(header: &Header, bytes: &mut [u8], last: bool, said: Verdict, of: Connection, by: i8); }";
        Interface::parse("packets", text).unwrap()
    }
    fn guard(text: &str) -> Result<Vec<Condition>> {
        packets().guard(0, text)
    }
    #[test]
    fn each_condition_is_what_it_says() {
        let text = "header.port == 23 && bytes.len() >= 14 && (bytes[12..14] & 0xFF0F) != 0x0800 && !last && said == Drop && by < -3 && header.ends[1].bytes[2] > b'a'";
        let all = guard(text).unwrap();
        let of = |n: usize| (all[n].argument, all[n].part, all[n].offset, all[n].width, all[n].constant);
        assert_eq!(of(0), (0, Part::Field, 0, 2, 23));
        assert_eq!((of(1), all[1].compare), ((1, Part::Length, 0, 8, 14), Compare::AtLeast));
        assert_eq!((of(2), all[2].mask, all[2].compare), ((1, Part::Bytes, 12, 2, 0x0800), 0xFF0F, Compare::Differs));
        assert_eq!((of(3), of(4)), ((2, Part::Value, 0, 1, 0), (3, Part::Value, 0, 1, 7)));
        assert_eq!((of(5), all[5].signed), ((5, Part::Value, 0, 1, -3i64 as u64), true));
        assert_eq!(of(6), (0, Part::Field, 8 + 6 + 2, 1, b'a'.into()));
        assert_eq!(guard("last").unwrap()[0].constant, 1);
        assert_eq!(guard("said != Verdict::Pass").unwrap()[0].compare, Compare::Differs);
        for condition in &all {
            assert_eq!(Condition::of(&condition.to_bytes()), Some(*condition));
        }
    }
    #[test]
    fn what_can_not_be_is_refused_and_why() {
        for (text, why) in [
            ("", "unexpected end of input"),
            ("port == 23", "is no argument of arrived(header: &Header"),
            ("header.prot == 23", "Header has no field \"prot\""),
            ("header == 23", "\"header\" is lent"),
            ("header.ends == 23", "only a number of it can be compared"),
            ("header.ends[2].port == 23", "2 is none of 2 elements"),
            ("header.port[0] == 23", "what is no array has no elements"),
            ("header.port == 65536", "65536 is no u16"),
            ("header.port == -1", "-1 is no u16"),
            ("header.size & 1 == 1", "a mask is for numbers without a sign"),
            ("header.port & 0x10000 == 0", "the mask has more bits"),
            ("header.port & 0xF0 == 1", "0x1 has bits that the mask has not"),
            ("header.port", "is compared to something"),
            ("header.port == header.port", "a number is expected"),
            (
                "header.port == 23u16 && last",
                "without a suffix: names of constants are not known, in \"header.port == 23u16\"",
            ),
            ("23 == header.port", "left of the comparison, in \"23 == header.port\""),
            ("bytes[0..3] == 1", "1, 2, 4 or 8 bytes can be looked at, not 3 from 0 on"),
            ("bytes[4..2] == 1", "not -2 from 4 on"),
            ("bytes[0..=1] == 1", "bytes are said as [FIRST..END]"),
            ("bytes[5000000000] == 1", "1, 2, 4 or 8 bytes"),
            ("bytes == 1", "\"bytes\" is lent"),
            ("header.len() == 1", "is no slice of bytes"),
            ("said == Keep", "Verdict is one of Pass, Drop"),
            ("said == Other::Drop", "Verdict is one of Pass, Drop"),
            ("said == a::Verdict::Drop", "Verdict is one of Pass, Drop"),
            ("#[cfg(no)] last", "no attributes"),
            ("bytes.len::<u8>() == 1", "what is compared is an argument"),
            ("said < Drop", "Verdict has no order"),
            ("last == 1", "it is true, or false"),
            ("of == 1", "is a handle"),
            ("last || !last", "there is no ||"),
            ("by + 1 == 2", "what is compared is an argument"),
            ("by = 2", "what is compared is an argument"),
            ("by == 1000000000000000000000", "number too large"),
        ] {
            let said = guard(text).unwrap_err();
            assert!(said.contains(why), "{text}: {said}");
        }
        let many = vec!["last"; MOST_CONDITIONS + 1].join(" && ");
        assert_eq!(guard(&many).unwrap_err(), "a guard has at most 16 conditions, this one 17");
        assert!(guard(&many["last && ".len()..]).is_ok());
        for deep in ["(", "!", "-", "last && ", "a[", "&", "b."] {
            assert!(guard(&deep.repeat(100_000)).unwrap_err().contains("a guard has at most 2048 bytes"), "{deep}");
            assert!(guard(&deep.repeat(128)).is_err(), "{deep}");
        }
    }
    proptest! {
        #![proptest_config(properties::config(256))]
        /// What is read is written so that it is read the same.
        #[test]
        fn a_condition_is_read_as_it_is_written(
            place in prop::sample::select(vec!["header.port", "header.size", "header.ends[1].port", "header.ends[0].bytes[3]", "header.flow", "by", "bytes[7]", "bytes[5..13]", "bytes.len()"]),
            sign in prop::sample::select(Compare::ALL.to_vec()),
            constant in 0..128u8,
        ) {
            let text = format!("{place} {} {constant}", sign.sign());
            let conditions = guard(&text).unwrap();
            let again = packets().condition_text(0, &conditions[0]);
            prop_assert_eq!(guard(&again).unwrap(), conditions);
        }
    }
}
