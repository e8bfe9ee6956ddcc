//! Control and status registers, fences, and what the firmware would do.

use crate::machine::{Machine, Stopped, Trap, cause, status};
use crate::memory::noted;

/// Bits of `sstatus` that can be written.
const STATUS: u64 = status::SIE | status::SPIE | status::SPP | status::FS | status::SUM | status::MXR;
/// Of `satp`, which page the root table is.
const ROOT: u64 = (1 << 44) - 1;
/// SBI: legacy console and shutdown, TIME; and the answer to all else.
const PUT: u64 = 1;
const SHUTDOWN: u64 = 8;
const TIME: u64 = 0x5449_4D45;
const NOT_SUPPORTED: u64 = -2i64 as u64;

impl Machine {
    fn read_control(&mut self, number: u32) -> Option<u64> {
        let c = &self.control;
        Some(match number {
            0x001..=0x003 if c.sstatus & status::FS == 0 => return None,
            0x001 => c.fcsr & 31,
            0x002 => c.fcsr >> 5 & 7,
            0x003 => c.fcsr,
            0xc00..=0xc02 if self.user && c.scounteren >> (number - 0xc00) & 1 == 0 => return None,
            0xc00 => self.cycles,
            0xc01 => self.time(),
            0xc02 => self.instructions,
            _ if self.user => return None,
            0x100 => c.sstatus | if c.sstatus & status::FS == status::FS { status::SD } else { 0 } | 2 << 32,
            0x104 => c.sie,
            0x105 => c.stvec,
            0x106 => c.scounteren,
            0x140 => c.sscratch,
            0x141 => c.sepc,
            0x142 => c.scause,
            0x143 => c.stval,
            0x144 => {
                let external = u64::from(self.devices.interrupt()) << cause::EXTERNAL;
                external | u64::from(self.time() >= c.stimecmp) << cause::TIMER
            }
            0x14d => c.stimecmp,
            0x180 => c.satp,
            _ => return None,
        })
    }
    fn write_control(&mut self, number: u32, value: u64) -> Option<()> {
        let c = &mut self.control;
        match number {
            0x001 => c.fcsr = c.fcsr & !31 | value & 31,
            0x002 => c.fcsr = c.fcsr & !0xe0 | (value & 7) << 5,
            0x003 => c.fcsr = value & 0xff,
            0x100 => self.set_status(value & STATUS),
            0x104 => {
                c.sie = value & 0x222;
                self.look_at_mask();
            }
            0x105 => c.stvec = value & !2,
            0x106 => c.scounteren = value & 7,
            0x140 => c.sscratch = value,
            0x141 => c.sepc = value & !1,
            0x142 => c.scause = value,
            0x143 => c.stval = value,
            0x144 => {}
            0x14d => c.stimecmp = value,
            0x180 => {
                if value >> 60 == 8 || value == 0 {
                    c.satp = value;
                    self.fetched.0 = u64::MAX;
                    let space = self.space();
                    self.buffer.enter(space);
                    if value != 0 && self.buffer.root_is_new(space, value & ROOT) {
                        self.stopped = Some(Stopped::Reused(space));
                    }
                }
            }
            _ => return None,
        }
        if number < 4 {
            self.control.sstatus |= status::FS;
        }
        if [0x100, 0x104, 0x14d].contains(&number) {
            self.plan();
        }
        Some(())
    }
    /// `csrrw`, `csrrs`, `csrrc` and their immediate forms.
    pub(crate) fn access_control(&mut self, word: u32) -> Result<(), Trap> {
        let (number, function, rs1, rd) = (word >> 20, word >> 12 & 7, word >> 15 & 31, word >> 7 & 31);
        let refused = Trap(cause::ILLEGAL, word.into());
        let operand = if function >= 4 { rs1.into() } else { self.x[rs1 as usize] };
        let old = self.read_control(number).ok_or(refused)?;
        let writes = function & 3 == 1 || rs1 != 0;
        if writes {
            if number >> 10 == 3 {
                return Err(refused);
            }
            let new = match function & 3 {
                1 => operand,
                2 => old | operand,
                _ => old & !operand,
            };
            self.write_control(number, new).ok_or(refused)?;
        }
        if rd != 0 {
            self.x[rd as usize] = old;
        }
        Ok(())
    }
    /// `sfence.vma`. Who has asked for it: the component whose `ecall` supervisor mode is in, or portal code.
    pub(crate) fn fence(&mut self, rs1: u8, rs2: u8) {
        // The nucleus's short circuits have a1 or a0 in rs2; portal code has other registers.
        let site = if rs2 == 10 || rs2 == 11 { self.control.sepc } else { 0 };
        if !self.fences.iter().any(|&(known, _)| known == site) {
            self.fences.push((site, self.space()));
        }
        if self.settings.without.contains(&site) && self.control.satp != 0 {
            return;
        }
        let address = (rs1 != 0).then_some(self.x[rs1 as usize]);
        let space = (rs2 != 0).then_some(self.x[rs2 as usize] as u16);
        self.buffer.fence(address, space);
        self.fetched.0 = u64::MAX;
    }
    /// `fence.i`: instructions that were written are read again.
    pub(crate) fn fence_instructions(&mut self) {
        for frame in std::mem::take(&mut self.rewritten) {
            self.decoded[frame] = None;
            self.memory.notes[frame] &= !(noted::CODE | noted::WRITTEN);
        }
        self.fetched.0 = u64::MAX;
    }
    /// `ecall` of supervisor mode: the firmware's part.
    pub(crate) fn firmware(&mut self) {
        match self.x[17] {
            PUT => {
                self.devices.put(self.x[10] as u8);
                self.x[10] = 0;
            }
            SHUTDOWN => self.stopped = Some(Stopped::Off(self.devices.stopped.unwrap_or(0))),
            TIME => {
                self.control.stimecmp = self.x[10];
                (self.x[10], self.x[11]) = (0, 0);
                self.plan();
            }
            _ => (self.x[10], self.x[11]) = (NOT_SUPPORTED, 0),
        }
    }
}
