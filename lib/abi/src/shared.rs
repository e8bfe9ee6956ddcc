//! What C programs have too: structures and numbers are declared once, here, with what is to be known of them to write the declarations in C
//! (`./pebble manual`).

/// A field of a structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    pub name: &'static str,
    /// What is written of it here.
    pub means: &'static str,
    /// Its type, as it is written here.
    pub kind: &'static str,
    pub offset: usize,
    pub bytes: usize,
}
/// A structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// What C calls it.
    pub name: &'static str,
    /// What is written of it here.
    pub means: &'static str,
    pub bytes: usize,
    pub align: usize,
    pub fields: &'static [Field],
}
/// Numbers of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// What their names begin with in C.
    pub prefix: &'static str,
    pub means: &'static str,
    /// The name of each, the number, and what is written of it here.
    pub numbers: &'static [(&'static str, u64, &'static str)],
}

/// Addresses that C programs have pointers for: of strings, and of anything.
pub type Strings = u64;
pub type Place = u64;

/// Declares structures that C programs have too: `pub struct Rust as c { … }`, with all that is said of a structure otherwise.
macro_rules! shared {
    ($(
        $(#[doc = $means:literal])+
        #[repr($($repr:tt)+)]
        $(#[$meta:meta])*
        pub struct $name:ident as $c:ident { $($(#[doc = $doc:literal])* pub $field:ident: $kind:ty,)+ }
    )+) => { $(
        $(#[doc = $means])+
        #[repr($($repr)+)]
        $(#[$meta])*
        pub struct $name { $($(#[doc = $doc])* pub $field: $kind,)+ }
        impl $name {
            /// How it lies in memory.
            pub const LAYOUT: $crate::shared::Layout = $crate::shared::Layout {
                name: stringify!($c),
                means: concat!($($means),+),
                bytes: size_of::<$name>(),
                align: align_of::<$name>(),
                fields: &[$($crate::shared::Field {
                    name: stringify!($field),
                    means: concat!("", $($doc),*),
                    kind: stringify!($kind),
                    offset: core::mem::offset_of!($name, $field),
                    bytes: size_of::<$kind>(),
                }),+],
            };
        }
    )+ };
}
/// Declares numbers that C programs have too: `pub mod kind as KIND { pub const FILE: u64 = 1; … }`.
macro_rules! numbers {
    ($(#[doc = $means:literal])+ pub mod $name:ident as $prefix:ident {
        $($(#[doc = $doc:literal])* pub const $number:ident: $type:ty = $value:expr;)+
    }) => {
        $(#[doc = $means])+
        pub mod $name {
            $($(#[doc = $doc])* pub const $number: $type = $value;)+
            /// All of them, for who writes them down.
            pub const NUMBERS: $crate::shared::Numbers = $crate::shared::Numbers {
                prefix: stringify!($prefix),
                means: concat!($($means),+),
                numbers: &[$((stringify!($number), $number as u64, concat!("", $($doc),*))),+],
            };
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layout_says_where_each_field_is() {
        let ended = crate::system::Ended::LAYOUT;
        assert_eq!((ended.name, ended.bytes, ended.align), ("ended", 64, 64));
        assert_eq!(
            ended.fields[2],
            Field {
                name: "status",
                means: " The exit status; for a fault, minus the cause.",
                kind: "i64",
                offset: 16,
                bytes: 8
            }
        );
    }
}
