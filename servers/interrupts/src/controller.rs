//! The interrupt controller: RISC-V's platform-level one, with the register layout of the PLIC specification 1.0.0.

/// What the dispatcher needs of a controller. A source is an interrupt number, not 0.
pub trait Controller {
    /// The pending interrupt of the highest priority, now claimed; 0: none is pending.
    fn claim(&mut self) -> usize;
    /// Lets the next interrupt of `source` come; it is claimed and enabled (the controller ignores others).
    fn complete(&mut self, source: usize);
    fn enable(&mut self, source: usize);
    fn disable(&mut self, source: usize);
}

/// 32-bit registers at byte offsets.
pub trait Registers {
    fn read(&self, offset: usize) -> u32;
    fn write(&mut self, offset: usize, value: u32);
}

/// Priority register of source 0; one word a source. Priority 0 never interrupts.
const PRIORITY: usize = 0;
/// Enable bits, one a source, of context 1: supervisor mode of hart 0 (each hart has two contexts, machine mode first).
const ENABLE: usize = 0x2000 + 0x80;
/// Context 1: sources of a priority at or below it do not interrupt.
const THRESHOLD: usize = 0x20_0000 + 0x1000;
/// Context 1: reading claims, writing completes.
const CLAIM: usize = THRESHOLD + 4;

pub struct Plic<R>(pub R);

impl<R: Registers> Plic<R> {
    fn enable_word(source: usize) -> (usize, u32) {
        (ENABLE + source / 32 * 4, 1 << (source % 32))
    }
}
impl<R: Registers> Controller for Plic<R> {
    #[inline(always)]
    fn claim(&mut self) -> usize {
        self.0.read(CLAIM) as usize
    }
    #[inline(always)]
    fn complete(&mut self, source: usize) {
        self.0.write(CLAIM, source as u32);
    }
    fn enable(&mut self, source: usize) {
        let (word, bit) = Self::enable_word(source);
        // The enable bit first: QEMU's controller looks for pending interrupts when a priority or threshold is written.
        self.0.write(word, self.0.read(word) | bit);
        self.0.write(PRIORITY + source * 4, 1);
        self.0.write(THRESHOLD, 0);
    }
    fn disable(&mut self, source: usize) {
        let (word, bit) = Self::enable_word(source);
        self.0.write(word, self.0.read(word) & !bit);
    }
}
