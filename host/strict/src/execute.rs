//! One instruction after the other.

use crate::compressed::expand;
use crate::decode::{Decoded, Op, decode};
use crate::machine::{Machine, Reservation, Stopped, Trap, cause, status};
use crate::memory::{PAGE, noted};
use crate::translate::{Access, FETCH, READ, WRITE};

fn word(value: u64) -> u64 {
    value as i32 as u64
}

impl Machine {
    /// Executes until there is something to look at, or so many instructions have been executed since the beginning.
    pub(crate) fn execute_until(&mut self, end: u64) {
        while self.instructions < end && !self.asked {
            if self.cycles >= self.attention {
                self.attend();
            }
            if self.stopped.is_some() {
                return;
            }
            if let Err(trap) = self.execute_page(end) {
                self.trap(trap);
            }
        }
    }
    /// Executes instructions of the page that `pc` is in, until it is left, translations change, or there is something to look at.
    pub(crate) fn execute_page(&mut self, end: u64) -> Result<(), Trap> {
        let found = if self.fetched.0 == self.pc / PAGE { Ok(self.fetched.1) } else { self.find_code() };
        let Some(mut page) = found.as_ref().ok().and_then(|&offset| self.decoded[offset / PAGE as usize].take()) else {
            self.count_one();
            return found.map(|_| ());
        };
        let (here, offset) = self.fetched;
        let mut result = Ok(());
        while result.is_ok() && self.pc / PAGE == here && self.fetched.0 == here {
            self.count_one();
            let decoded = &page[(self.pc % PAGE) as usize / 2];
            // Performed where it lies: a copy of it takes longer than most instructions.
            result =
                if decoded.op == Op::Unknown { self.perform_new(&mut page, offset) } else { self.perform(decoded) };
            if self.cycles >= self.attention || self.instructions >= end || self.stopped.is_some() {
                break;
            }
        }
        // It may have been written, and fenced.
        if self.memory.noted(offset) & noted::CODE != 0 {
            self.decoded[offset / PAGE as usize] = Some(page);
        }
        result
    }
    #[inline(always)]
    fn count_one(&mut self) {
        self.cycles += 1;
        self.instructions += 1;
    }

    /// Physical address behind `va` for an access of this kind.
    #[inline(always)]
    fn physical(&mut self, va: u64, kind: u64) -> Option<u64> {
        if self.control.satp == 0 {
            return Some(va);
        }
        let mut access = Access::new(kind, self.user);
        if self.control.sstatus & status::SUM != 0 && kind != FETCH {
            access.never = 0;
        }
        let (root, space) = (self.control.satp << 12 & 0x00ff_ffff_ffff_f000, self.space());
        let page = self.buffer.translate(&mut self.memory, root, space, va, access)?;
        Some(page + va % PAGE)
    }
    #[inline(always)]
    pub(crate) fn load<const N: usize>(&mut self, va: u64) -> Result<u64, Trap> {
        if va % PAGE > PAGE - N as u64 {
            return self.load_across::<N>(va);
        }
        let at = self.physical(va, READ).ok_or(Trap(cause::LOAD_PAGE, va))?;
        match self.memory.offset(at, N) {
            Some(offset) => Ok(self.memory.read::<N>(offset)),
            None => {
                self.devices.set_time(self.time());
                let value = self.devices.read(at, N).ok_or(Trap(cause::LOAD, va))?;
                self.plan();
                Ok(value)
            }
        }
    }
    #[inline(never)]
    fn load_across<const N: usize>(&mut self, va: u64) -> Result<u64, Trap> {
        let mut value = 0;
        for n in 0..N as u64 {
            value |= self.load::<1>(va.wrapping_add(n))? << (8 * n);
        }
        Ok(value)
    }
    #[inline(always)]
    pub(crate) fn store<const N: usize>(&mut self, va: u64, value: u64) -> Result<(), Trap> {
        if va % PAGE > PAGE - N as u64 {
            return self.store_across::<N>(va, value);
        }
        let at = self.physical(va, WRITE).ok_or(Trap(cause::STORE_PAGE, va))?;
        match self.memory.offset(at, N) {
            Some(offset) => {
                let noted = self.memory.noted(offset);
                if noted & noted::TABLE != 0 {
                    self.about_to_write(at, N);
                }
                self.memory.write::<N>(offset, value);
                if noted != 0 {
                    self.noticed(offset, at, N);
                }
                Ok(())
            }
            None => {
                self.devices.set_time(self.time());
                self.devices.write(at, N, value).ok_or(Trap(cause::STORE, va))?;
                self.stopped = self.devices.stopped.map(Stopped::Off);
                self.plan();
                Ok(())
            }
        }
    }
    #[inline(never)]
    fn store_across<const N: usize>(&mut self, va: u64, value: u64) -> Result<(), Trap> {
        // Nothing is written unless all can be.
        for at in [va, va.wrapping_add(N as u64 - 1)] {
            self.physical(at, WRITE).ok_or(Trap(cause::STORE_PAGE, at))?;
        }
        (0..N as u64).try_for_each(|n| self.store::<1>(va.wrapping_add(n), value >> (8 * n)))
    }
    /// A page table is about to be written.
    #[inline(never)]
    fn about_to_write(&mut self, at: u64, bytes: usize) {
        let space = self.space();
        for word in words(at, bytes) {
            if !self.buffer.about_to_write(&mut self.memory, word, space)
                && let Some(offset) = self.memory.offset(word, 8)
            {
                self.memory.notes[offset / PAGE as usize] &= !noted::TABLE;
            }
        }
    }
    /// Something of which more is remembered was written.
    #[inline(never)]
    fn noticed(&mut self, offset: usize, at: u64, bytes: usize) {
        let frame = offset / PAGE as usize;
        let notes = self.memory.notes[frame];
        if notes & (noted::CODE | noted::WRITTEN) == noted::CODE {
            self.memory.notes[frame] |= noted::WRITTEN;
            self.rewritten.push(frame);
        }
        if notes & noted::TABLE != 0 {
            let by = self.writer();
            for word in words(at, bytes) {
                self.checker.written(&self.memory, &self.buffer, word, by, self.instructions);
            }
        }
    }

    /// The frame that `pc` is in, by its offset in RAM.
    #[inline(never)]
    pub(crate) fn find_code(&mut self) -> Result<usize, Trap> {
        let at = self.physical(self.pc, FETCH).ok_or(Trap(cause::FETCH_PAGE, self.pc))?;
        let offset = self.memory.offset(at & !(PAGE - 1), PAGE as usize).ok_or(Trap(cause::FETCH, self.pc))?;
        let frame = offset / PAGE as usize;
        if self.decoded[frame].is_none() {
            self.note_code(frame);
        }
        self.fetched = (self.pc / PAGE, offset);
        Ok(offset)
    }
    /// Instructions of a frame are kept from now on, of which none has been taken apart.
    pub(crate) fn note_code(&mut self, frame: usize) {
        self.decoded[frame] = Some(Box::new([Decoded::UNKNOWN; PAGE as usize / 2]));
        self.memory.note(frame * PAGE as usize, noted::CODE);
    }
    /// Performs the instruction at `pc`, which is not in `page` yet.
    #[cold]
    #[inline(never)]
    fn perform_new(&mut self, page: &mut [Decoded; PAGE as usize / 2], offset: usize) -> Result<(), Trap> {
        let (decoded, same) = self.take_apart(offset)?;
        // What goes on in the next page may go on elsewhere by the next time.
        if same {
            page[(self.pc % PAGE) as usize / 2] = decoded;
        }
        self.perform(&decoded)
    }
    /// The 32-bit encoding of the instruction at `pc`, whose frame is at `offset`, and its length; `None`: it goes on in the next page, or there is none.
    pub(crate) fn instruction_at(&self, offset: usize) -> Option<(u32, u8)> {
        let at = offset + (self.pc % PAGE) as usize;
        let low = self.memory.read::<2>(at) as u32;
        if low & 3 != 3 {
            return Some((expand(low as u16)?, 2));
        }
        (self.pc % PAGE < PAGE - 2).then(|| (self.memory.read::<4>(at) as u32, 4))
    }
    /// The instruction at `pc`, whose frame is at `offset`, and whether it is the same each time.
    fn take_apart(&mut self, offset: usize) -> Result<(Decoded, bool), Trap> {
        if let Some((word, length)) = self.instruction_at(offset) {
            return Ok((decode(word, length), true));
        }
        let low = self.memory.read::<2>(offset + (self.pc % PAGE) as usize) as u32;
        if low & 3 != 3 {
            return Ok((Decoded { op: Op::Illegal, immediate: low as i32, length: 2, ..Decoded::UNKNOWN }, true));
        }
        let next = self.pc + 2;
        let at = self.physical(next, FETCH).ok_or(Trap(cause::FETCH_PAGE, next))?;
        let high = self.memory.offset(at, 2).ok_or(Trap(cause::FETCH, next))?;
        Ok((decode(low | (self.memory.read::<2>(high) as u32) << 16, 4), false))
    }

    #[expect(clippy::too_many_lines, reason = "an arm for each instruction")]
    #[inline(always)]
    fn perform(&mut self, d: &Decoded) -> Result<(), Trap> {
        let (a, b) = (self.x[d.rs1 as usize & 31], self.x[d.rs2 as usize & 31]);
        let i = d.immediate as u64;
        let next = self.pc.wrapping_add(d.length.into());
        let at = a.wrapping_add(i);
        let illegal = Trap(cause::ILLEGAL, d.immediate as u32 as u64);
        let branch = |taken: bool, pc: u64| if taken { pc.wrapping_add(i) } else { next };
        use Op::*;
        let value = match d.op {
            Unknown | Illegal => return Err(illegal),
            Lui => i,
            Auipc => self.pc.wrapping_add(i),
            Jal => {
                self.set(d.rd, next);
                self.pc = self.pc.wrapping_add(i);
                return Ok(());
            }
            Jalr => {
                self.set(d.rd, next);
                self.pc = at & !1;
                return Ok(());
            }
            Beq | Bne | Blt | Bge | Bltu | Bgeu => {
                let taken = match d.op {
                    Beq => a == b,
                    Bne => a != b,
                    Blt => (a as i64) < b as i64,
                    Bge => a as i64 >= b as i64,
                    Bltu => a < b,
                    _ => a >= b,
                };
                self.pc = branch(taken, self.pc);
                return Ok(());
            }
            Lb => self.load::<1>(at)? as i8 as u64,
            Lh => self.load::<2>(at)? as i16 as u64,
            Lw => self.load::<4>(at)? as i32 as u64,
            Ld => self.load::<8>(at)?,
            Lbu => self.load::<1>(at)?,
            Lhu => self.load::<2>(at)?,
            Lwu => self.load::<4>(at)?,
            Sb | Sh | Sw | Sd => {
                match d.op {
                    Sb => self.store::<1>(at, b)?,
                    Sh => self.store::<2>(at, b)?,
                    Sw => self.store::<4>(at, b)?,
                    _ => self.store::<8>(at, b)?,
                }
                self.pc = next;
                return Ok(());
            }
            Addi => at,
            Slti => ((a as i64) < i as i64).into(),
            Sltiu => (a < i).into(),
            Xori => a ^ i,
            Ori => a | i,
            Andi => a & i,
            Slli => a << i,
            Srli => a >> i,
            Srai => (a as i64 >> i) as u64,
            Addiw => word(at),
            Slliw => word(a << i),
            Srliw => word((a as u32 >> i).into()),
            Sraiw => (a as i32 >> i) as u64,
            Add => a.wrapping_add(b),
            Sub => a.wrapping_sub(b),
            Sll => a << (b & 63),
            Slt => ((a as i64) < b as i64).into(),
            Sltu => (a < b).into(),
            Xor => a ^ b,
            Srl => a >> (b & 63),
            Sra => (a as i64 >> (b & 63)) as u64,
            Or => a | b,
            And => a & b,
            Addw => word(a.wrapping_add(b)),
            Subw => word(a.wrapping_sub(b)),
            Sllw => word(a << (b & 31)),
            Srlw => word((a as u32 >> (b & 31)).into()),
            Sraw => (a as i32 >> (b & 31)) as u64,
            AddUnsignedWord => u64::from(a as u32).wrapping_add(b),
            ShiftAdd => (a << i).wrapping_add(b),
            ShiftAddUnsignedWord => (u64::from(a as u32) << i).wrapping_add(b),
            ShiftUnsignedWord => u64::from(a as u32) << i,
            Mul => a.wrapping_mul(b),
            Mulh => ((i128::from(a as i64) * i128::from(b as i64)) >> 64) as u64,
            Mulhsu => ((i128::from(a as i64) * i128::from(b)) >> 64) as u64,
            Mulhu => ((u128::from(a) * u128::from(b)) >> 64) as u64,
            Div => {
                if b == 0 {
                    u64::MAX
                } else {
                    (a as i64).wrapping_div(b as i64) as u64
                }
            }
            Divu => a.checked_div(b).unwrap_or(u64::MAX),
            Rem => {
                if b == 0 {
                    a
                } else {
                    (a as i64).wrapping_rem(b as i64) as u64
                }
            }
            Remu => a.checked_rem(b).unwrap_or(a),
            Mulw => word(a.wrapping_mul(b)),
            Divw => {
                if b as i32 == 0 {
                    u64::MAX
                } else {
                    (a as i32).wrapping_div(b as i32) as u64
                }
            }
            Divuw => (a as u32).checked_div(b as u32).map_or(u64::MAX, |q| q as i32 as u64),
            Remw => {
                if b as i32 == 0 {
                    a as i32 as u64
                } else {
                    (a as i32).wrapping_rem(b as i32) as u64
                }
            }
            Remuw => (a as u32).checked_rem(b as u32).unwrap_or(a as u32) as i32 as u64,
            _ => return self.perform_rarely(d, a, b, next, illegal),
        };
        self.set(d.rd, value);
        self.pc = next;
        Ok(())
    }
    #[inline(always)]
    fn set(&mut self, register: u8, value: u64) {
        self.x[register as usize & 31] = value;
        self.x[0] = 0;
    }
    #[expect(clippy::too_many_lines, reason = "an arm for each instruction")]
    #[inline(never)]
    fn perform_rarely(&mut self, d: &Decoded, a: u64, b: u64, next: u64, illegal: Trap) -> Result<(), Trap> {
        use Op::*;
        match d.op {
            Fence => {}
            FenceI => self.fence_instructions(),
            Uncounted => self.do_not_count_masked(),
            Asks => self.ask(),
            LrW | LrD => {
                let bytes = if d.op == LrW { 4 } else { 8 };
                if !a.is_multiple_of(bytes) {
                    return Err(Trap(cause::LOAD_PAGE, a));
                }
                let value = if d.op == LrW { self.load::<4>(a)? as i32 as u64 } else { self.load::<8>(a)? };
                let thread = self.writer().thread;
                self.reservation = self.physical(a, READ).map(|at| Reservation { at, value, thread });
                self.set(d.rd, value);
            }
            ScW | ScD => {
                let bytes = if d.op == ScW { 4 } else { 8 };
                let at = self.physical(a, WRITE).ok_or(Trap(cause::STORE_PAGE, a))?;
                if !a.is_multiple_of(bytes) {
                    return Err(Trap(cause::STORE_MISALIGNED, a));
                }
                if !self.in_component() {
                    self.way.restore();
                }
                let reserved = self.reservation.take().filter(|reserved| reserved.at == at);
                let held = reserved.is_some();
                if let Some(Reservation { value, thread, .. }) = reserved {
                    let now = if d.op == ScW { self.load::<4>(a)? as i32 as u64 } else { self.load::<8>(a)? };
                    if now != value || thread != self.writer().thread {
                        self.stopped = Some(Stopped::Overwritten(self.pc));
                    }
                    if d.op == ScW { self.store::<4>(a, b)? } else { self.store::<8>(a, b)? }
                }
                self.set(d.rd, (!held).into());
            }
            AmoW | AmoD => {
                let bytes = if d.op == AmoW { 4 } else { 8 };
                self.physical(a, WRITE).ok_or(Trap(cause::STORE_PAGE, a))?;
                if !a.is_multiple_of(bytes) {
                    return Err(Trap(cause::STORE_MISALIGNED, a));
                }
                let old = if d.op == AmoW { self.load::<4>(a)? as i32 as u64 } else { self.load::<8>(a)? };
                let (unsigned, signed) = if d.op == AmoW {
                    ((old as u32 as u64, b as u32 as u64), (old as i32 as i64, b as i32 as i64))
                } else {
                    ((old, b), (old as i64, b as i64))
                };
                let new = match d.immediate as u32 >> 27 {
                    0 => old.wrapping_add(b),
                    1 => b,
                    4 => old ^ b,
                    8 => old | b,
                    12 => old & b,
                    16 => signed.0.min(signed.1) as u64,
                    20 => signed.0.max(signed.1) as u64,
                    24 => unsigned.0.min(unsigned.1),
                    _ => unsigned.0.max(unsigned.1),
                };
                if d.op == AmoW {
                    self.store::<4>(a, new)?
                } else {
                    self.store::<8>(a, new)?
                }
                self.set(d.rd, old);
            }
            Ecall if self.user => return Err(Trap(cause::CALL_USER, 0)),
            Ecall => self.firmware(),
            Ebreak => return Err(Trap(cause::BREAKPOINT, self.pc)),
            Csr => {
                self.pc = next;
                let done = self.access_control(d.immediate as u32);
                if done.is_err() {
                    self.pc = next.wrapping_sub(d.length.into());
                }
                return done;
            }
            Sret | Wfi | SfenceVma if self.user => return Err(illegal),
            Sret => {
                self.sret();
                return Ok(());
            }
            Wfi => {
                self.pc = next;
                self.wait();
                return Ok(());
            }
            SfenceVma => self.fence(d.rs1, d.rs2),
            FloatLoadWord | FloatLoad | FloatStoreWord | FloatStore | FloatMultiplyAdd | FloatOther => {
                if self.control.sstatus & status::FS == 0 {
                    // What it was need not be said.
                    return Err(Trap(cause::ILLEGAL, 0));
                }
                self.perform_floating(*d, a)?;
                self.control.sstatus |= status::FS;
            }
            _ => return Err(illegal),
        }
        self.pc = next;
        Ok(())
    }
}
/// The one or two doublewords that some bytes are in.
fn words(at: u64, bytes: usize) -> impl Iterator<Item = u64> {
    (at & !7..=(at + bytes as u64 - 1) & !7).step_by(8)
}
