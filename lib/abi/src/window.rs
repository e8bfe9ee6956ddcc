//! A window on values: what a caller alleges to lie in the page that an argument of its call shows.
//!
//! The portal has made the address: it lies in a page that is open for this call, and so does everything up to the end of that
//! page. The length is only what the caller says, and so is where in the page it begins. [`Window::new`] is the one place where
//! these are made out to fit together; there is no other way to get at what a window shows but through what it returns.
//!
//! What a window shows stays the caller's, whose other threads may change it at any time. So values are copied out before they are
//! looked at, and each is any bytes whatever: only what is [`Plain`] can be read.

use crate::Error;
use crate::address::PAGE;
use core::marker::PhantomData;

/// A type that all bytes are a value of, so that it can be copied from what others write.
///
/// # Safety
/// Every value of its bytes is a value of the type.
pub unsafe trait Plain: Copy {}
macro_rules! plain {
    ($($plain:ty),*) => { $(
        // SAFETY: integers, and structures and arrays of integers.
        unsafe impl Plain for $plain {}
    )* };
}
plain!(u8, u16, u32, u64, usize, i8, i16, i32, i64, isize);
plain!(crate::capability::Info, crate::file::Entry, crate::file::Hand, crate::file::Lock, crate::file::Status);
plain!(crate::internet::Address, crate::internet::Configuration, crate::internet::Datagram, crate::internet::Found);
plain!(
    crate::account::DiskParts,
    crate::account::Limits,
    crate::account::Report,
    crate::archive::Image,
    crate::archive::Relocation
);
plain!(
    crate::activity::Activity,
    crate::inspect::Counts,
    crate::inspect::Domain,
    crate::inspect::Portal,
    crate::inspect::Violation
);
plain!(
    crate::linking::Draft,
    crate::linking::Handlers,
    crate::linking::Info,
    crate::linking::Interface,
    crate::linking::Linked,
    crate::linking::Request,
    crate::linking::Terms
);
plain!(
    crate::system::Caller,
    crate::system::Child,
    crate::system::Description,
    crate::system::Ended,
    crate::system::Grant,
    crate::system::NewDomain
);
plain!(crate::system::Registration, crate::template::Template, crate::trace::Traced);
plain!(crate::updating::ImageState, crate::updating::Kept, crate::updating::Request);
// SAFETY: integers, and an address that nobody follows: any word is one.
unsafe impl Plain for crate::section::ShortCircuit {}
// SAFETY: each of them is plain.
unsafe impl<T: Plain, const COUNT: usize> Plain for [T; COUNT] {}

/// What is lent through a window, where it does not cross a page boundary: of up to 64 bytes.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub struct Whole<T>(pub T);
/// The same of up to a page.
#[repr(C, align(4096))]
#[derive(Clone, Copy, Debug)]
pub struct WholePage<T>(pub T);
impl<T> Whole<T> {
    pub const fn new(value: T) -> Whole<T> {
        const { assert!(size_of::<T>() <= 64, "it may cross a page boundary") };
        Whole(value)
    }
}
impl<T> WholePage<T> {
    pub const fn new(value: T) -> WholePage<T> {
        const { assert!(size_of::<T>() <= PAGE, "it is more than a window shows") };
        WholePage(value)
    }
}

/// Bytes that the address of a value in a window must be a multiple of, at most.
const ALIGN: usize = 8;

/// `count` values that follow each other in one page, which is open for the call that is being served: neither it nor what it shows outlives
/// that call.
#[derive(Clone, Copy, Debug)]
pub struct Window<'call, T> {
    address: usize,
    count: usize,
    shows: PhantomData<(&'call (), *mut T)>,
}
impl<'call, T: Plain> Window<'call, T> {
    /// The window on `count` values from `address` on. `EINVAL`: they do not end with the page, or the address is not a multiple of
    /// their alignment, or of 8 where that is larger.
    ///
    /// # Safety
    /// `address` is a window argument of the call that is being served, and `'call` ends with that call; it is written only if the argument's
    /// letter allows that.
    #[inline(always)]
    pub const unsafe fn new(address: usize, count: usize) -> Result<Window<'call, T>, Error> {
        const { assert!(size_of::<T>() > 0 && size_of::<T>() <= PAGE) };
        let align = if align_of::<T>() < ALIGN { align_of::<T>() } else { ALIGN };
        // Nothing here can wrap: what is left of a page is 1 to 4,096 bytes.
        let room = PAGE - address % PAGE;
        if count > room / size_of::<T>() || !address.is_multiple_of(align) {
            return Err(Error::EINVAL);
        }
        Ok(Window { address, count, shows: PhantomData })
    }
    /// The window on as many values as the rest of the page has room for. `EINVAL`: the address is not aligned.
    ///
    /// # Safety
    /// As for [`Window::new`].
    pub const unsafe fn rest(address: usize) -> Result<Window<'call, T>, Error> {
        // SAFETY: as for this function.
        unsafe { Window::new(address, (PAGE - address % PAGE) / size_of::<T>()) }
    }
    /// How many values it shows.
    #[inline(always)]
    pub const fn count(self) -> usize {
        self.count
    }
    /// Where the first one is; nothing beyond the last one may be touched.
    #[inline(always)]
    pub const fn pointer(self) -> *mut T {
        self.address as *mut T
    }
    /// Copies its first values to `to`, as many as both have; how many.
    #[inline(always)]
    pub fn copy_to(self, to: &mut [T]) -> usize {
        let count = to.len().min(self.count);
        // SAFETY: so many are shown, by the promise of `new`; what we own is elsewhere.
        unsafe {
            core::ptr::copy_nonoverlapping(self.pointer().cast::<u8>(), to.as_mut_ptr().cast(), count * size_of::<T>())
        };
        count
    }
    /// Copies the first values of `from` to it, as many as both have; how many.
    #[inline(always)]
    pub fn copy_from(self, from: &[T]) -> usize {
        let count = from.len().min(self.count);
        // SAFETY: as above, and it may be written.
        unsafe {
            core::ptr::copy_nonoverlapping(from.as_ptr().cast::<u8>(), self.pointer().cast(), count * size_of::<T>())
        };
        count
    }
    /// The same to those from number `first` on.
    #[inline(always)]
    pub fn copy_from_at(self, first: usize, from: &[T]) -> usize {
        let first = first.min(self.count);
        let rest = Window { address: self.address + first * size_of::<T>(), count: self.count - first, ..self };
        rest.copy_from(from)
    }
    /// Its values in place.
    ///
    /// # Safety
    /// Whoever looks at them copies them once, and relies on nothing that was seen before.
    #[inline(always)]
    pub unsafe fn values(self) -> &'call [T] {
        // SAFETY: so many are shown for the call.
        unsafe { core::slice::from_raw_parts(self.pointer(), self.count) }
    }
    /// Its values in place, to be written.
    ///
    /// # Safety
    /// As above; and there is no other reference to them in this domain.
    #[inline(always)]
    pub unsafe fn values_mut(self) -> &'call mut [T] {
        // SAFETY: as above, and it may be written.
        unsafe { core::slice::from_raw_parts_mut(self.pointer(), self.count) }
    }
}
/// Copies the one `T` at `address`. `EINVAL`: it does not end with the page, or is not aligned.
///
/// # Safety
/// As for [`Window::new`].
#[inline(always)]
pub unsafe fn read<T: Plain>(address: usize) -> Result<T, Error> {
    // SAFETY: as for this function.
    let window = unsafe { Window::<T>::new(address, 1) }?;
    // SAFETY: it is shown, and all bytes are a value.
    Ok(unsafe { window.pointer().read_unaligned() })
}
/// Writes `value` at `address`. `EINVAL`: it does not end with the page, or is not aligned.
///
/// # Safety
/// As for [`Window::new`].
#[inline(always)]
pub unsafe fn write<T: Plain>(address: usize, value: &T) -> Result<(), Error> {
    // SAFETY: as for this function.
    let window = unsafe { Window::<T>::new(address, 1) }?;
    // SAFETY: it is shown, and may be written.
    unsafe { window.pointer().write_unaligned(*value) };
    Ok(())
}
