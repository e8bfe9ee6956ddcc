//! How the bytes of a console cross the serial port, or the port of a virtio console, between the machine and its host where programs
//! rather than a person are at both ends: all values of a byte, output and errors apart, an end of input that lasts, and nothing sent
//! that there is no room for. `ESCAPE` and one of the bytes below stand for what no byte of data does; `ESCAPE` twice is one byte of data.

/// Data link escape (ASCII).
pub const ESCAPE: u8 = 0x10;

/// To the host: what follows is standard output, as at the start. To the machine: nobody takes it any more.
pub const OUTPUT: u8 = 1;
/// The same for standard error.
pub const ERROR: u8 = 2;
/// To the host: [`Credit::step`] more bytes of input may come.
pub const TAKEN: u8 = 3;
/// To the machine: the input has ended.
pub const END: u8 = 4;
/// To the host: the console is there (again), and has room for [`Credit::room`] bytes of input. None may be sent before.
pub const BEGIN: u8 = 5;

/// To the host: Ctrl-C was typed, and nobody is there who takes it. It ends the machine.
pub const INTERRUPTED: u8 = 6;

/// How much input the host may send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Credit {
    /// Bytes of input that wait for a reader.
    pub room: usize,
    /// Bytes that readers take before [`TAKEN`] is sent.
    pub step: usize,
}
/// On the serial port.
pub const SERIAL: Credit = Credit { room: 4096, step: 1024 };
/// On the port of a virtio console, which is a thousand times as fast: enough that the host and the machine need not wait for each other.
pub const PORT: Credit = Credit { room: 32768, step: 8192 };

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
