//! The registers of a 16550 (National Semiconductor PC16550D data sheet, section 8), one byte apart. Reading and writing
//! them only: who waits for what is in `main`.

/// Data: the receive FIFO when read, the transmit FIFO when written.
const DATA: usize = 0;
const INTERRUPT_ENABLE: usize = 1;
const FIFO_CONTROL: usize = 2;
const LINE_STATUS: usize = 5;
/// Interrupt enable: received data, transmitter empty.
const RECEIVED: u8 = 1;
const EMPTIED: u8 = 2;
/// Line status: data ready; transmit FIFO empty; transmit FIFO and shift register empty.
const DATA_READY: u8 = 1;
const HOLDING_EMPTY: u8 = 0x20;
const TRANSMITTER_EMPTY: u8 = 0x40;
/// FIFO control: on; interrupts for received bytes come when there are 14, or when no more follow, rather than for each.
const FIFO_ON: u8 = 1;
const FIFO_FOURTEEN: u8 = 0xc0;
/// Bytes that fit in the transmit FIFO when the transmitter is empty.
pub const FIFO: usize = 16;

/// The device; a copy is as good as another.
#[derive(Clone, Copy)]
pub struct Uart(usize);
impl Uart {
    /// The device with its FIFOs on and its interrupts off. `many`: received bytes come in numbers rather than one by one.
    ///
    /// # Safety
    /// The registers of a 16550 are mapped at `address`, for this driver alone.
    pub unsafe fn new(address: usize, many: bool) -> Uart {
        let uart = Uart(address);
        uart.write(INTERRUPT_ENABLE, 0);
        uart.write(FIFO_CONTROL, if many { FIFO_ON | FIFO_FOURTEEN } else { FIFO_ON });
        uart
    }
    fn read(self, register: usize) -> u8 {
        // SAFETY: `new`'s promise.
        unsafe { ((self.0 + register) as *const u8).read_volatile() }
    }
    fn write(self, register: usize, value: u8) {
        // SAFETY: `new`'s promise.
        unsafe { ((self.0 + register) as *mut u8).write_volatile(value) }
    }
    /// A received byte, if there is one.
    pub fn receive(self) -> Option<u8> {
        (self.read(LINE_STATUS) & DATA_READY != 0).then(|| self.read(DATA))
    }
    /// Whether `FIFO` bytes can be sent.
    pub fn ready(self) -> bool {
        self.read(LINE_STATUS) & HOLDING_EMPTY != 0
    }
    /// Whether every byte has left the device.
    pub fn drained(self) -> bool {
        self.read(LINE_STATUS) & TRANSMITTER_EMPTY != 0
    }
    pub fn send(self, byte: u8) {
        self.write(DATA, byte);
    }
    /// Interrupts for received bytes, and also when the transmitter is empty or not. Off in a new `Uart`: to be called
    /// once the interrupt is attached to, so that one for bytes that are there already is not missed.
    pub fn interrupt_when_empty(self, on: bool) {
        self.write(INTERRUPT_ENABLE, if on { RECEIVED | EMPTIED } else { RECEIVED });
    }
}
