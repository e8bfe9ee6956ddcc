//! Typed portals: what the caller passes and what the server receives are Rust functions of one declaration, [`interface!`](crate::interface!),
//! and so is the specification, which is made of their arguments' types when they are compiled.
//!
//! | argument | letters | the server gets |
//! | --- | --- | --- |
//! | integers up to a word, `bool` | `i` | the value; `EINVAL` for one that is none of the type |
//! | `&T`, `&[T]`, `&str` | `Ri` | a copy of what the window shows, made when the call arrives |
//! | `&mut T`, `&mut [T]` | `Wi` | a copy, which is written back when it returns |
//! | [`Caller`] | `d` | who calls |
//!
//! The server works on copies because what a window shows stays the caller's, whose other threads may change it at any time: a reference to
//! it would promise the compiler what nobody keeps. Who wants to look at the page itself takes a word and a length by
//! [`provide!`](crate::provide!), and an `abi::window::Window` of them. A window is of 32 KiB at most, and `T` is [`Plain`].

use abi::Error;
use abi::window::Plain;
use alloc::vec::Vec;
use core::marker::PhantomData;

/// Words of a call, in the order of the arguments.
pub struct Words {
    words: [usize; 6],
    next: usize,
}
impl Words {
    /// None yet.
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Words {
        Words { words: [0; 6], next: 0 }
    }
    /// Those that a server has received.
    pub const fn received(words: [usize; 6]) -> Words {
        Words { words, next: 0 }
    }
    fn push(&mut self, word: usize) {
        self.words[self.next] = word;
        self.next += 1;
    }
    fn take(&mut self) -> usize {
        self.next += 1;
        self.words[self.next - 1]
    }
    /// All of them.
    pub const fn all(&self) -> [usize; 6] {
        self.words
    }
}

/// What a portal's argument can be.
///
/// # Safety
/// `receive` gives what lies in memory only where `LETTERS` have the portal show it for the call.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can not go through a portal",
    label = "an argument is an integer, `bool`, `&T`, `&mut T`, `&[T]`, `&mut [T]` of a `Plain` type `T`, `&str` or `Caller`"
)]
pub unsafe trait Argument<'a>: Sized {
    /// Letters of the specification: one for each word that the server receives.
    const LETTERS: &'static str;
    /// What a server keeps of it for the time of the call.
    type Kept: Kept;
    /// What the caller passes.
    fn pass(&self, words: &mut Words);
    /// What the server has received. `EINVAL`: it is none of this type; `ENOMEM`.
    ///
    /// # Safety
    /// The words are those of the call that is being served, through a portal whose specification has these letters.
    unsafe fn receive(words: &mut Words) -> crate::Result<Self::Kept>;
    /// The argument that the server's function gets.
    fn lend(kept: &'a mut Self::Kept) -> Self;
}
/// What a server keeps of an argument.
pub trait Kept {
    /// The function has returned.
    fn give_back(&self) {}
}

/// A value that is one word; a negative number is the same as a word's.
pub trait Word: Copy {
    fn to_word(self) -> usize;
    /// `None`: the word is none of its values.
    fn of_word(word: usize) -> Option<Self>;
}
macro_rules! words {
    ($($word:ty as $wide:ty),*) => { $(
        impl Word for $word {
            fn to_word(self) -> usize {
                self as $wide as usize
            }
            fn of_word(word: usize) -> Option<Self> {
                (word as $wide).try_into().ok()
            }
        }
    )* };
}
words!(
    u8 as u64,
    u16 as u64,
    u32 as u64,
    u64 as u64,
    usize as u64,
    i8 as i64,
    i16 as i64,
    i32 as i64,
    i64 as i64,
    isize as i64
);
impl Word for bool {
    fn to_word(self) -> usize {
        self.into()
    }
    fn of_word(word: usize) -> Option<bool> {
        (word < 2).then_some(word == 1)
    }
}
/// A word, for the time of a call.
pub struct Value<T>(T);
impl<T> Kept for Value<T> {}
macro_rules! word_arguments {
    ($($word:ty),*) => { $(
        // SAFETY: there is nothing in memory.
        unsafe impl Argument<'_> for $word {
            const LETTERS: &'static str = "i";
            type Kept = Value<$word>;
            fn pass(&self, words: &mut Words) {
                words.push(self.to_word());
            }
            unsafe fn receive(words: &mut Words) -> crate::Result<Value<$word>> {
                <$word>::of_word(words.take()).map(Value).ok_or(Error::EINVAL)
            }
            fn lend(kept: &mut Value<$word>) -> $word {
                kept.0
            }
        }
    )* };
}
word_arguments!(u8, u16, u32, u64, usize, i8, i16, i32, i64, isize, bool);

/// Who calls, as the server sees it; the caller passes [`Caller::SELF`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caller(usize);
impl Caller {
    /// The one who calls.
    pub const SELF: Caller = Caller(0);
    /// The caller's identity, which no other domain ever has.
    pub const fn identity(self) -> usize {
        self.0
    }
}
impl Kept for Caller {}
// SAFETY: there is nothing in memory.
unsafe impl Argument<'_> for Caller {
    const LETTERS: &'static str = "d";
    type Kept = Caller;
    fn pass(&self, _: &mut Words) {}
    unsafe fn receive(words: &mut Words) -> crate::Result<Caller> {
        Ok(Caller(words.take()))
    }
    fn lend(kept: &mut Caller) -> Caller {
        *kept
    }
}

/// A copy of what a window shows.
pub struct Copied<T> {
    values: Vec<T>,
    /// Where it goes back to; null: it does not.
    back: *mut T,
}
impl<T: Plain> Copied<T> {
    /// # Safety
    /// The next two words are of a window on that many bytes, which can be written if `back`.
    unsafe fn new(words: &mut Words, back: bool) -> crate::Result<Copied<T>> {
        const { assert!(size_of::<T>() > 0, "nothing is no argument") };
        let (address, bytes) = (words.take(), words.take());
        if !bytes.is_multiple_of(size_of::<T>()) {
            return Err(Error::EINVAL);
        }
        let count = bytes / size_of::<T>();
        let mut values: Vec<T> = Vec::new();
        values.try_reserve_exact(count).map_err(|_| Error::ENOMEM)?;
        // SAFETY: so many bytes are shown for the call; there is room for them; all bytes are values.
        unsafe {
            core::ptr::copy_nonoverlapping(address as *const u8, values.as_mut_ptr().cast(), bytes);
            values.set_len(count);
        }
        Ok(Copied { values, back: if back { address as *mut T } else { core::ptr::null_mut() } })
    }
    /// The same of exactly one value.
    ///
    /// # Safety
    /// As for `new`.
    unsafe fn one(words: &mut Words, back: bool) -> crate::Result<Copied<T>> {
        // SAFETY: as for this function.
        let copied = unsafe { Copied::new(words, back) }?;
        if copied.values.len() == 1 { Ok(copied) } else { Err(Error::EINVAL) }
    }
}
impl<T> Kept for Copied<T> {
    fn give_back(&self) {
        if !self.back.is_null() {
            let bytes = self.values.len() * size_of::<T>();
            // SAFETY: the call is still being served, and so many bytes are shown for writing.
            unsafe { core::ptr::copy_nonoverlapping(self.values.as_ptr().cast::<u8>(), self.back.cast(), bytes) };
        }
    }
}
/// Passes where something is, and its bytes.
fn pass_window<T>(values: *const T, count: usize, words: &mut Words) {
    words.push(values as usize);
    words.push(count * size_of::<T>());
}
macro_rules! windows {
    ($($letters:literal, $back:literal, $argument:ty: $kept:ident $($count:ident)?;)*) => { $(
        // SAFETY: the letters show the window.
        unsafe impl<'a, T: Plain> Argument<'a> for $argument {
            const LETTERS: &'static str = $letters;
            type Kept = Copied<T>;
            fn pass(&self, words: &mut Words) {
                windows!(pass self, words, $($count)?)
            }
            unsafe fn receive(words: &mut Words) -> crate::Result<Copied<T>> {
                // SAFETY: as for this function.
                unsafe { Copied::$kept(words, $back) }
            }
            fn lend(kept: &'a mut Copied<T>) -> $argument {
                windows!(lend kept, $($count)?)
            }
        }
    )* };
    (pass $self:ident, $words:ident, many) => { pass_window($self.as_ptr(), $self.len(), $words) };
    (pass $self:ident, $words:ident,) => { pass_window(&raw const **$self, 1, $words) };
    (lend $kept:ident, many) => { &mut $kept.values };
    (lend $kept:ident,) => { &mut $kept.values[0] };
}
windows! {
    "Ri", false, &'a [T]: new many;
    "Wi", true, &'a mut [T]: new many;
    "Ri", false, &'a T: one;
    "Wi", true, &'a mut T: one;
}
// SAFETY: the letters show the window.
unsafe impl<'a> Argument<'a> for &'a str {
    const LETTERS: &'static str = "Ri";
    type Kept = Text;
    fn pass(&self, words: &mut Words) {
        pass_window(self.as_ptr(), self.len(), words);
    }
    unsafe fn receive(words: &mut Words) -> crate::Result<Text> {
        // SAFETY: as for this function.
        let copied = unsafe { Copied::<u8>::new(words, false) }?;
        alloc::string::String::from_utf8(copied.values).map(Text).map_err(|_| Error::EINVAL)
    }
    fn lend(kept: &'a mut Text) -> &'a str {
        &kept.0
    }
}
/// A copy of a text.
pub struct Text(alloc::string::String);
impl Kept for Text {}

/// What a portal's function returns: a [`Result`](crate::Result) of a word or of nothing. An `i64` is none: minus a small number is an error
/// among results.
#[diagnostic::on_unimplemented(
    message = "a portal does not return `{Self}`",
    label = "what a portal returns is a `pebble::Result` of an integer (of 32 bits, if it has a sign), of `bool`, or of `()`"
)]
pub trait Answer {
    fn to_word(self) -> isize;
    fn of_word(result: isize) -> Self;
}
macro_rules! answers {
    ($($word:ty as $bits:ty),*) => { $(
        impl Answer for crate::Result<$word> {
            /// A number that stands for an error among results, of the last 65,535 that there are, can not be returned: `EINVAL`.
            fn to_word(self) -> isize {
                match self.map(|value| value as $bits as isize) {
                    Ok(word) if crate::check(word).is_ok() => word,
                    Ok(_) => Error::EINVAL.code(),
                    Err(error) => error.code(),
                }
            }
            fn of_word(result: isize) -> Self {
                <$bits>::of_word(crate::check(result)?).map(|bits| bits as $word).ok_or(Error::EINVAL)
            }
        }
    )* };
}
answers!(u8 as u8, u16 as u16, u32 as u32, u64 as u64, usize as usize, i8 as u8, i16 as u16, i32 as u32);
impl Answer for crate::Result<bool> {
    fn to_word(self) -> isize {
        self.map_or_else(Error::code, isize::from)
    }
    fn of_word(result: isize) -> Self {
        bool::of_word(crate::check(result)?).ok_or(Error::EINVAL)
    }
}
impl Answer for crate::Result<()> {
    fn to_word(self) -> isize {
        self.map_or_else(Error::code, |()| 0)
    }
    fn of_word(result: isize) -> Self {
        crate::check(result).map(|_| ())
    }
}

/// The specification whose arguments have these letters: a stack of the server's queue, and the caller's registers saved.
#[doc(hidden)]
pub const fn specification<const N: usize>(arguments: &[&str]) -> [u8; N] {
    let mut all = [0; N];
    (all[0], all[1]) = (b'n', b'p');
    let (mut argument, mut at) = (0, 2);
    while argument < arguments.len() {
        let letters = arguments[argument].as_bytes();
        let mut n = 0;
        while n < letters.len() {
            assert!(at < 2 + 6, "the arguments are more than six words: a window is two");
            all[at] = letters[n];
            at += 1;
            n += 1;
        }
        argument += 1;
    }
    all
}
/// The table of what a server provides, for the section of that name.
#[doc(hidden)]
#[repr(transparent)]
pub struct Provides<S: ?Sized, const N: usize>(pub [abi::section::Provided; N], pub PhantomData<fn(&S)>);
// SAFETY: written once by the compiler, never changed.
unsafe impl<S: ?Sized, const N: usize> Sync for Provides<S, N> {}

/// Calls a portal, and again through a new one where its server has died, or was not there: until one answers, or two seconds are over.
/// What the dead one had begun may have been done, so this is for calls that may be made twice.
#[doc(hidden)]
pub fn call_anew(portal: &crate::portal::Import, words: &Words) -> isize {
    let end = crate::time::time() + interfaces::import::PATIENCE;
    let mut again = false;
    loop {
        let result = portal.call(words.all());
        let gone = result == Error::EDEAD.code() || result == Error::EPORTAL.code();
        if !gone || crate::time::time() >= end {
            return result;
        }
        // A server that lives may answer so too, as often as it is asked: others run meanwhile.
        if portal.reopen().is_err() || core::mem::replace(&mut again, true) {
            crate::time::sleep(interfaces::import::LATER as u64);
        }
    }
}

/// Declares portals as functions: for each a line `"NAME": fn function(argument: Type, …) -> Result<Type>;`, see [`interface`](mod@crate::interface)
/// for the types. The module has a function of each name that calls the portal; the same in `anew`, which opens it again where its server
/// has died ([`call_anew`](crate::interface::call_anew)); and the trait `Server` of what provides them, by [`serve!`](crate::serve!).
#[macro_export]
macro_rules! interface {
    ($(#[$meta:meta])* $vis:vis mod $module:ident { $(
        $(#[$doc:meta])* $portal:literal: fn $name:ident($($argument:ident: $type:ty),* $(,)?) -> $result:ty;
    )+ }) => {
        $(#[$meta])*
        #[allow(dead_code, unused_imports, unused_mut, unused_variables)]
        $vis mod $module {
            use super::*;
            use $crate::interface::{Answer as _, Argument as _, Kept as _};
            // Who only calls is told, too, what can not be passed.
            $(const _: [u8; $crate::abi::section::SPEC] =
                $crate::interface::specification(&[$(<$type as $crate::interface::Argument>::LETTERS),*]);)+
            #[allow(non_upper_case_globals)]
            mod portals {
                $crate::import! { optional: $(pub $name = $portal;)+ }
            }
            $(
                $(#[$doc])*
                #[inline]
                pub fn $name($($argument: $type),*) -> $result {
                    let mut words = $crate::interface::Words::new();
                    $($crate::interface::Argument::pass(&$argument, &mut words);)*
                    <$result as $crate::interface::Answer>::of_word(portals::$name.call(words.all()))
                }
            )+
            /// The same calls, made again through a new portal where the server has died.
            pub mod anew {
                use super::*;
                $(
                    $(#[$doc])*
                    pub fn $name($($argument: $type),*) -> $result {
                        let mut words = $crate::interface::Words::new();
                        $($crate::interface::Argument::pass(&$argument, &mut words);)*
                        let result = $crate::interface::call_anew(&portals::$name, &words);
                        <$result as $crate::interface::Answer>::of_word(result)
                    }
                )+
            }
            /// What provides the portals.
            pub trait Server {
                $(
                    $(#[$doc])*
                    fn $name($($argument: $type),*) -> $result;
                )+
            }
            mod entry {
                use super::*;
                $(
                    pub extern "C" fn $name<S: Server + ?Sized>(
                        a: usize, b: usize, c: usize, d: usize, e: usize, f: usize,
                    ) -> isize {
                        let serve = |mut words: $crate::interface::Words| -> $result {
                            // SAFETY: they are the words of this call, by the specification of these types.
                            $(let mut $argument = unsafe { <$type as $crate::interface::Argument>::receive(&mut words) }?;)*
                            let result = S::$name($($crate::interface::Argument::lend(&mut $argument)),*);
                            $($argument.give_back();)*
                            result
                        };
                        $crate::interface::Answer::to_word(serve($crate::interface::Words::received([a, b, c, d, e, f])))
                    }
                )+
            }
            #[doc(hidden)]
            pub const COUNT: usize = [$($portal),+].len();
            #[doc(hidden)]
            pub const fn provides<S: Server + ?Sized>() -> $crate::interface::Provides<S, COUNT> {
                $crate::interface::Provides([$(
                    $crate::abi::section::Provided {
                        name: $crate::abi::section::padded($portal),
                        spec: $crate::interface::specification(
                            &[$(<$type as $crate::interface::Argument>::LETTERS),*]
                        ),
                        entry: entry::$name::<S> as *const (),
                        constant: 0,
                    }
                ),+], core::marker::PhantomData)
            }
        }
    };
}

/// Provides the portals of interfaces: `serve! { Type: module; }`, where `Type` implements `module::Server`; or `serve! { names { bind, … } }`,
/// the entry points of an interface of the system's servers ([`interfaces`](crate::interfaces)), each under its name or as `name: entry`;
/// behind it the constants of portals that have one: `"NAME" = value;`. With `later static PORTALS: names { bind, … }` the component registers them
/// itself, if it does ([`portal::register`](crate::portal::register)).
#[macro_export]
macro_rules! serve {
    ($module:ident { $($entries:tt)+ } $($portal:literal = $constant:expr;)*) => {
        const _: () = {
            #[used]
            #[unsafe(link_section = ".pebble.provides")]
            static PROVIDED: [$crate::abi::section::Provided; $crate::interfaces::$module::COUNT] =
                $crate::interfaces::$module::provides(
                    $crate::interfaces::$module::Server { $($entries)+ },
                    &[$(($portal, $constant)),*],
                );
        };
    };
    (later $vis:vis static $served:ident: $module:ident { $($entries:tt)+ }) => {
        $vis static $served: [$crate::abi::section::Provided; $crate::interfaces::$module::COUNT] =
            $crate::interfaces::$module::provides($crate::interfaces::$module::Server { $($entries)+ }, &[]);
        const _: () = {
            #[used]
            #[unsafe(link_section = ".pebble.provides")]
            static PROVIDED: [$crate::abi::section::Provided; $crate::interfaces::$module::COUNT] =
                $crate::interfaces::$module::registers();
        };
    };
    ($($server:ty: $module:ident;)+) => { $(
        const _: () = {
            #[used]
            #[unsafe(link_section = ".pebble.provides")]
            static PROVIDED: $crate::interface::Provides<$server, { $module::COUNT }> = $module::provides::<$server>();
        };
    )+ };
}

/// Declares structures that can lie in windows: each is as in C, of plain fields and without gaps between them, so that all bytes are a value, and
/// every byte has one.
#[macro_export]
macro_rules! plain {
    ($($(#[$meta:meta])* $vis:vis struct $name:ident { $($(#[$doc:meta])* $field_vis:vis $field:ident: $type:ty),+ $(,)? })+) => { $(
        $(#[$meta])*
        #[repr(C)]
        #[derive(Clone, Copy)]
        $vis struct $name { $($(#[$doc])* $field_vis $field: $type),+ }
        const _: () = {
            const fn is_plain<T: $crate::abi::window::Plain>() {}
            $(is_plain::<$type>();)+
            assert!(size_of::<$name>() == 0 $(+ size_of::<$type>())+, "there is a gap between its fields");
        };
        // SAFETY: its fields are, and there is nothing between them.
        unsafe impl $crate::abi::window::Plain for $name {}
    )+ };
}
