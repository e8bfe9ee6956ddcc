//! The form in which interfaces are written, and what is made of it.

use crate::types::Argument;
use abi::section::Provided;

/// Most words that a handler of exceptions gets: cause, value, program counter, identity, thread.
const HANDLED: usize = 5;

/// Whether each letter of a specification passes what its argument is.
pub const fn fit(specification: &str, arguments: &[Argument], inserted: usize) -> bool {
    let letters = specification.as_bytes();
    // A handler of exceptions gets words that no letter stands for.
    if letters.len() == 2 && letters[1] == b'x' {
        return arguments.len() == inserted && inserted <= HANDLED;
    }
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

const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut n = 0;
    while n < a.len() && n < b.len() && a[n] == b[n] {
        n += 1;
    }
    n == a.len() && n == b.len()
}
/// What is provided, with the constants of the portals that have one.
pub const fn with_constants<const COUNT: usize>(
    mut provided: [Provided; COUNT],
    names: &[&str; COUNT],
    constants: &[(&str, u64)],
) -> [Provided; COUNT] {
    let mut found = 0;
    let mut n = 0;
    while n < COUNT {
        let mut c = 0;
        while c < constants.len() {
            if same(names[n], constants[c].0) {
                provided[n].constant = constants[c].1;
                found += 1;
            }
            c += 1;
        }
        n += 1;
    }
    assert!(found == constants.len(), "a constant is of a portal that the interface has not");
    provided
}

/// The one number, if there is one.
pub const fn number(numbers: &[usize]) -> Option<usize> {
    if let [number] = numbers { Some(*number) } else { None }
}
/// Number `number` of every domain's table, which must be the portal of that name.
pub const fn own(number: usize, portal: &str) -> usize {
    let mut n = 0;
    while n < abi::system::ALL.len() {
        let (at, name) = abi::system::ALL[n];
        if at == number && same(name, portal) {
            return number;
        }
        n += 1;
    }
    panic!("a domain's table has another portal at that number");
}

/// The functions that call portals which are opened by name, and what they are opened by, whose section's name begins so.
macro_rules! stubs {
    ($section:literal; $(
        $(#[$doc:meta])+ $portal:literal: $name:ident($($argument:ident: $type:ty),*) -> $result:ty;
    )+) => {
        /// What the portals are opened by, for who says himself when that is done again. Who asks for none of them, and calls none, opens none.
        #[cfg(target_os = "none")]
        pub mod import { $(
            $(#[$doc])+
            #[inline(always)]
            pub fn $name() -> &'static $crate::import::Import {
                #[unsafe(link_section = concat!($section, $portal))]
                static IMPORT: $crate::import::Import = $crate::import::Import::new($portal);
                &IMPORT
            }
        )+ }
        $(
            $(#[$doc])+
            #[cfg(target_os = "none")]
            #[inline(always)]
            pub fn $name($($argument: $type),*) -> $result {
                let result = import::$name().call([$($crate::types::Word::word($argument)),*]);
                abi::error::check(result).map($crate::types::Answer::of)
            }
        )+
        /// The same calls, made once more by a portal that is opened anew, where there was none, or its server has ended. What that one had begun may
        /// have been done: they are for calls that may be made twice. The next server is waited for ([`PATIENCE`](crate::import::PATIENCE)). `EDEAD`: in
        /// vain; `ENOENT`: there is none.
        #[cfg(target_os = "none")]
        pub mod anew {
            #[allow(unused_imports)]
            use super::*;
            $(
                $(#[$doc])+
                #[inline(always)]
                pub fn $name($($argument: $type),*) -> $result {
                    let words = [$($crate::types::Word::word($argument)),*];
                    import::$name().call_anew(words).map($crate::types::Answer::of)
                }
            )+
        }
    };
}
/// The function that calls a portal which every domain has, by its number; nothing for one that has to be opened.
macro_rules! own_stub {
    ([]; $($rest:tt)*) => {};
    ([$own:ident]; $(#[$doc:meta])+ $portal:literal: $name:ident($($argument:ident: $type:ty),*) -> $result:ty) => {
        $(#[$doc])+
        #[cfg(target_os = "none")]
        #[inline(always)]
        pub fn $name($($argument: $type),*) -> $result {
            const NUMBER: usize = $crate::declaration::own(abi::system::$own, $portal);
            let result = arch::component::call(NUMBER, [$($crate::types::Word::word($argument)),*]);
            abi::error::check(result).map($crate::types::Answer::of)
        }
    };
}

/// Declares the interface of a server, see the crate's first page. The first text is the title in the manual.
macro_rules! interface {
    ($title:literal; $(
        $(#[doc = $means:literal])+
        $portal:literal $(= $own:ident)?, $specification:literal:
            fn $name:ident $([$($given:ident: $given_type:ty),+])? ($($argument:ident: $type:ty),*) -> $result:ty;
    )+) => {
        use $crate::types::Result;
        /// The interface, as it is printed and compared.
        pub const INTERFACE: $crate::Interface = $crate::Interface { title: $title, portals: &[$($crate::Portal {
            name: $portal,
            specification: $specification,
            number: $crate::declaration::number(&[$($crate::declaration::own(abi::system::$own, $portal))?]),
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
            $(let _ = core::marker::PhantomData::<fn() -> $result>;)+
        };
        /// How many portals there are.
        pub const COUNT: usize = [$($portal),+].len();
        /// The entry points of what provides them.
        pub struct Server {
            $($(#[doc = $means])+ pub $name: extern "C" fn($($($given_type,)+)? $($type),*) -> isize),+
        }
        /// What such a server declares; `constants`: of the portals of these names, where they are not 0.
        pub const fn provides(server: Server, constants: &[(&str, u64)]) -> [abi::section::Provided; COUNT] {
            $crate::declaration::with_constants([$(abi::section::Provided {
                name: abi::section::padded($portal),
                spec: abi::section::padded($specification),
                entry: server.$name as *const (),
                constant: 0,
            }),+], &[$($portal),+], constants)
        }
        /// The same of a server that registers them itself, later or not at all.
        pub const fn registers() -> [abi::section::Provided; COUNT] {
            [$(abi::section::Provided {
                name: abi::section::padded($portal),
                spec: abi::section::padded($specification),
                entry: core::ptr::null(),
                constant: 0,
            }),+]
        }
        stubs! { ".pebble.imports."; $($(#[doc = $means])+ $portal: $name($($argument: $type),*) -> $result;)+ }
        /// The same, for who runs in systems too that lack them: a call ends with `EPORTAL` then.
        pub mod optional {
            #[allow(unused_imports)]
            use super::*;
            stubs! { ".pebble.optional_imports."; $($(#[doc = $means])+ $portal: $name($($argument: $type),*) -> $result;)+ }
        }
        /// The portals' names, for who opens one only when it is needed.
        #[allow(non_upper_case_globals)]
        pub mod name {
            $($(#[doc = $means])+ pub const $name: &str = $portal;)+
        }
        /// The same calls through a portal that was opened so.
        #[cfg(target_os = "none")]
        pub mod through {
            #[allow(unused_imports)]
            use super::*;
            $(
                $(#[doc = $means])+
                #[inline(always)]
                pub fn $name(portal: $crate::types::PortalNumber $(, $argument: $type)*) -> $result {
                    let result = arch::component::call(portal.0, [$($crate::types::Word::word($argument)),*]);
                    abi::error::check(result).map($crate::types::Answer::of)
                }
            )+
        }
        /// The same, of the portals that every domain has from the start.
        pub mod own {
            #[allow(unused_imports)]
            use super::*;
            $(own_stub! { [$($own)?]; $(#[doc = $means])+ $portal: $name($($argument: $type),*) -> $result })+
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;
    const GIVEN: Argument = Argument { name: "cause", kind: Kind::Number };

    #[test]
    fn a_handler_gets_words_that_no_letter_stands_for() {
        assert!(fit("sx", &[], 0) && fit("sx", &[GIVEN; 3], 3) && fit("sx", &[GIVEN; 5], 5));
        assert!(!fit("sx", &[GIVEN; 6], 6), "there are five");
        assert!(!fit("sx", &[GIVEN], 0), "nobody passes it");
        assert!(!fit("sm", &[GIVEN], 1), "it is no handler");
    }
    const fn nothing(name: &str) -> Provided {
        let (name, spec) = (abi::section::padded(name), abi::section::padded("sm"));
        Provided { name, spec, entry: core::ptr::null(), constant: 0 }
    }
    #[test]
    fn constants_go_to_the_portals_of_their_names() {
        let provided = with_constants([nothing("a.b"), nothing("a.bc")], &["a.b", "a.bc"], &[("a.bc", 7)]);
        assert_eq!(provided.map(|p| p.constant), [0, 7]);
    }
    #[test]
    #[should_panic(expected = "a constant is of a portal that the interface has not")]
    fn a_constant_of_no_portal_is_refused() {
        with_constants([nothing("a.b")], &["a.b"], &[("a.c", 7)]);
    }
}
