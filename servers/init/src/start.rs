//! The start block that a component finds at the top of its stack.

use abi::Error;
use abi::identity::DomainId;
use abi::start::{Start, StartDevice};
use alloc::vec::Vec;

/// What a component is started with.
#[derive(Clone, Copy, Default)]
pub struct Request<'a> {
    /// Its name, and words behind it.
    pub arguments: &'a [&'a str],
    /// `NAME=value`.
    pub environment: &'a [&'a str],
    /// The domain that asked for it, and a bit for each standard stream that this one hands over.
    pub starter: Option<DomainId>,
    pub inherited: u32,
}

/// The block for a stack that ends at `top`: its bytes, and the address they belong at, which is also the initial stack
/// pointer. `EINVAL`: it is more than `most` bytes; `ENOMEM`.
pub fn block(top: usize, most: usize, request: &Request, devices: &[StartDevice]) -> Result<(usize, Vec<u8>), Error> {
    let Request { arguments, environment, starter, inherited } = *request;
    let lists = [arguments, environment];
    let strings: usize = lists.iter().flat_map(|list| list.iter()).map(|a| a.len() + 1).sum();
    let pointers = (arguments.len() + environment.len() + lists.len()) * 8;
    let size = size_of::<Start>() + size_of_val(devices) + pointers + strings;
    if size > most {
        return Err(Error::EINVAL);
    }
    let at = (top - size) & !15;
    let devices_at = at + size_of::<Start>();
    let argv_at = devices_at + size_of_val(devices);
    let mut string_at = argv_at + pointers;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(size).map_err(|_| Error::ENOMEM)?;
    let mut word = |value: usize| bytes.extend((value as u64).to_le_bytes());
    let third = devices.len() | (inherited as usize) << 32;
    let starter = starter.map_or(0, DomainId::word) as usize;
    for value in [arguments.len(), argv_at, third, devices_at, starter] {
        word(value);
    }
    for device in devices {
        word(device.address as usize);
        word(device.bytes as usize);
    }
    for list in lists {
        for string in list {
            word(string_at);
            string_at += string.len() + 1;
        }
        word(0);
    }
    for string in lists.into_iter().flatten() {
        bytes.extend(string.bytes().chain([0]));
    }
    Ok((at, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn pointers_lead_to_the_strings() {
        let starter = DomainId::of(7 << 16 | 13);
        let request = Request { arguments: &["name", "x"], environment: &["A=b"], starter, inherited: 2 };
        let devices = [StartDevice { address: 7, bytes: 9 }];
        let (at, bytes) = block(0x1000, 0x1000, &request, &devices).unwrap();
        let word = |a: usize| u64::from_le_bytes(bytes[a - at..a - at + 8].try_into().unwrap()) as usize;
        assert_eq!((at % 16, word(at)), (0, 2));
        let second = word(word(at + 8) + 8);
        assert_eq!(&bytes[second - at..second - at + 2], b"x\0");
        assert_eq!((word(word(at + 24)), word(word(at + 24) + 8)), (7, 9));
        let variable = word(word(at + 8) + 24);
        assert_eq!(&bytes[variable - at..variable - at + 4], b"A=b\0");
        assert_eq!((word(word(at + 8) + 32), word(at + 16), word(at + 32)), (0, 1 | 2 << 32, 7 << 16 | 13));
        assert!(at + bytes.len() <= 0x1000);
    }
    #[test]
    fn a_block_that_is_too_long_or_has_no_memory_is_refused() {
        let request = Request { arguments: &["name", "0123456789"], ..Request::default() };
        let (_, bytes) = block(0x1000, 0x1000, &request, &[]).unwrap();
        assert_eq!(block(0x1000, bytes.len() - 1, &request, &[]), Err(Error::EINVAL));
        assert_eq!(block(0x1000, bytes.len(), &request, &[]).unwrap().1, bytes);
        let failed = fallible::failing::with_only(0, || block(0x1000, 0x1000, &request, &[]));
        assert_eq!(failed, Err(Error::ENOMEM));
        // It is one allocation.
        assert!(fallible::failing::with_only(1, || block(0x1000, 0x1000, &request, &[])).is_ok());
    }
}
