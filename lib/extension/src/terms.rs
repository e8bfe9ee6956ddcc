//! On what terms an extension handles an event: a *guard*, conditions of the event's arguments all of which hold when it is called, and its place among others that handle it.
//!
//! A guard is data: who dispatches the event makes of all guards what finds the handlers that are to be called, and none of the extensions' code runs for that.

use crate::is_name;
use core::fmt;

/// Bytes of a condition in a file, and where a host is told of it.
pub const CONDITION: usize = 24;
/// Most conditions of one guard.
pub const MOST_CONDITIONS: usize = 16;

/// What of an argument is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Part {
    /// The argument itself.
    Value,
    /// A field of the structure that is lent.
    Field,
    /// Bytes of the slice that is lent, the first of them the highest, as networks have them. Where the slice has not so many, no condition of these holds.
    Bytes,
    /// How many bytes the slice has.
    Length,
}
/// How that is compared to the constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Compare {
    Equal,
    Differs,
    Below,
    AtMost,
    Above,
    AtLeast,
}
impl Compare {
    pub const ALL: [Compare; 6] =
        [Compare::Equal, Compare::Differs, Compare::Below, Compare::AtMost, Compare::Above, Compare::AtLeast];
    /// As it is written.
    pub fn sign(self) -> &'static str {
        match self {
            Compare::Equal => "==",
            Compare::Differs => "!=",
            Compare::Below => "<",
            Compare::AtMost => "<=",
            Compare::Above => ">",
            Compare::AtLeast => ">=",
        }
    }
    /// Whether it holds of what was [`seen`] and a constant, both with a sign, or both without.
    pub fn holds(self, seen: u64, constant: u64, signed: bool) -> bool {
        let order = if signed { (seen as i64).cmp(&(constant as i64)) } else { seen.cmp(&constant) };
        match self {
            Compare::Equal => order.is_eq(),
            Compare::Differs => order.is_ne(),
            Compare::Below => order.is_lt(),
            Compare::AtMost => order.is_le(),
            Compare::Above => order.is_gt(),
            Compare::AtLeast => order.is_ge(),
        }
    }
}
/// A condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The argument's place.
    pub argument: u8,
    pub part: Part,
    /// Bytes of what is looked at: 1, 2, 4 or 8.
    pub width: u8,
    /// Whether it has a sign: no bytes of a slice have one.
    pub signed: bool,
    pub compare: Compare,
    /// Where it begins in the structure, or in the bytes.
    pub offset: u32,
    /// Bits of it that count: the others are 0 for who compares. With a sign, all do.
    pub mask: u64,
    /// With a sign, that goes on in all bits.
    pub constant: u64,
}
const SIGNED: u8 = 0x80;
/// What is compared, of the bits that are there: with a sign in all bits, where it has one, else what of it counts.
pub fn seen(raw: u64, width: u8, signed: bool, mask: u64) -> u64 {
    let unused = 64 - 8 * u32::from(width);
    if signed { ((raw << unused) as i64 >> unused) as u64 } else { raw & mask }
}
impl Condition {
    /// One without a sign of which all bits count.
    pub const fn new(argument: u8, part: Part, offset: u32, width: u8, compare: Compare, constant: u64) -> Condition {
        Condition { argument, part, width, signed: false, compare, offset, mask: Condition::bits(width), constant }
    }
    /// Bits of what is so many bytes wide.
    pub const fn bits(width: u8) -> u64 {
        if width >= 8 { u64::MAX } else { (1 << (8 * width)) - 1 }
    }
    /// Reads one. `None`: a number of it means nothing, or its mask or constant has bits that what is compared has not.
    pub fn of(bytes: &[u8; CONDITION]) -> Option<Condition> {
        let [argument, part, width, compare, rest @ ..] = *bytes;
        let part = *[Part::Value, Part::Field, Part::Bytes, Part::Length].get(part as usize)?;
        let signed = compare & SIGNED != 0;
        let compare = *Compare::ALL.get((compare & !SIGNED) as usize)?;
        let (offset, words) = rest.split_first_chunk()?;
        let (mask, constant) = words.split_first_chunk()?;
        let (mask, constant) = (u64::from_le_bytes(*mask), u64::from_le_bytes(constant.try_into().ok()?));
        let condition =
            Condition { argument, part, width, signed, compare, offset: u32::from_le_bytes(*offset), mask, constant };
        condition.is_sound().then_some(condition)
    }
    fn is_sound(&self) -> bool {
        if !matches!(self.width, 1 | 2 | 4 | 8) {
            return false;
        }
        let bits = Condition::bits(self.width);
        let fits = if self.signed {
            self.mask == bits && self.seen(self.constant) == self.constant
        } else {
            self.mask & !bits == 0 && self.constant & !bits == 0
        };
        let is_whole = matches!(self.part, Part::Field | Part::Bytes) || self.offset == 0;
        let may_have_sign = matches!(self.part, Part::Value | Part::Field);
        fits && is_whole && (may_have_sign || !self.signed) && (self.part != Part::Length || self.width == 8)
    }
    pub fn to_bytes(&self) -> [u8; CONDITION] {
        let compare = self.compare as u8 | if self.signed { SIGNED } else { 0 };
        let mut bytes = [0; CONDITION];
        bytes[..4].copy_from_slice(&[self.argument, self.part as u8, self.width, compare]);
        bytes[4..8].copy_from_slice(&self.offset.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.mask.to_le_bytes());
        bytes[16..].copy_from_slice(&self.constant.to_le_bytes());
        bytes
    }
    /// What is compared, of the bits that are there.
    pub fn seen(&self, raw: u64) -> u64 {
        seen(raw, self.width, self.signed, self.mask)
    }
    /// Whether it holds of these bits.
    pub fn holds(&self, raw: u64) -> bool {
        self.compare.holds(self.seen(raw), self.constant, self.signed)
    }
}

/// Where a handler is among those of its event. `N` is a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order<N> {
    /// Behind all that are there, but those that are to be last.
    #[default]
    Usual,
    /// Before all that are there.
    First,
    /// Behind all, also those that come later, unless they are to be last as well.
    Last,
    /// Before the handlers of extensions with that name, whichever is linked in first; as usual where there is none.
    Before(N),
    /// Behind these.
    After(N),
}
impl<N> Order<N> {
    pub fn number(&self) -> u32 {
        match self {
            Order::Usual => 0,
            Order::First => 1,
            Order::Last => 2,
            Order::Before(_) => 3,
            Order::After(_) => 4,
        }
    }
    /// Whose handler it is before or behind.
    pub fn other(self) -> Option<N> {
        match self {
            Order::Before(name) | Order::After(name) => Some(name),
            _ => None,
        }
    }
    /// The same, where names are something else.
    pub fn map<M>(self, name: impl FnOnce(N) -> M) -> Order<M> {
        match self {
            Order::Usual => Order::Usual,
            Order::First => Order::First,
            Order::Last => Order::Last,
            Order::Before(other) => Order::Before(name(other)),
            Order::After(other) => Order::After(name(other)),
        }
    }
    /// The same with a name that is only lent.
    pub fn as_ref(&self) -> Order<&N> {
        match self {
            Order::Usual => Order::Usual,
            Order::First => Order::First,
            Order::Last => Order::Last,
            Order::Before(name) => Order::Before(name),
            Order::After(name) => Order::After(name),
        }
    }
    /// By its number and name: `None`: there is no such, or one has a name that it needs not, or has not one that it needs.
    pub fn of(number: u32, name: Option<N>) -> Option<Order<N>> {
        match (number, name) {
            (0, None) => Some(Order::Usual),
            (1, None) => Some(Order::First),
            (2, None) => Some(Order::Last),
            (3, Some(name)) => Some(Order::Before(name)),
            (4, Some(name)) => Some(Order::After(name)),
            _ => None,
        }
    }
}
/// As it is written; the usual one is not.
impl<N: fmt::Display> fmt::Display for Order<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Order::Usual => Ok(()),
            Order::First => f.write_str("first"),
            Order::Last => f.write_str("last"),
            Order::Before(name) => write!(f, "before {name}"),
            Order::After(name) => write!(f, "after {name}"),
        }
    }
}
impl<'a> Order<&'a str> {
    /// What is written so; `None`: no order is.
    pub fn parse(text: &'a str) -> Option<Order<&'a str>> {
        match text.split_once(' ') {
            None if text == "first" => Some(Order::First),
            None if text == "last" => Some(Order::Last),
            Some(("before", name)) if is_name(name) => Some(Order::Before(name)),
            Some(("after", name)) if is_name(name) => Some(Order::After(name)),
            _ => None,
        }
    }
}
