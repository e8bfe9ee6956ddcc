//! Calling portals and declaring them.
//!
//! A portal call passes up to six words and has one for its result; all else is as after a C call.

use abi::section::Provided;
use abi::system::{Caller, GRANTS, Grant, Registration};
pub use arch::component::call;
use interfaces::descriptor;
use interfaces::portals::own;
use interfaces::types::{Alleged, ThreadIndex};

/// From a trusted component, calls code that is not trusted, which may call trusted ones again: on the same service stack, which would not be enough for
/// as many calls in calls as a client likes. `most`: bytes of it that may be in use, [`SERVICE_CALLER`](abi::address::SERVICE_CALLER) or
/// [`SERVICE_ASKER`](abi::address::SERVICE_ASKER). `EDEPTH`: it is more, so nothing was called.
#[inline(always)]
pub fn call_back<const N: usize>(most: usize, portal: usize, arguments: [usize; N]) -> isize {
    if may_call_back(most) { call(portal, arguments) } else { abi::Error::EDEPTH.code() }
}
/// Whether [`call_back`] calls from here.
#[inline(always)]
pub fn may_call_back(most: usize) -> bool {
    abi::address::service_used(arch::component::stack_pointer()) <= most
}

/// The threads that are in calls of this domain's portals: their indices, and what is known of the call.
pub fn callers() -> impl Iterator<Item = (usize, Caller)> {
    let mut after = ThreadIndex(0);
    core::iter::from_fn(move || {
        let mut caller = Caller::default();
        after = own::callers(after, Alleged::lend_to_write(&mut caller)).ok()?;
        (after.0 > 0).then_some((after.0, caller))
    })
}

/// Gives the caller of the portal that is being served these portals, whose `c`s are `constant` and whose specifications begin with `letters`, as
/// consecutive ones of its table; the number of the first. When the last of them has gone, `gone` is posted, a semaphore's number, and
/// `PORTAL_GONE` names the constant. So servers give out what is open: a file, a socket. Errors: the portal manager's.
pub fn grant(server: descriptor::Server, letters: [u8; 2], constant: usize, gone: usize) -> crate::Result<usize> {
    let portals = server.granted(letters);
    let request = Grant { count: GRANTS as u64, gone: gone as u64, constant: constant as u64, portals };
    own::grant(Alleged::lend(&request)).map(|first| first.0)
}

/// Registers portals; `stacks` are added to the queue that they are called on. Those that have no entry point are left out: the component registers
/// them itself. Errors: the portal manager's.
#[inline(never)]
pub fn register(provided: &[Provided], stacks: usize) -> crate::Result<()> {
    let mut stacks = stacks as u64;
    for provided in provided.iter().filter(|provided| !provided.entry.is_null()) {
        let mut registration = Registration {
            entry: provided.entry as u64,
            stacks: core::mem::take(&mut stacks),
            constants: [provided.constant; 6],
            ..Registration::NONE
        };
        registration.name[..provided.name.len()].copy_from_slice(&provided.name);
        registration.spec[..provided.spec.len()].copy_from_slice(&provided.spec);
        own::register(Alleged::lend(&registration))?;
    }
    Ok(())
}

/// How many bytes of `buffer` lie in its first page: what one window shows of it.
pub fn in_page(buffer: &[u8]) -> usize {
    use abi::address::PAGE;
    buffer.len().min(PAGE - buffer.as_ptr() as usize % PAGE)
}

/// Has `each` take `bytes` in pieces, each of which one window shows, up to the first error.
pub fn by_pages(bytes: &[u8], mut each: impl FnMut(&[u8]) -> crate::Result<()>) -> crate::Result<()> {
    let mut rest = bytes;
    while !rest.is_empty() {
        let (piece, more) = rest.split_at(in_page(rest));
        each(piece)?;
        rest = more;
    }
    Ok(())
}

/// A portal that this component opens by name; declared by [`import!`](crate::import).
#[repr(transparent)]
pub struct Import(interfaces::import::Import);
impl Import {
    /// One that is not open yet.
    pub const fn new(name: &str) -> Import {
        Import(interfaces::import::Import::new(name))
    }
}
impl core::ops::Deref for Import {
    type Target = interfaces::import::Import;
    #[inline(always)]
    fn deref(&self) -> &interfaces::import::Import {
        &self.0
    }
}

/// Declares portals to open: `import! { MAP = "memory.map"; }` makes `static MAP: Import`; `import! { optional: MAP = "memory.map"; }` one that
/// a system need not have: calls of it end with `EPORTAL` then. Each has a section of its own, so that the linker drops what is not used.
#[macro_export]
macro_rules! import {
    (optional: $($(#[$meta:meta])* $vis:vis $name:ident = $portal:literal;)*) => { $(
        $(#[$meta])*
        #[unsafe(link_section = concat!(".pebble.optional_imports.", $portal))]
        $vis static $name: $crate::portal::Import =
            $crate::portal::Import::new($portal);
    )* };
    ($($(#[$meta:meta])* $vis:vis $name:ident = $portal:literal;)*) => { $(
        $(#[$meta])*
        #[unsafe(link_section = concat!(".pebble.imports.", $portal))]
        $vis static $name: $crate::portal::Import =
            $crate::portal::Import::new($portal);
    )* };
}

/// Declares a short circuit of one of the component's portals: `short_circuit! { "name", words, records, mask, stride; }`, see
/// `portal::short_circuit`. Only boot components can have them.
#[macro_export]
macro_rules! short_circuit {
    ($($portal:literal, $words:expr, $records:expr, $mask:expr, $stride:expr;)*) => { $(
        const _: () = {
            #[used]
            #[unsafe(link_section = ".pebble.short_circuits")]
            static SHORT_CIRCUIT: $crate::abi::section::ShortCircuit =
                $crate::abi::section::ShortCircuit::new($portal, $words, $records, $mask, $stride);
        };
    )* };
}

/// Declares templates for letters of specifications: `template! { windows(); }`, see `abi::template`. Only boot components
/// declare them so; others register them.
#[macro_export]
macro_rules! template {
    ($($template:expr;)*) => { $(
        const _: () = {
            #[used]
            #[unsafe(link_section = ".pebble.templates")]
            static TEMPLATE: $crate::abi::template::Template = $template;
        };
    )* };
}

/// The type of an entry point that takes `COUNT` words.
#[doc(hidden)]
pub struct Words<const COUNT: usize>;
/// What entry points of a specification are.
#[doc(hidden)]
pub trait Takes {
    type Entry;
}
macro_rules! entries {
    ($($count:literal: $($word:ty)*;)*) => { $(
        impl Takes for Words<$count> {
            type Entry = extern "C" fn($($word),*) -> isize;
        }
    )* };
}
entries! {
    0: ; 1: usize; 2: usize usize; 3: usize usize usize; 4: usize usize usize usize; 5: usize usize usize usize usize;
    6: usize usize usize usize usize usize;
}

impl Takes for Words<FAULT> {
    type Entry = *const ();
}
/// Stands for the words that the nucleus passes with a fault, which are not the specification's.
const FAULT: usize = usize::MAX;
/// How many words a specification passes: behind the letters for stack and state there is one for each.
#[doc(hidden)]
pub const fn words(spec: &str) -> usize {
    match spec.as_bytes() {
        [_, b'x', ..] => FAULT,
        [_, _, arguments @ ..] => arguments.len(),
        _ => 0,
    }
}

/// Declares portals that the component provides: `provide! { "memory.map", "smiiii", map; }`.
///
/// Each entry is an `extern "C" fn` of words that returns an `isize`; a constant may follow it for the `c`s. A specification with a letter
/// that stands for nothing, or with another number of arguments than the function, is an error of the compiler.
#[macro_export]
macro_rules! provide {
    ($($portal:literal, $spec:literal, $entry:path $(, $constant:expr)?;)*) => { $(
        const _: () = {
            $crate::abi::specification::assert($spec);
            type Entry = <$crate::portal::Words<{ $crate::portal::words($spec) }> as $crate::portal::Takes>::Entry;
            const ENTRY: Entry = $entry as Entry;
            #[used]
            #[unsafe(link_section = ".pebble.provides")]
            static PROVIDED: $crate::abi::section::Provided = $crate::abi::section::Provided {
                name: $crate::abi::section::padded($portal),
                spec: $crate::abi::section::padded($spec),
                entry: ENTRY as *const (),
                constant: 0 $(+ $constant)?,
            };
        };
    )* };
}
