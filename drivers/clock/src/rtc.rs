//! The registers of the Goldfish real-time clock (Android's goldfish, `GOLDFISH-VIRTUAL-HARDWARE`, section VII).

const TIME_LOW: usize = 0x00;
const TIME_HIGH: usize = 0x04;
const ALARM_LOW: usize = 0x08;
const ALARM_HIGH: usize = 0x0c;
const INTERRUPT_ENABLED: usize = 0x10;
const CLEAR_INTERRUPT: usize = 0x1c;

#[derive(Clone, Copy)]
pub struct Rtc(usize);
impl Rtc {
    /// # Safety
    /// The clock's registers are mapped at `address`, for this driver alone.
    pub unsafe fn new(address: usize) -> Rtc {
        Rtc(address)
    }
    fn read(self, register: usize) -> u32 {
        // SAFETY: `new`'s promise.
        unsafe { ((self.0 + register) as *const u32).read_volatile() }
    }
    fn write(self, register: usize, value: u32) {
        // SAFETY: `new`'s promise.
        unsafe { ((self.0 + register) as *mut u32).write_volatile(value) }
    }
    /// Nanoseconds since 1970. Reading the low half keeps the high one.
    pub fn now(self) -> u64 {
        let low = self.read(TIME_LOW) as u64;
        (self.read(TIME_HIGH) as u64) << 32 | low
    }
    /// Interrupts at `time`; writing the low half sets the alarm.
    pub fn alarm(self, time: u64) {
        self.write(INTERRUPT_ENABLED, 1);
        self.write(ALARM_HIGH, (time >> 32) as u32);
        self.write(ALARM_LOW, time as u32);
    }
    /// Takes the interrupt back.
    pub fn acknowledge(self) {
        self.write(CLEAR_INTERRUPT, 1);
    }
}
