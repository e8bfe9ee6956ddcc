//! How the bytes of a console cross the serial port, or the port of a virtio console, between the machine and its host where programs
//! rather than a person are at both ends: all values of a byte, output and errors apart, an end of input that lasts, and nothing sent
//! that there is no room for. `ESCAPE` and one of the bytes below stand for what no byte of data does; `ESCAPE` twice is one byte of data.

use crate::Error;

/// Data link escape (ASCII).
pub const ESCAPE: u8 = 0x10;

/// To the host: what follows is standard output, as at the start. To the machine: nobody takes it any more.
pub const OUTPUT: u8 = 1;
/// The same for standard error.
pub const ERROR: u8 = 2;
/// To the host, with a number behind it: readers have taken so many bytes of input more, which need not be kept.
pub const TAKEN: u8 = 3;
/// To the machine: the input has ended.
pub const END: u8 = 4;
/// To the host, with a number behind it that hardly comes twice: the console is there, or there again, and has room for all that may wait
/// ([`SERIAL_ROOM`], [`PORT_ROOM`]). Nothing may be sent before. To the machine, with the same number: what comes before this was for one
/// that is no more. What was sent and not taken follows again.
pub const BEGIN: u8 = 5;

/// To the host: Ctrl-C was typed, and nobody is there who takes it. It ends the machine.
pub const INTERRUPTED: u8 = 6;

/// What `console.ready` says: a reader would not wait. Bits `1 << OUTPUT` and `1 << ERROR`: nobody takes that.
pub const READY: usize = 1;

/// Bytes of input that may wait for a reader on the serial port.
pub const SERIAL_ROOM: usize = 4096;
/// On the port of a virtio console, which is a thousand times as fast: enough that the host and the machine need not wait for each other.
pub const PORT_ROOM: usize = 32768;

/// Bytes of a number behind [`TAKEN`] or [`BEGIN`].
pub const DIGITS: usize = 4;
/// The number's last 28 bits, in bytes that are never [`ESCAPE`].
pub const fn digits(number: u32) -> [u8; DIGITS] {
    [digit(number >> 21), digit(number >> 14), digit(number >> 7), digit(number)]
}
const fn digit(number: u32) -> u8 {
    number as u8 | DIGIT
}
const DIGIT: u8 = 0x80;
/// A number that arrives byte by byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Number {
    value: u32,
    digits: usize,
}
impl Number {
    /// Takes the next byte; the number, where that was the last one. `EINVAL`: it is none of a number,
    /// of which the rest is missing.
    pub fn next(&mut self, byte: u8) -> Result<Option<u32>, Error> {
        if byte & DIGIT == 0 {
            return Err(Error::EINVAL);
        }
        self.value = self.value << 7 | (byte & !DIGIT) as u32;
        self.digits += 1;
        Ok((self.digits == DIGITS).then_some(self.value))
    }
}

/// The place of that virtio console in QEMU's machine.
pub const PORT_DEVICE: &str = "virtio_mmio@10004000";
/// The number of its port. Number 0 is for consoles that lose what nobody takes at once (Virtual I/O Device 1.1, section 5.3.2).
pub const PORT_NUMBER: u32 = 1;

/// The console driver's argument for output in this form.
pub const FRAMED_OUTPUT: &str = "framed-output";
/// For what is typed too: Ctrl-C is for the main program, which is told by [`INIT_SIGNAL`], or for the host.
pub const INTERRUPTS: &str = "interrupts";
/// What it opens for that.
pub const INIT_SIGNAL: &str = "init.signal";
/// And for input, which then is never shown or edited. It asks for framed output too.
pub const FRAMED_INPUT: &str = "framed-input";

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn a_number_is_what_it_was() {
        for number in [0, 1, 127, 128, PORT_ROOM as u32, (1 << 28) - 1] {
            let (mut read, digits) = (Number::default(), digits(number));
            assert!(digits.iter().all(|&byte| byte != ESCAPE));
            let ends = digits.map(|byte| read.next(byte));
            assert_eq!(ends, [Ok(None), Ok(None), Ok(None), Ok(Some(number))]);
        }
        assert_eq!(Number::default().next(ESCAPE), Err(Error::EINVAL));
    }
}
