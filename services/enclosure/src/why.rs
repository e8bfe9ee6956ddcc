//! Why a fault domain was not made: said without memory, for want of which it may be.

use crate::image::Malformed;
use abi::Error;
use alloc::string::{String, ToString};
use core::fmt;
use verifier::Rejection;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Why {
    /// `EINVAL`: the program is wrong.
    pub error: Error,
    /// Of what, or what is wrong; nothing, where the error says it all.
    what: &'static str,
    rejection: Option<Rejection>,
}
impl Why {
    /// There was this error at something.
    pub const fn at(what: &'static str, error: Error) -> Why {
        Why { error, what, rejection: None }
    }
    /// Something is wrong with the program.
    pub const fn wrong(what: &'static str) -> Why {
        Why::at(what, Error::EINVAL)
    }
}
impl From<Error> for Why {
    fn from(error: Error) -> Why {
        Why::at("", error)
    }
}
impl From<Malformed> for Why {
    fn from(malformed: Malformed) -> Why {
        match malformed {
            Malformed::Memory => Error::ENOMEM.into(),
            _ => Why::wrong(malformed.text()),
        }
    }
}
impl From<Rejection> for Why {
    fn from(rejection: Rejection) -> Why {
        Why { rejection: Some(rejection), ..Error::EINVAL.into() }
    }
}
impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Why { rejection: Some(rejection), .. } => write!(f, "{rejection}"),
            Why { error: Error::EINVAL, what, .. } if !what.is_empty() => f.write_str(what),
            Why { error, what: "", .. } => f.write_str(error.text()),
            Why { error, what, .. } => write!(f, "{what}: {}", error.text()),
        }
    }
}
/// For who has memory.
impl From<Why> for String {
    fn from(why: Why) -> String {
        why.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use verifier::Rule;

    #[test]
    fn each_is_said() {
        let rejection = Rejection { address: 0x40, rule: Rule::Place };
        let all: [(Why, &str); 4] = [
            (Malformed::Code.into(), Malformed::Code.text()),
            (Malformed::Memory.into(), Error::ENOMEM.text()),
            (Why::at("its stack", Error::ENOMEM), "its stack: out of memory"),
            (rejection.into(), "0x40: "),
        ];
        for (why, text) in all {
            assert!(String::from(why).starts_with(text), "{why}");
        }
    }
}
