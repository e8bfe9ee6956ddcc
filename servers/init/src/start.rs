//! The start block that a component finds at the top of its stack.

use abi::start::{Start, StartDevice};
use alloc::vec::Vec;

/// The block for a stack that ends at `top`: its bytes, and the address they belong at, which is also the initial stack
/// pointer.
pub fn block(top: usize, arguments: &[&str], devices: &[StartDevice]) -> (usize, Vec<u8>) {
    let strings: usize = arguments.iter().map(|a| a.len() + 1).sum();
    let size = size_of::<Start>() + size_of_val(devices) + (arguments.len() + 1) * 8 + strings;
    let at = (top - size) & !15;
    let devices_at = at + size_of::<Start>();
    let argv_at = devices_at + size_of_val(devices);
    let mut string_at = argv_at + (arguments.len() + 1) * 8;
    let mut bytes = Vec::with_capacity(size);
    let mut word = |value: usize| bytes.extend_from_slice(&(value as u64).to_le_bytes());
    for value in [arguments.len(), argv_at, devices.len(), devices_at] {
        word(value);
    }
    for device in devices {
        word(device.address as usize);
        word(device.bytes as usize);
    }
    for argument in arguments {
        word(string_at);
        string_at += argument.len() + 1;
    }
    word(0);
    for argument in arguments {
        bytes.extend_from_slice(argument.as_bytes());
        bytes.push(0);
    }
    (at, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn pointers_lead_to_the_strings() {
        let (at, bytes) = block(0x1000, &["name", "x"], &[StartDevice { address: 7, bytes: 9 }]);
        let word = |a: usize| u64::from_le_bytes(bytes[a - at..a - at + 8].try_into().unwrap()) as usize;
        assert_eq!((at % 16, word(at)), (0, 2));
        let second = word(word(at + 8) + 8);
        assert_eq!(&bytes[second - at..second - at + 2], b"x\0");
        assert_eq!((word(word(at + 24)), word(word(at + 24) + 8)), (7, 9));
        assert!(at + bytes.len() <= 0x1000);
    }
}
