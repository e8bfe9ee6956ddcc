//! Calling portals and declaring them.
//!
//! A portal call passes up to six words and has one for its result; all else is as after a C call.

use abi::section::Imported;
pub use arch::component::call;

/// The threads that are in calls of this domain's portals: their indices, and what is known of the call.
pub fn callers() -> impl Iterator<Item = (usize, abi::system::Caller)> {
    let mut after = 0;
    core::iter::from_fn(move || {
        let mut caller = abi::system::Caller::default();
        let index = crate::check(call(abi::system::PORTAL_CALLERS, [after, &raw mut caller as usize])).ok()?;
        after = index;
        (index > 0).then_some((index, caller))
    })
}

/// Gives the caller of the portal that is being served these, by specification and entry, as consecutive ones of its table, whose `c`s are
/// `constant`; the number of the first. When the last of them has gone, `gone` is posted, a semaphore's number, and `PORTAL_GONE` names the
/// constant. So servers give out what is open: a file, a socket. Errors: the portal manager's.
pub fn grant(portals: [(&str, *const ()); abi::system::GRANTS], constant: usize, gone: usize) -> crate::Result<usize> {
    use abi::system::{GRANT, GRANTS, Grant, Granted};
    let portals =
        portals.map(|(spec, entry)| Granted { spec: abi::section::padded(spec), entry: entry as usize as u64 });
    let request = Grant { count: GRANTS as u64, gone: gone as u64, constant: constant as u64, portals };
    crate::check(call(GRANT, [&raw const request as usize]))
}

/// Registers a portal that a component does not declare, for only some manifests have it provide that; it is called on the stacks of those that
/// it declares. Errors: the portal manager's.
pub fn register(name: &str, spec: &str, entry: *const ()) -> crate::Result<()> {
    let mut registration =
        abi::system::Registration { entry: entry as usize as u64, ..abi::system::Registration::NONE };
    (registration.name, registration.spec) = (abi::section::padded(name), abi::section::padded(spec));
    crate::check(call(abi::system::PORTAL_REGISTER, [&raw const registration as usize])).map(|_| ())
}

/// How many bytes of `buffer` lie in its first page: what one window shows of it.
pub fn in_page(buffer: &[u8]) -> usize {
    use abi::address::PAGE;
    buffer.len().min(PAGE - buffer.as_ptr() as usize % PAGE)
}

/// A portal that this component opens by name; declared by [`import!`](crate::import).
#[repr(transparent)]
pub struct Import(pub Imported);

impl Import {
    /// The portal's number in this domain's table; 0 while it is not open.
    #[inline(always)]
    pub fn number(&self) -> usize {
        self.0.number()
    }
    /// Opens it again, after its server died and another has taken its place. Of several threads that do so at one time, one's
    /// number stays, and what nobody uses is closed once: the old number may be another portal's by the time that the last is here.
    pub fn reopen(&self) -> crate::Result<()> {
        use core::sync::atomic::Ordering::Relaxed;
        let old = self.number();
        let new = crate::start::open(abi::section::text(&self.0.name))?;
        let unused = match self.0.number.compare_exchange(old as u64, new as u64, Relaxed, Relaxed) {
            Ok(_) => old,
            Err(_) => new,
        };
        call(abi::system::PORTAL_CLOSE, [unused]);
        Ok(())
    }
    /// Calls it.
    #[inline(always)]
    pub fn call<const N: usize>(&self, arguments: [usize; N]) -> isize {
        call(self.number(), arguments)
    }
    /// Calls it, and goes on with `ETIMEDOUT` when `ticks` of `hrtime` are over; see
    /// [`deadline::call_timed`](crate::deadline::call_timed).
    pub fn call_timed<const N: usize>(&self, ticks: u64, arguments: [usize; N]) -> crate::Result<usize> {
        crate::deadline::call_timed(self.number(), ticks, arguments)
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
            $crate::portal::Import($crate::abi::section::Imported::new($portal));
    )* };
    ($($(#[$meta:meta])* $vis:vis $name:ident = $portal:literal;)*) => { $(
        $(#[$meta])*
        #[unsafe(link_section = concat!(".pebble.imports.", $portal))]
        $vis static $name: $crate::portal::Import =
            $crate::portal::Import($crate::abi::section::Imported::new($portal));
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

/// Declares names that the component registers itself ([`register`]), if it does: `registers! { "time.set", "npi"; }`. The manifest's check
/// knows of them.
#[macro_export]
macro_rules! registers {
    ($($portal:literal, $spec:literal;)*) => { $(
        const _: () = {
            $crate::abi::specification::assert($spec);
            #[used]
            #[unsafe(link_section = ".pebble.provides")]
            static PROVIDED: $crate::abi::section::Provided = $crate::abi::section::Provided {
                name: $crate::abi::section::padded($portal),
                spec: $crate::abi::section::padded($spec),
                entry: ::core::ptr::null(),
                constant: 0,
            };
        };
    )* };
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
