//! What an argument of a portal can be. Each is one word, so that a typed call costs what an untyped one does; each is an *allegation*:
//! whoever calls passes what it likes, and the server asks its own tables who or what is meant.

use abi::Error;
use abi::identity::DomainId;
use abi::name::{Name, Short};
use abi::rights::Rights;
use abi::window::{Plain, Window};
use core::fmt::{Formatter, Write};
use core::marker::PhantomData;

/// How a word is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A number, without a sign.
    Number,
    /// A number with a sign.
    Signed,
    /// A domain, by its number.
    Domain,
    /// A domain that is meant for longer, by number and serial.
    Identity,
    /// An address, a physical one too.
    Address,
    /// Rights to pages.
    Rights,
    /// A thread, by its index or its id.
    Thread,
    /// A portal, by its number in somebody's table.
    Portal,
    /// A semaphore, by its id.
    Semaphore,
    /// A time to wait, in ticks of two cycles; with a sign.
    Ticks,
    /// A time, in nanoseconds since 1970.
    Moment,
    /// The address of what a window shows.
    Window,
}
impl Kind {
    /// `word` as such a one.
    pub fn shown(self, word: usize) -> impl core::fmt::Display {
        core::fmt::from_fn(move |f| self.show(word, f))
    }
    /// Writes `word` as such a one.
    pub(crate) fn show(self, word: usize, f: &mut Formatter) -> core::fmt::Result {
        match self {
            Kind::Number | Kind::Domain | Kind::Thread | Kind::Portal | Kind::Semaphore => write!(f, "{word}"),
            Kind::Signed => write!(f, "{}", word as isize),
            Kind::Ticks => write!(f, "{} ticks", word as isize),
            Kind::Moment => write!(f, "{word} ns"),
            Kind::Window | Kind::Address | Kind::Identity => write!(f, "{word:#x}"),
            Kind::Rights => show_rights(word, f),
        }
    }
    /// Whether the letter of a specification passes such a one.
    pub(crate) const fn fits(self, letter: u8) -> bool {
        let window = matches!(letter, b'w' | b'r' | b'W' | b'R' | b'S');
        window == matches!(self, Kind::Window)
    }
}
/// `rwx`, with a dash for each that is not there.
fn show_rights(word: usize, f: &mut Formatter) -> core::fmt::Result {
    let Some(rights) = Rights::of_page(word) else { return write!(f, "{word:#x}") };
    [(Rights::READ, 'r'), (Rights::WRITE, 'w'), (Rights::EXECUTE, 'x')]
        .into_iter()
        .try_for_each(|(one, letter)| f.write_char(if rights.contains(one) { letter } else { '-' }))
}
/// An argument of a portal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Argument {
    pub name: &'static str,
    pub kind: Kind,
}

/// A type of one word.
pub trait Word: Copy {
    const KIND: Kind;
    /// What goes through the portal.
    fn word(self) -> usize;
}
impl Word for usize {
    const KIND: Kind = Kind::Number;
    #[inline(always)]
    fn word(self) -> usize {
        self
    }
}
impl Word for isize {
    const KIND: Kind = Kind::Signed;
    #[inline(always)]
    fn word(self) -> usize {
        self as usize
    }
}
macro_rules! words {
    ($($(#[$doc:meta])* $name:ident: $kind:ident;)+) => { $(
        $(#[$doc])*
        #[repr(transparent)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name(pub usize);
        impl Word for $name {
            const KIND: Kind = Kind::$kind;
            #[inline(always)]
            fn word(self) -> usize {
                self.0
            }
        }
    )+ };
}
words! {
    /// A domain, by the number that it has as long as it lives: for calls in which it can not have ended meanwhile. Who is meant for
    /// longer is an [`abi::identity::DomainId`].
    DomainNumber: Domain;
    /// A domain by number and serial ([`abi::identity::DomainId`]): no other is ever meant.
    Identity: Identity;
    /// An address in a component's space.
    Address: Address;
    /// A physical address.
    Physical: Address;
    /// Rights to pages, as whoever calls says them.
    PageRights: Rights;
    /// A thread, by its place in the system's table, which another may have later.
    ThreadIndex: Thread;
    /// A thread, by the number that no other has before the numbers of its place begin anew.
    ThreadId: Thread;
    /// A portal, by its number in the table of who calls, or of whom the call is about.
    PortalNumber: Portal;
    /// What a new thread has of its home: the highest priority that it may give itself, and the account.
    CeilingAndAccount: Number;
    /// A semaphore of the scheduler's.
    SemaphoreId: Semaphore;
    /// A time in ticks of two cycles, with a sign.
    Ticks: Ticks;
    /// A time, in nanoseconds since 1970.
    Moment: Moment;
}
impl Identity {
    /// Who is alleged, for whatever outlives the call. `EINVAL`: it is no identity; a number alone is nobody.
    #[inline(always)]
    pub fn meant(self) -> Result<DomainId> {
        DomainId::of(self.0 as u64).ok_or(Error::EINVAL)
    }
    /// Whose number it is only as long as this one lives.
    pub const fn number(self) -> DomainNumber {
        DomainNumber(self.0 & ((1 << abi::identity::NUMBER_BITS) - 1))
    }
}
impl From<DomainId> for Identity {
    #[inline(always)]
    fn from(id: DomainId) -> Identity {
        Identity(id.word() as usize)
    }
}
impl From<Rights> for PageRights {
    #[inline(always)]
    fn from(rights: Rights) -> PageRights {
        PageRights(rights.bits() as usize)
    }
}
impl CeilingAndAccount {
    /// First bit of the account: the ceiling is below it.
    const ACCOUNT: u32 = u8::BITS;

    #[inline(always)]
    pub const fn new(ceiling: u8, account: usize) -> CeilingAndAccount {
        CeilingAndAccount(ceiling as usize | account << CeilingAndAccount::ACCOUNT)
    }
    #[inline(always)]
    pub const fn ceiling(self) -> u8 {
        self.0 as u8
    }
    #[inline(always)]
    pub const fn account(self) -> usize {
        self.0 >> CeilingAndAccount::ACCOUNT
    }
}
impl Ticks {
    /// Less than nothing: for ever.
    pub const FOR_EVER: Ticks = Ticks(usize::MAX);
}

/// Where a `T` is said to be, in a page that a window shows for the call. The caller makes it of what it lends, or lends on; that it is there
/// as a whole is seen when the server reads it.
///
/// `'call` is at most the time of that call: entry points are functions for any such time, so none keeps what it was shown, or has another thread
/// look at it.
#[repr(transparent)]
pub struct Alleged<'call, T> {
    address: usize,
    shows: PhantomData<(&'call (), *const T)>,
}
impl<T> Clone for Alleged<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Alleged<'_, T> {}
impl<T> Word for Alleged<'_, T> {
    const KIND: Kind = Kind::Window;
    #[inline(always)]
    fn word(self) -> usize {
        self.address
    }
}
impl<'call, T> Alleged<'call, T> {
    const fn at(address: usize) -> Alleged<'call, T> {
        Alleged { address, shows: PhantomData }
    }
    /// For lending `value` to who is called: for reading where the letter is `r`.
    #[inline(always)]
    pub fn lend(value: &'call T) -> Alleged<'call, T> {
        Alleged::at(&raw const *value as usize)
    }
    /// For lending memory of one's own to who writes to it: where the letter is `w`.
    #[inline(always)]
    pub fn lend_to_write(value: &'call mut T) -> Alleged<'call, T> {
        Alleged::at(&raw mut *value as usize)
    }
    /// The same of several, the first of which is named: how many there are is an argument of its own.
    #[inline(always)]
    pub fn lend_all(values: &'call [T]) -> Alleged<'call, T> {
        Alleged::at(values.as_ptr() as usize)
    }
    #[inline(always)]
    pub fn lend_all_to_write(values: &'call mut [T]) -> Alleged<'call, T> {
        Alleged::at(values.as_mut_ptr() as usize)
    }
    /// For lending what is at `address`.
    ///
    /// # Safety
    /// A `T` is there for `'call`, the caller's own or shown by a window of the call that is being served.
    #[inline(always)]
    pub const unsafe fn lent_on(address: usize) -> Alleged<'call, T> {
        Alleged::at(address)
    }
    /// The same, taken for something else: what is there is only known by what else was passed.
    #[inline(always)]
    pub const fn of<U>(self) -> Alleged<'call, U> {
        Alleged::at(self.address)
    }
    /// Where it is, as a number.
    #[inline(always)]
    pub const fn address(self) -> usize {
        self.address
    }
}
impl<'call, T: Plain> Alleged<'call, T> {
    /// A copy of the value. `EINVAL`: it does not end with the page, or is not aligned.
    #[inline(always)]
    pub fn read(self) -> Result<T> {
        // SAFETY: it is an argument of the call that is being served, or lent by this domain itself, as it is still there.
        unsafe { abi::window::read(self.address) }
    }
    /// Writes a value there. `EINVAL` as above.
    ///
    /// # Safety
    /// The letter of its argument shows it for writing.
    #[inline(always)]
    pub unsafe fn write(self, value: &T) -> Result<()> {
        // SAFETY: as above, and as for this function.
        unsafe { abi::window::write(self.address, value) }
    }
    /// The window on `count` of them, as [`Window::new`].
    ///
    /// # Safety
    /// It is written only if the argument's letter allows that.
    #[inline(always)]
    pub const unsafe fn window(self, count: usize) -> Result<Window<'call, T>> {
        // SAFETY: as above, and as for this function.
        unsafe { Window::new(self.address, count) }
    }
    /// The window on the rest of its page, as [`Window::rest`].
    ///
    /// # Safety
    /// As for [`Alleged::window`].
    pub const unsafe fn rest(self) -> Result<Window<'call, T>> {
        // SAFETY: as above, and as for this function.
        unsafe { Window::rest(self.address) }
    }
}
impl<'call> Alleged<'call, Name> {
    /// For lending a name that was not looked at: who is called does.
    #[inline(always)]
    pub fn lend_unseen(name: &'call Short) -> Alleged<'call, Name> {
        Alleged::at(name.padded().as_ptr() as usize)
    }
    /// Runs `body` with a copy of the name. `EINVAL`: there is none, or it does not end with the page.
    #[inline(always)]
    pub fn with<R>(self, body: impl FnOnce(&Name) -> Result<R>) -> Result<R> {
        // SAFETY: as for `read`.
        unsafe { Name::with(self.address, body) }
    }
    /// A copy of the name. `EINVAL` as above.
    #[inline(always)]
    pub fn name(self) -> Result<Name> {
        // SAFETY: as for `read`.
        unsafe { Name::read(self.address) }
    }
}

/// What a call of a portal gives.
pub type Result<T> = core::result::Result<T, Error>;
/// What a portal's result says where it is no error.
pub trait Answer: Sized {
    fn of(value: usize) -> Self;
}
impl Answer for () {
    #[inline(always)]
    fn of(_: usize) {}
}
impl Answer for usize {
    #[inline(always)]
    fn of(value: usize) -> usize {
        value
    }
}
impl Answer for bool {
    #[inline(always)]
    fn of(value: usize) -> bool {
        value != 0
    }
}
macro_rules! answers {
    ($($name:ident),+) => { $(
        impl Answer for $name {
            #[inline(always)]
            fn of(value: usize) -> $name {
                $name(value)
            }
        }
    )+ };
}
answers!(Address, DomainNumber, Identity, Physical, PortalNumber, Moment, ThreadIndex, ThreadId, SemaphoreId);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ceiling_and_an_account_are_as_they_were_behind_a_portal() {
        for (ceiling, account) in [(0, 0), (63, 0), (0, 31), (20, 7), (u8::MAX, abi::account::ACCOUNTS - 1)] {
            let passed = CeilingAndAccount(CeilingAndAccount::new(ceiling, account).word());
            assert_eq!((passed.ceiling(), passed.account()), (ceiling, account));
        }
    }
}
