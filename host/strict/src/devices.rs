//! The devices of QEMU's `virt`, as far as Pebble uses them: interrupt controller, serial port, real-time clock, and the test
//! device that stops the machine. The sources are those that the CVA6 model's have (`rtl/`).

/// Interrupt sources of the controller.
const SOURCES: usize = 96;
const PLIC: u64 = 0xc00_0000;
const UART: u64 = 0x1000_0000;
const RTC: u64 = 0x10_1000;
const POWER: u64 = 0x10_0000;
const UART_SOURCE: usize = 10;
const RTC_SOURCE: usize = 11;
/// 2024-01-01, in nanoseconds since 1970: the real-time clock's start in every run.
const START: u64 = 1_704_067_200 * 1_000_000_000;
/// Nanoseconds in a unit of the timer's time.
const NANOSECONDS: u64 = 100;

/// The platform-level interrupt controller (PLIC specification 1.0.0). Context 1 is supervisor mode; context 0, machine mode's,
/// leads nowhere. All sources are level-triggered.
struct Plic {
    lines: [bool; SOURCES],
    claimed: [bool; SOURCES],
    priority: [u32; SOURCES],
    enable: [u32; SOURCES / 32],
    threshold: u32,
    highest: usize,
}
const ENABLE: u64 = 0x2080;
const THRESHOLD: u64 = 0x20_1000;
const CLAIM: u64 = 0x20_1004;
impl Plic {
    fn set(&mut self, source: usize, level: bool) {
        if self.lines[source] != level {
            self.lines[source] = level;
            self.update();
        }
    }
    /// The pending source of the highest priority, of the lowest number among equals.
    fn update(&mut self) {
        self.highest = 0;
        let mut most = self.threshold;
        for n in 1..SOURCES {
            let enabled = self.enable[n / 32] >> (n % 32) & 1 == 1;
            if self.lines[n] && !self.claimed[n] && enabled && self.priority[n] > most {
                (self.highest, most) = (n, self.priority[n]);
            }
        }
    }
    fn read(&mut self, offset: u64) -> u32 {
        match offset {
            0..0x180 => self.priority[offset as usize / 4],
            ENABLE..0x208c => self.enable[(offset - ENABLE) as usize / 4],
            THRESHOLD => self.threshold,
            CLAIM => {
                let source = self.highest;
                self.claimed[source] = source != 0;
                self.update();
                source as u32
            }
            _ => 0,
        }
    }
    fn write(&mut self, offset: u64, value: u32) {
        match offset {
            0..0x180 => self.priority[offset as usize / 4] = value & 7,
            ENABLE..0x208c => self.enable[(offset - ENABLE) as usize / 4] = value,
            THRESHOLD => self.threshold = value & 7,
            CLAIM => {
                if let Some(claimed) = self.claimed.get_mut(value as usize) {
                    *claimed = false;
                }
            }
            _ => {}
        }
        self.update();
    }
}

/// A 16550 that sends at once and receives nothing.
#[derive(Default)]
struct Uart {
    /// What was sent and not taken yet.
    sent: Vec<u8>,
    /// The transmitter has become empty, and nobody has read so.
    emptied: bool,
    interrupts: u8,
    fifo_control: u8,
    line_control: u8,
    modem_control: u8,
    scratch: u8,
    divisor: [u8; 2],
}
impl Uart {
    fn interrupt(&self) -> bool {
        self.emptied && self.interrupts & 2 != 0
    }
    fn read(&mut self, offset: u64) -> u8 {
        match offset {
            0 | 1 if self.line_control & 0x80 != 0 => self.divisor[offset as usize],
            1 => self.interrupts,
            2 => {
                let fifos = if self.fifo_control & 1 != 0 { 0xc0 } else { 0 };
                if !self.interrupt() {
                    return fifos | 1;
                }
                self.emptied = false;
                fifos | 2
            }
            3 => self.line_control,
            4 => self.modem_control,
            5 => 0x60,
            6 => 0xb0,
            7 => self.scratch,
            _ => 0,
        }
    }
    fn write(&mut self, offset: u64, value: u8) {
        match offset {
            0 | 1 if self.line_control & 0x80 != 0 => self.divisor[offset as usize] = value,
            0 => {
                self.sent.push(value);
                self.emptied = true;
            }
            1 => {
                self.emptied |= value & !self.interrupts & 2 != 0;
                self.interrupts = value & 15;
            }
            2 => self.fifo_control = value,
            3 => self.line_control = value,
            4 => self.modem_control = value,
            7 => self.scratch = value,
            _ => {}
        }
    }
}

/// The Goldfish real-time clock; it goes by the timer's time, so that runs repeat.
#[derive(Default)]
struct Rtc {
    offset: u64,
    now: u64,
    high: u32,
    alarm: u64,
    alarm_high: u64,
    armed: bool,
    pending: bool,
    enabled: bool,
}
impl Rtc {
    fn set_time(&mut self, time: u64) {
        self.now = START.wrapping_add(self.offset).wrapping_add(time * NANOSECONDS);
        if self.armed && self.now >= self.alarm {
            (self.armed, self.pending) = (false, true);
        }
    }
    fn read(&mut self, offset: u64) -> u32 {
        match offset {
            0x00 => {
                self.high = (self.now >> 32) as u32;
                self.now as u32
            }
            0x04 => self.high,
            0x08 => self.alarm as u32,
            0x0c => (self.alarm >> 32) as u32,
            0x10 => self.enabled.into(),
            0x18 => self.armed.into(),
            _ => 0,
        }
    }
    fn write(&mut self, offset: u64, value: u32) {
        let value = u64::from(value);
        match offset {
            0x00 => self.offset = self.offset.wrapping_add((self.now >> 32 << 32 | value).wrapping_sub(self.now)),
            0x04 => {
                self.offset = self.offset.wrapping_add((value << 32 | self.now & 0xffff_ffff).wrapping_sub(self.now))
            }
            0x08 => (self.alarm, self.armed) = (self.alarm_high << 32 | value, true),
            0x0c => self.alarm_high = value,
            0x10 => self.enabled = value & 1 == 1,
            0x14 => self.armed = false,
            0x1c => self.pending = false,
            _ => {}
        }
    }
}

pub struct Devices {
    plic: Plic,
    uart: Uart,
    rtc: Rtc,
    /// The status that the machine was stopped with.
    pub stopped: Option<u8>,
}
impl Devices {
    pub fn new() -> Devices {
        let plic = Plic {
            lines: [false; SOURCES],
            claimed: [false; SOURCES],
            priority: [0; SOURCES],
            enable: [0; SOURCES / 32],
            threshold: 0,
            highest: 0,
        };
        Devices { plic, uart: Uart::default(), rtc: Rtc::default(), stopped: None }
    }
    fn update(&mut self) {
        self.plic.set(UART_SOURCE, self.uart.interrupt());
        self.plic.set(RTC_SOURCE, self.rtc.pending && self.rtc.enabled);
    }
    /// Whether supervisor mode has an external interrupt.
    pub fn interrupt(&self) -> bool {
        self.plic.highest != 0
    }
    /// It is `time`, in units of the timer's.
    pub fn set_time(&mut self, time: u64) {
        self.rtc.set_time(time);
        self.update();
    }
    /// When the next interrupt comes by itself, in units of the timer's time.
    pub fn next(&self) -> Option<u64> {
        let left = self.rtc.alarm.saturating_sub(START.wrapping_add(self.rtc.offset));
        (self.rtc.armed && self.rtc.enabled).then(|| left.div_ceil(NANOSECONDS))
    }
    /// Sends a byte, as the firmware does.
    pub fn put(&mut self, byte: u8) {
        self.uart.sent.push(byte);
    }
    /// What was sent since this was last asked.
    pub fn take_sent(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.uart.sent)
    }
    pub fn sent(&self) -> usize {
        self.uart.sent.len()
    }
    /// `None`: there is nothing at this address.
    pub fn read(&mut self, at: u64, bytes: usize) -> Option<u64> {
        let value = match at {
            PLIC..0xc60_0000 if bytes == 4 => self.plic.read(at - PLIC).into(),
            UART..0x1000_0100 => self.uart.read(at - UART).into(),
            RTC..0x10_2000 if bytes == 4 => self.rtc.read(at - RTC).into(),
            POWER..0x10_1000 => 0,
            _ => return None,
        };
        self.update();
        Some(value)
    }
    pub fn write(&mut self, at: u64, bytes: usize, value: u64) -> Option<()> {
        match at {
            PLIC..0xc60_0000 if bytes == 4 => self.plic.write(at - PLIC, value as u32),
            UART..0x1000_0100 => self.uart.write(at - UART, value as u8),
            RTC..0x10_2000 if bytes == 4 => self.rtc.write(at - RTC, value as u32),
            POWER if value & 0xffff == 0x5555 => self.stopped = Some(0),
            POWER if value & 0xffff == 0x3333 => self.stopped = Some((value >> 16) as u8),
            POWER..0x10_1000 => {}
            _ => return None,
        }
        self.update();
        Some(())
    }
}
