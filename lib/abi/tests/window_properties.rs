//! Windows at any address, of any length, beside arithmetic that can not wrap.

use abi::Error;
use abi::address::PAGE;
use abi::system::{Ended, Registration};
use abi::window::{self, Plain, Window};
use proptest::prelude::*;

/// Whether `count` values of `T` from `address` on lie in one page, and are aligned.
fn oracle<T>(address: usize, count: usize) -> bool {
    let end = (address % PAGE) as u128 + count as u128 * size_of::<T>() as u128;
    end <= PAGE as u128 && address.is_multiple_of(align_of::<T>().min(8))
}
fn agree<T: Plain>(address: usize, count: usize) -> Result<(), TestCaseError> {
    // SAFETY: nothing is read or written.
    let made = unsafe { Window::<T>::new(address, count) };
    prop_assert_eq!(
        made.is_ok(),
        oracle::<T>(address, count),
        "{} of {} bytes at {:x}",
        count,
        size_of::<T>(),
        address
    );
    match made {
        Ok(window) => prop_assert_eq!((window.count(), window.pointer() as usize), (count, address)),
        Err(error) => prop_assert_eq!(error, Error::EINVAL),
    }
    Ok(())
}
fn address() -> impl Strategy<Value = usize> {
    prop_oneof![
        any::<usize>(),
        0..2 * PAGE,
        (usize::MAX - 2 * PAGE)..=usize::MAX,
        (1..64usize, -9..9isize).prop_map(|(page, off)| (0x4000_0000 + page * PAGE).wrapping_add_signed(off)),
    ]
}
fn count() -> impl Strategy<Value = usize> {
    prop_oneof![
        any::<usize>(),
        0..2 * PAGE,
        (usize::MAX - 2 * PAGE)..=usize::MAX,
        (0..64u32, -9..9isize).prop_map(|(bit, off)| (1usize << bit).wrapping_add_signed(off)),
        // What wraps when it is multiplied by a size.
        (1..4096usize, -2..3isize).prop_map(|(size, off)| (usize::MAX / size).wrapping_add_signed(off)),
    ]
}
#[repr(align(4096))]
struct Page([u8; PAGE]);

proptest! {
    #![proptest_config(properties::config(20_000))]

    #[test]
    fn a_window_ends_with_its_page(address in address(), count in count()) {
        agree::<u8>(address, count)?;
        agree::<u32>(address, count)?;
        agree::<u64>(address, count)?;
        agree::<[u8; 3]>(address, count)?;
        agree::<[u8; PAGE]>(address, count)?;
        agree::<Ended>(address, count)?;
        agree::<Registration>(address, count)?;
    }
    #[test]
    fn the_rest_of_a_page_is_what_fits(address in address()) {
        // SAFETY: nothing is read or written.
        let rest = unsafe { Window::<u64>::rest(address) };
        prop_assert_eq!(rest.is_ok(), address % 8 == 0);
        if let Ok(rest) = rest {
            prop_assert!(oracle::<u64>(address, rest.count()) && !oracle::<u64>(address, rest.count() + 1));
        }
    }
    #[test]
    fn what_is_copied_is_what_it_shows(at in 0..PAGE, count in 0..PAGE, filler: u8) {
        let mut page = Page([filler; PAGE]);
        let address = page.0.as_mut_ptr() as usize + at;
        let bytes: Vec<u8> = (0..count).map(|n| (n * 7 + at) as u8).collect();
        // SAFETY: in `page`, which lives that long.
        let made = unsafe { Window::<u8>::new(address, count) };
        prop_assert_eq!(made.is_ok(), at + count <= PAGE);
        let Ok(window) = made else { return Ok(()) };
        prop_assert_eq!(window.copy_from(&[&bytes[..], &[1, 2, 3]].concat()), count);
        prop_assert!(page.0[..at].iter().chain(&page.0[at + count..]).all(|&b| b == filler));
        let mut back = vec![0; count + 3];
        prop_assert_eq!(window.copy_to(&mut back), count);
        prop_assert_eq!(&back[..count], &bytes[..]);
    }
}
#[test]
fn one_value_goes_to_and_from_a_page() {
    let mut page = Page([0; PAGE]);
    let end = page.0.as_mut_ptr() as usize + PAGE;
    let value = Ended { identity: 7, status: -3, ..Ended::default() };
    for back in [64, 72, 128] {
        // SAFETY: in `page`.
        unsafe {
            assert_eq!(window::write(end - back, &value), Ok(()));
            assert_eq!(window::read::<Ended>(end - back).map(|e| (e.number(), e.status)), Ok((7, -3)));
        }
    }
    for back in [8, 56, 63, 65] {
        // SAFETY: as above.
        assert_eq!(unsafe { window::write(end - back, &value) }, Err(Error::EINVAL));
    }
}
