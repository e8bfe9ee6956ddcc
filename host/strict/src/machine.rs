//! The machine's state, how it is made, and how it runs until something stops it.

use crate::decode::Decoded;
use crate::devices::Devices;
use crate::injection::{Injection, Places};
use crate::masked::{Mask, Masked};
use crate::memory::{Memory, PAGE};
use crate::secrets::{Leak, Secrets, Way};
use crate::stale::{Checker, Stale, Writer};
use crate::translate::{Buffer, Missing};
use crate::{CYCLES_PER_TIME, RAM_BASE};
use std::collections::HashSet;

/// A fence of user code's: `sfence.vma` that a component asked for with the `ecall` at this address, or of portal code's (0).
pub type Fence = u64;

#[derive(Clone, Default)]
pub struct Settings {
    /// Draws moments at which time jumps to the timer's interrupt; `None`: it never does.
    pub slices: Option<u64>,
    /// Instructions after which it stops.
    pub limit: Option<u64>,
    /// Fences that do nothing, to see that somebody notices.
    pub without: HashSet<Fence>,
    /// Whether pages found missing are remembered; `None`: as drawn from the seed of the slices, or from 0.
    pub missing: Option<Missing>,
    /// Pointers to page tables are not remembered.
    pub forget_pointers: bool,
    /// Who may find the supervisor's addresses in registers; `None`: that is not looked at.
    pub secrets: Option<Secrets>,
    /// Where to look for the domain that a fault is injected into; `None`: none is, and nobody asks.
    pub faults: Option<Places>,
}
/// Why it has stopped.
#[derive(Clone, Copy, Debug)]
pub enum Stopped {
    /// By the test device or the firmware, with a status.
    Off(u8),
    /// It waits, and no interrupt can come.
    Idle,
    /// Its instructions are used up.
    Limit,
    /// A translation can be used that the tables do not have any more.
    Violation(Stale),
    /// This address space has another root table, and translations by the one before are still there.
    Reused(u16),
    /// The store-conditional at this program counter has stored though its load-reserved is not the last one, but another thread's, or what
    /// it found was changed since.
    Overwritten(u64),
    /// A component finds an address of the supervisor's in a register.
    Leaked(Leak),
}

/// Most instructions between two looks at what was sent.
const BATCH: u64 = 4096;

/// An exception: its cause and value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trap(pub u64, pub u64);

/// Numbers of exceptions and interrupts, and bits of `sstatus` and `sie`.
pub(crate) mod cause {
    pub const FETCH: u64 = 1;
    pub const ILLEGAL: u64 = 2;
    pub const BREAKPOINT: u64 = 3;
    pub const LOAD: u64 = 5;
    pub const STORE_MISALIGNED: u64 = 6;
    pub const STORE: u64 = 7;
    pub const CALL_USER: u64 = 8;
    pub const FETCH_PAGE: u64 = 12;
    pub const LOAD_PAGE: u64 = 13;
    pub const STORE_PAGE: u64 = 15;
    pub const INTERRUPT: u64 = 1 << 63;
    pub const TIMER: u64 = 5;
    pub const EXTERNAL: u64 = 9;
}
pub(crate) mod status {
    pub const SIE: u64 = 1 << 1;
    pub const SPIE: u64 = 1 << 5;
    pub const SPP: u64 = 1 << 8;
    pub const FS: u64 = 3 << 13;
    pub const SUM: u64 = 1 << 18;
    pub const MXR: u64 = 1 << 19;
    pub const SD: u64 = 1 << 63;
}

/// Control and status registers that hold what was written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Control {
    pub sstatus: u64,
    pub sie: u64,
    pub stvec: u64,
    pub scounteren: u64,
    pub sscratch: u64,
    pub sepc: u64,
    pub scause: u64,
    pub stval: u64,
    pub satp: u64,
    pub stimecmp: u64,
    pub fcsr: u64,
}

/// Of a `lr`: the physical address, what it found there, and in which thread.
#[derive(Clone, Copy)]
pub(crate) struct Reservation {
    pub at: u64,
    pub value: u64,
    pub thread: u64,
}

pub struct Machine {
    pub(crate) x: [u64; 32],
    pub(crate) f: [u64; 32],
    pub(crate) pc: u64,
    pub(crate) user: bool,
    pub(crate) control: Control,
    /// What `lr` has reserved.
    pub(crate) reservation: Option<Reservation>,
    pub(crate) cycles: u64,
    pub(crate) instructions: u64,
    /// Cycle at which to look for interrupts, or at which time jumps.
    pub(crate) attention: u64,
    pub(crate) memory: Memory,
    pub(crate) devices: Devices,
    pub(crate) buffer: Buffer,
    pub(crate) checker: Checker,
    mask: Mask,
    pub(crate) way: Way,
    /// Instructions taken apart, by frame.
    pub(crate) decoded: Vec<Option<Box<[Decoded; PAGE as usize / 2]>>>,
    /// Frames of which some were and that were written since.
    pub(crate) rewritten: Vec<usize>,
    /// Virtual page of the last fetch and the offset of its frame in RAM; `u64::MAX`: it is not known.
    pub(crate) fetched: (u64, usize),
    pub(crate) settings: Settings,
    random: u64,
    /// Instructions of components with the timer's interrupt on until time jumps.
    until_jump: u64,
    /// Cycle at which they were counted last.
    counted: u64,
    /// Fences that were asked for, in the order of their first use, with the space that asked.
    pub fences: Vec<(Fence, u16)>,
    pub(crate) injection: Option<Injection>,
    /// A component has asked, and waits for the answer.
    pub(crate) asked: bool,
    pub(crate) stopped: Option<Stopped>,
}

impl Machine {
    /// A machine with `ram` bytes of RAM, its hart at `entry` in supervisor mode with `a1` set.
    pub fn new(ram: usize, entry: u64, a1: u64, settings: Settings) -> Machine {
        let mut buffer = Buffer::new();
        buffer.missing = settings.missing.unwrap_or(Missing::Drawn(settings.slices.unwrap_or(0)));
        buffer.pointers = !settings.forget_pointers;
        let mut x = [0; 32];
        x[11] = a1;
        let control = Control {
            sstatus: 0,
            sie: 0,
            stvec: 0,
            scounteren: 0,
            sscratch: 0,
            sepc: 0,
            scause: 0,
            stval: 0,
            satp: 0,
            stimecmp: u64::MAX,
            fcsr: 0,
        };
        let mut machine = Machine {
            x,
            f: [0; 32],
            pc: entry,
            user: false,
            control,
            reservation: None,
            cycles: 0,
            instructions: 0,
            attention: 0,
            memory: Memory::new(RAM_BASE, ram),
            devices: Devices::new(),
            buffer,
            checker: Checker::default(),
            mask: Mask::default(),
            way: Way::default(),
            decoded: (0..ram / PAGE as usize).map(|_| None).collect(),
            rewritten: Vec::new(),
            fetched: (u64::MAX, 0),
            random: settings.slices.unwrap_or(0).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
            until_jump: u64::MAX,
            counted: 0,
            settings,
            fences: Vec::new(),
            injection: None,
            asked: false,
            stopped: None,
        };
        machine.draw();
        machine
    }
    /// Puts `content` at a physical address. `None`: it does not fit in RAM.
    pub fn place(&mut self, at: u64, content: &[u8]) -> Option<()> {
        self.memory.load(at, content)
    }
    /// RAM from its first byte on.
    pub fn ram(&self) -> &[u8] {
        self.memory.bytes()
    }
    /// What the serial port and the firmware have sent since this was last asked.
    pub fn take_sent(&mut self) -> Vec<u8> {
        self.devices.take_sent()
    }
    pub fn instructions(&self) -> u64 {
        self.instructions
    }
    /// The units of the timer's time.
    pub(crate) fn time(&self) -> u64 {
        self.cycles / CYCLES_PER_TIME
    }

    /// Draws after how many instructions time jumps: every length up to 2¹⁵ instructions, short ones as often as long ones.
    fn draw(&mut self) {
        if self.settings.slices.is_none() {
            return;
        }
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        let most = 1 << (self.random >> 8 & 15);
        self.until_jump = 1 + (self.random >> 20) % most;
    }
    /// Whether a component is executing: in user mode, or in supervisor mode with interrupts on, which nothing else has on there.
    pub(crate) fn in_component(&self) -> bool {
        self.user || self.control.sstatus & status::SIE != 0
    }
    /// Whether instructions count towards the next jump.
    fn counts(&self) -> bool {
        self.settings.slices.is_some() && self.in_component() && self.control.sie >> cause::TIMER & 1 == 1
    }
    /// The component is left, or entered: what was executed counts.
    pub(crate) fn count(&mut self) {
        if self.counts() {
            self.until_jump = self.until_jump.saturating_sub(self.cycles - self.counted);
        }
        self.counted = self.cycles;
    }
    /// Something has changed that decides when an interrupt comes.
    pub(crate) fn plan(&mut self) {
        if self.in_component() && self.pending() != 0 {
            self.attention = self.cycles;
            return;
        }
        // A clock of a device that wakes from `wfi`, too.
        let timer = self.control.stimecmp.saturating_mul(CYCLES_PER_TIME);
        let device = self.devices.next().map_or(u64::MAX, |time| time.saturating_mul(CYCLES_PER_TIME));
        let limit = self
            .settings
            .limit
            .map_or(u64::MAX, |limit| self.cycles.saturating_add(limit.saturating_sub(self.instructions)));
        let later = |at: u64| if at > self.cycles { at } else { u64::MAX };
        self.attention = later(timer).min(later(device)).min(limit);
        if self.counts() {
            self.attention = self.attention.min(self.counted.saturating_add(self.until_jump));
        }
        if let Some(injection) = &self.injection {
            self.attention = self.attention.min(injection.attention(self.cycles));
        }
    }
    /// Interrupts that are pending and on.
    fn pending(&self) -> u64 {
        let timer = u64::from(self.time() >= self.control.stimecmp) << cause::TIMER;
        (timer | u64::from(self.devices.interrupt()) << cause::EXTERNAL) & self.control.sie
    }
    /// The planned cycle has come.
    pub(crate) fn attend(&mut self) {
        if self.settings.limit.is_some_and(|limit| self.instructions >= limit) {
            self.stopped = Some(Stopped::Limit);
            return;
        }
        self.devices.set_time(self.time());
        self.count();
        if self.counts() && self.until_jump == 0 {
            self.draw();
            if self.control.stimecmp != u64::MAX {
                self.cycles = self.cycles.max(self.control.stimecmp.saturating_mul(CYCLES_PER_TIME));
                self.counted = self.cycles;
            }
        }
        self.strike();
        let pending = self.pending();
        if pending != 0 && self.in_component() {
            let number = if pending >> cause::EXTERNAL & 1 == 1 { cause::EXTERNAL } else { cause::TIMER };
            self.trap(Trap(cause::INTERRUPT | number, 0));
        }
        self.plan();
    }
    /// `wfi`: time goes on to the next interrupt.
    pub(crate) fn wait(&mut self) {
        self.devices.set_time(self.time());
        if self.pending() == 0 {
            let timer = self.control.stimecmp;
            match timer.min(self.devices.next().unwrap_or(u64::MAX)) {
                u64::MAX => self.stopped = Some(Stopped::Idle),
                time => self.cycles = self.cycles.max(time.saturating_mul(CYCLES_PER_TIME)),
            }
            self.devices.set_time(self.time());
        }
        self.do_not_count_masked();
        self.plan();
    }
    /// An exception or interrupt: to supervisor mode.
    pub(crate) fn trap(&mut self, Trap(cause, value): Trap) {
        self.count();
        self.calls(cause);
        self.depart();
        self.mask.set(true, self.instructions, (self.pc, self.space()));
        if self.user {
            let place = self.place_now();
            self.way.leave(&self.x, place);
        }
        let control = &mut self.control;
        let enabled = control.sstatus & status::SIE;
        control.sstatus &= !(status::SPP | status::SPIE | status::SIE);
        control.sstatus |= if self.user { 0 } else { status::SPP } | if enabled != 0 { status::SPIE } else { 0 };
        (control.scause, control.stval, control.sepc) = (cause, value, self.pc);
        self.user = false;
        self.pc = control.stvec & !3;
        self.fetched.0 = u64::MAX;
        self.attention = self.attention.max(self.cycles + 1);
        self.plan();
    }
    /// The way back from one.
    pub(crate) fn sret(&mut self) {
        let control = &mut self.control;
        self.user = control.sstatus & status::SPP == 0;
        let enabled = control.sstatus & status::SPIE != 0;
        control.sstatus &= !(status::SPP | status::SIE);
        control.sstatus |= status::SPIE | if enabled { status::SIE } else { 0 };
        self.pc = control.sepc;
        self.fetched.0 = u64::MAX;
        self.counted = self.cycles;
        self.entered();
        self.arrive();
        if let Some(leak) = self.leak() {
            self.stopped = Some(Stopped::Leaked(leak));
        }
        self.look_at_mask();
        self.plan();
    }
    /// If a component goes on now, it must find no stale translation.
    fn entered(&mut self) {
        if self.in_component() && !self.checker.is_empty() {
            let (thread, space, masked) = (self.control.sscratch, self.space(), self.control.sie == 0);
            if let Some(stale) = self.checker.enter(&self.memory, &self.buffer, thread, space, masked) {
                self.stopped = Some(Stopped::Violation(stale));
            }
        }
    }
    /// `sstatus` is written: with interrupts on, supervisor mode is a component's.
    pub(crate) fn set_status(&mut self, value: u64) {
        self.count();
        self.depart();
        self.control.sstatus = value;
        self.entered();
        self.arrive();
        self.look_at_mask();
    }
    /// Interrupts may have been put on or off.
    pub(crate) fn look_at_mask(&mut self) {
        let off = !self.in_component() || self.control.sie >> cause::TIMER & 1 == 0;
        self.mask.set(off, self.instructions, (self.pc, self.space()));
    }
    /// Instructions with interrupts off until here held nobody up.
    pub(crate) fn do_not_count_masked(&mut self) {
        self.mask.begin_anew(self.instructions);
    }
    /// The longest time with interrupts off.
    pub fn masked(&self) -> Masked {
        self.mask.longest()
    }
    /// It stops when so many instructions more are used up.
    pub fn limit(&mut self, instructions: u64) {
        self.settings.limit = Some(self.instructions.saturating_add(instructions));
        self.plan();
    }
    /// A component asks, if somebody is there to answer.
    pub(crate) fn ask(&mut self) {
        self.asked = self.settings.faults.is_some();
        if self.asked {
            self.attention = self.cycles;
        }
    }
    /// What a component asks with [`crate::decode::ASKS`], if one does: `a0` to `a7`. It waits for [`Machine::answer`].
    pub fn question(&self) -> Option<[u64; 8]> {
        self.asked.then(|| std::array::from_fn(|n| self.x[10 + n]))
    }
    /// Answers, in `a0`.
    pub fn answer(&mut self, value: u64) {
        if std::mem::take(&mut self.asked) {
            self.x[10] = value;
        }
    }
    /// Where it is: program counter and address space.
    pub fn place_now(&self) -> (u64, u16) {
        (self.pc, self.space())
    }
    /// The address space that translates now.
    pub(crate) fn space(&self) -> u16 {
        (self.control.satp >> 44) as u16
    }
    pub(crate) fn writer(&self) -> Writer {
        let component = self.in_component();
        let thread = if component { self.control.sscratch } else { self.x[4] };
        Writer { thread, space: self.space(), component, pc: self.pc }
    }
    /// Executes one instruction, or what interrupts before it.
    pub fn step(&mut self) {
        self.execute_until(self.instructions + 1);
    }
    /// Runs for about `instructions` instructions, or until it stops or has sent something.
    pub fn run(&mut self, instructions: u64) -> Option<Stopped> {
        let end = self.instructions + instructions;
        while self.stopped.is_none() && !self.asked && self.devices.sent() == 0 && self.instructions < end {
            self.execute_until(end.min(self.instructions + BATCH));
        }
        self.stopped
    }
}
