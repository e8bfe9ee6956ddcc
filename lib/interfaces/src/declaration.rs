//! The form in which interfaces are written, and what is made of it.

use crate::types::Argument;

/// Whether each letter of a specification passes what its argument is.
pub const fn fit(specification: &str, arguments: &[Argument], inserted: usize) -> bool {
    let letters = specification.as_bytes();
    if letters.len() != 2 + arguments.len() {
        return false;
    }
    let mut n = 0;
    while n < arguments.len() {
        let letter = letters[2 + n];
        let is_inserted = matches!(letter, b'c' | b'=' | b't' | b'a' | b'h' | b'd');
        if is_inserted != (n < inserted) || !arguments[n].kind.fits(letter) {
            return false;
        }
        n += 1;
    }
    true
}

/// Declares the interface of a server, see the crate's first page. The first text is the title in the manual.
macro_rules! interface {
    ($title:literal; $(
        $(#[doc = $means:literal])+
        $portal:literal, $specification:literal:
            fn $name:ident $([$($given:ident: $given_type:ty),+])? ($($argument:ident: $type:ty),*) -> $result:ty;
    )+) => {
        #[cfg(target_os = "none")]
        use $crate::types::Result;
        /// The interface, as it is printed and compared.
        pub const INTERFACE: $crate::Interface = $crate::Interface { title: $title, portals: &[$($crate::Portal {
            name: $portal,
            specification: $specification,
            inserted: 0 $(+ [$(stringify!($given)),+].len())?,
            arguments: &[
                $($($crate::Argument { name: stringify!($given), kind: <$given_type as $crate::types::Word>::KIND },)+)?
                $($crate::Argument { name: stringify!($argument), kind: <$type as $crate::types::Word>::KIND }),*
            ],
            result: stringify!($result),
            means: concat!($($means),+),
        }),+] };
        const _: () = {
            let mut n = 0;
            while n < COUNT {
                let portal = &INTERFACE.portals[n];
                abi::specification::assert(portal.specification);
                let fit = $crate::declaration::fit(portal.specification, portal.arguments, portal.inserted);
                assert!(fit, "a letter passes something else than its argument");
                n += 1;
            }
        };
        /// How many portals there are.
        pub const COUNT: usize = [$($portal),+].len();
        /// The entry points of what provides them.
        pub struct Server {
            $($(#[doc = $means])+ pub $name: extern "C" fn($($($given_type,)+)? $($type),*) -> isize),+
        }
        /// What such a server declares.
        pub const fn provides(server: Server) -> [abi::section::Provided; COUNT] {
            [$(abi::section::Provided {
                name: abi::section::padded($portal),
                spec: abi::section::padded($specification),
                entry: server.$name as *const (),
                constant: 0,
            }),+]
        }
        $(
            $(#[doc = $means])+
            #[cfg(target_os = "none")]
            #[inline(always)]
            pub fn $name($($argument: $type),*) -> $result {
                #[unsafe(link_section = concat!(".pebble.imports.", $portal))]
                static PORTAL: abi::section::Imported = abi::section::Imported::new($portal);
                let result = arch::component::call(PORTAL.number(), [$($crate::types::Word::word($argument)),*]);
                abi::error::check(result).map($crate::types::Answer::of)
            }
        )+
    };
}
