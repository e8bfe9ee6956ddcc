//! How the bytes of a console cross the serial port between the machine and its host where programs rather than a person are
//! at both ends: all values of a byte, output and errors apart, an end of input that lasts, and nothing sent that there is no
//! room for. `ESCAPE` and one of the bytes below stand for what no byte of data does; `ESCAPE` twice is one byte of data.

/// Data link escape (ASCII).
pub const ESCAPE: u8 = 0x10;

/// To the host: what follows is standard output, as at the start. To the machine: nobody takes it any more.
pub const OUTPUT: u8 = 1;
/// The same for standard error.
pub const ERROR: u8 = 2;
/// To the host: [`STEP`] more bytes of input may come.
pub const TAKEN: u8 = 3;
/// To the machine: the input has ended.
pub const END: u8 = 4;
/// To the host: the console is there (again), and has room for [`ROOM`] bytes of input. None may be sent before.
pub const BEGIN: u8 = 5;

/// Bytes of input that wait for a reader.
pub const ROOM: usize = 4096;
/// Bytes that readers take before [`TAKEN`] is sent.
pub const STEP: usize = 1024;

/// The console driver's argument for output in this form.
pub const FRAMED_OUTPUT: &str = "framed-output";
/// And for input, which then is never shown or edited. It asks for framed output too.
pub const FRAMED_INPUT: &str = "framed-input";
