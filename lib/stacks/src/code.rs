//! What the functions of a program do with the stack: how much each takes, and which functions and portals it calls.
//!
//! What registers hold is followed along all ways through a function, as far as addresses and portal numbers need it: `auipc`, `lui`, additions of
//! constants, and loads from the program's imports. What is not known stands for all that it could be.

use abi::rights::Rights;
use image::Program;
use object::{Object, ObjectSection, ObjectSymbol, SectionKind, SymbolKind};
use std::collections::{BTreeMap, BTreeSet};

/// The frame of a function that moves the stack by what is not known.
pub const UNBOUNDED: usize = 1 << 32;

/// What a function does.
#[derive(Debug, Default)]
pub struct Function {
    pub name: String,
    /// Bytes that it takes of the stack.
    pub frame: usize,
    /// Functions that it calls or goes on in, by address, and what it has taken of the stack there.
    pub calls: BTreeMap<u64, usize>,
    /// Functions whose address it or a table that it refers to has: what it calls may call them through a pointer.
    pub refers: BTreeSet<u64>,
    /// It calls something through a pointer.
    pub indirect: bool,
    /// Portals that it calls: numbers, and addresses of imports' numbers.
    pub portals: BTreeSet<u64>,
    /// It calls a portal whose number comes from elsewhere.
    pub any_portal: bool,
}
/// The functions of a program, by address.
pub type Functions = BTreeMap<u64, Function>;

/// Functions whose addresses are in the program's data.
pub fn addressed(program: &Program, functions: &Functions) -> BTreeSet<u64> {
    let data = program.segments.iter().filter(|segment| !segment.rights.contains(Rights::EXECUTE));
    let words =
        data.flat_map(|segment| segment.bytes.chunks_exact(8)).map(|word| u64::from_le_bytes(word.try_into().unwrap()));
    words.filter(|word| functions.contains_key(word)).collect()
}
/// Reads the functions of `file`, which is `program`'s. `imports`: addresses of the words that have the numbers of imported portals.
pub fn functions(file: &[u8], program: &Program, imports: &BTreeSet<u64>) -> Option<Functions> {
    let file = image::ElfFile::parse(file).ok()?;
    let symbols = file
        .symbols()
        .filter(|s| s.kind() == SymbolKind::Text || s.name().is_ok_and(|name| name.starts_with("OUTLINED_FUNCTION")));
    let mut functions = Functions::new();
    for symbol in symbols {
        let name = format!("{:#}", rustc_demangle::demangle(symbol.name().ok()?));
        functions.entry(symbol.address()).or_insert(Function { name, ..Function::default() });
    }
    let starts: BTreeSet<u64> = functions.keys().copied().collect();
    // Of the compiler's library, for programs that are to be small.
    let saves =
        functions.iter().filter(|(_, function)| function.name.starts_with("__riscv_save")).map(|(at, _)| *at).collect();
    for section in file.sections().filter(|section| section.kind() == SectionKind::Text) {
        let (address, code) = (section.address(), section.data().ok()?);
        let inside: Vec<u64> = starts.range(address..address + code.len() as u64).copied().collect();
        for (n, &start) in inside.iter().enumerate() {
            let end = inside.get(n + 1).copied().unwrap_or(address + code.len() as u64);
            let context = Context { program, imports, starts: &starts, saves: &saves, start, end };
            let code = &code[(start - address) as usize..(end - address) as usize];
            context.read(code, functions.get_mut(&start)?);
        }
    }
    Some(functions)
}

struct Context<'a> {
    program: &'a Program,
    imports: &'a BTreeSet<u64>,
    starts: &'a BTreeSet<u64>,
    /// Functions that save registers on the stack for those that begin with a call of them, which comes back with the stack moved.
    saves: &'a BTreeSet<u64>,
    start: u64,
    end: u64,
}
/// What they save at most: thirteen registers, and the stack stays aligned.
const SAVED: usize = 112;
/// Different numbers that a register may hold, at most, before nothing is known of it.
const NUMBERS: usize = 4;
/// What a register may hold: some numbers, or addresses of imports' numbers in their place; or nobody knows what.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Value {
    numbers: [u64; NUMBERS],
    count: u8,
}
impl Value {
    const UNKNOWN: Value = Value { numbers: [0; NUMBERS], count: u8::MAX };
    fn number(number: u64) -> Value {
        Value { numbers: [number, 0, 0, 0], count: 1 }
    }
    /// `None`: not known.
    fn all(&self) -> Option<&[u64]> {
        self.numbers.get(..self.count as usize)
    }
    fn map(&self, change: impl Fn(u64) -> Option<u64>) -> Value {
        let changed = |value: &[u64]| value.iter().map(|&number| change(number)).collect::<Option<Vec<u64>>>();
        self.all().and_then(changed).map_or(Value::UNKNOWN, |numbers| {
            numbers.into_iter().map(Value::number).reduce(Value::or).unwrap_or(Value::UNKNOWN)
        })
    }
    fn or(self, other: Value) -> Value {
        let (Some(_), Some(others)) = (self.all(), other.all()) else { return Value::UNKNOWN };
        let mut both = self;
        for &number in others {
            if both.all().is_some_and(|known| !known.contains(&number)) {
                let Some(place) = both.numbers.get_mut(both.count as usize) else { return Value::UNKNOWN };
                *place = number;
                both.count += 1;
            }
        }
        both.numbers[..both.count as usize].sort_unstable();
        both
    }
}
const RA: usize = 1;
const SP: usize = 2;
const T0: usize = 5;
/// Bytes that it is always a multiple of.
const ALIGNED: usize = 16;
/// With a frame pointer, what the stack pointer is made of again.
const S0: usize = 8;
const A7: usize = 17;
/// In place of a register: one that holds nobody knows what.
const UNKNOWN: usize = 32;
/// What a call may change.
const CHANGED: [usize; 16] = [1, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17, 28, 29, 30, 31];
/// Below it are numbers and no addresses.
const PAGE: u64 = abi::address::PAGE as u64;
/// Words of a table of functions that are looked at, at most.
const TABLE: u64 = 16;

/// What is known before an instruction.
#[derive(Clone, PartialEq)]
struct State {
    registers: [Value; 32],
    /// Bytes that the function has taken of the stack.
    taken: usize,
    /// What is known to be on the stack, by how far below the function's first byte.
    kept: BTreeMap<i64, Value>,
}
impl State {
    const START: State = State { registers: [Value::UNKNOWN; 32], taken: 0, kept: BTreeMap::new() };
    fn or(&self, other: &State) -> State {
        State {
            registers: std::array::from_fn(|n| self.registers[n].or(other.registers[n])),
            taken: self.taken.max(other.taken),
            kept: self.kept.iter().filter_map(|(at, value)| Some((*at, value.or(*other.kept.get(at)?)))).collect(),
        }
    }
    /// Where `offset` from the stack pointer is.
    fn place(&self, offset: i64) -> i64 {
        self.taken as i64 - offset
    }
    fn get(&self, register: usize) -> Value {
        if register == UNKNOWN {
            Value::UNKNOWN
        } else if register == 0 {
            Value::number(0)
        } else {
            self.registers[register]
        }
    }
}
/// Where an instruction may be followed by another.
enum Next {
    Behind,
    /// There, or behind it.
    Either(u64),
    There(u64),
    /// At a place of a table.
    Anywhere,
    Nowhere,
}

impl Context<'_> {
    fn read(&self, code: &[u8], function: &mut Function) {
        let instructions = decoded(code, self.start);
        let mut before: BTreeMap<u64, State> = BTreeMap::new();
        // What is to be looked at again, from the lowest address on: as code lies, most of what leads there has been then.
        let mut open = BTreeMap::from([(self.start, State::START)]);
        let push = |open: &mut BTreeMap<u64, State>, at: u64, state: State| {
            open.entry(at).and_modify(|known| *known = known.or(&state)).or_insert(state);
        };
        let mut anywhere: Option<State> = None;
        loop {
            while let Some((at, state)) = open.pop_first() {
                let Some((instruction, length)) = instructions.get(&at) else { continue };
                let mut state = before.get(&at).map_or_else(|| state.clone(), |known| known.or(&state));
                if before.insert(at, state.clone()).as_ref() == Some(&state) {
                    continue;
                }
                match self.step(instruction, &mut state) {
                    Next::Behind => push(&mut open, at + length, state),
                    Next::Either(to) => [to, at + length].into_iter().for_each(|at| push(&mut open, at, state.clone())),
                    Next::There(to) => push(&mut open, to, state),
                    Next::Anywhere => anywhere = Some(anywhere.map_or_else(|| state.clone(), |known| known.or(&state))),
                    Next::Nowhere => {}
                }
            }
            // What no jump leads to is in a table.
            let first = instructions.keys().find(|at| !before.contains_key(at));
            match (first, &anywhere) {
                (Some(&first), Some(state)) => push(&mut open, first, state.clone()),
                _ => break,
            }
        }
        for (at, state) in &before {
            let next = instructions.range(at + 1..).next().map(|(_, (instruction, _))| instruction);
            self.note(&instructions[at].0, next, state, function);
        }
    }
    /// Changes `state` to what is known behind `instruction`.
    fn step(&self, instruction: &Instruction, state: &mut State) -> Next {
        if self.moves_stack(instruction, state) {
            state.taken = state.taken.min(UNBOUNDED);
            return Next::Behind;
        }
        match *instruction {
            Instruction::Add { to, from, immediate } => {
                let value = state.get(from).map(|number| Some(number.wrapping_add(immediate as u64)));
                state.registers[to] = value;
            }
            Instruction::Load { to, from: SP, offset } => {
                state.registers[to] = state.kept.get(&state.place(offset)).copied().unwrap_or(Value::UNKNOWN);
            }
            Instruction::Store { value, to: SP, offset } => {
                let at = state.place(offset);
                match state.get(value) {
                    Value::UNKNOWN => _ = state.kept.remove(&at),
                    known => _ = state.kept.insert(at, known),
                }
            }
            Instruction::Load { to, from, offset } => {
                let import = |base: u64| Some(base.wrapping_add(offset as u64)).filter(|at| self.imports.contains(at));
                let value = state.get(from).map(import);
                state.registers[to] = value;
            }
            Instruction::Set { to, value } => state.registers[to] = value.map_or(Value::UNKNOWN, Value::number),
            Instruction::Move { to, from } => {
                let value = state.get(from);
                state.registers[to] = value;
            }
            Instruction::Branch { to } => return Next::Either(to),
            Instruction::Jump { link: 0, to } if (self.start..self.end).contains(&to) => return Next::There(to),
            Instruction::Jump { link: 0, .. } => return Next::Nowhere,
            Instruction::JumpRegister { link: 0, from, .. } if [RA, T0].contains(&from) => return Next::Nowhere,
            Instruction::JumpRegister { link: 0, from, .. } if state.get(from).all().is_some() => return Next::Nowhere,
            Instruction::JumpRegister { link: 0, .. } => return Next::Anywhere,
            Instruction::Jump { .. } | Instruction::JumpRegister { .. } | Instruction::Call => {
                // A variable of the function may have been given another value meanwhile: addresses in the program's data are what the compiler keeps.
                state.kept.retain(|_, value| {
                    value.all().is_some_and(|all| all.iter().all(|n| *n >= PAGE && !self.starts.contains(n)))
                });
                CHANGED.into_iter().for_each(|register| state.registers[register] = Value::UNKNOWN);
            }
            Instruction::Store { .. }
            | Instruction::MoveStack { .. }
            | Instruction::Align { .. }
            | Instruction::Other => {}
        }
        Next::Behind
    }
    /// Whether `instruction` moves the stack pointer: then `state` says how far it is.
    fn moves_stack(&self, instruction: &Instruction, state: &mut State) -> bool {
        match *instruction {
            Instruction::Add { to: SP, from: SP, immediate } if immediate < 0 => {
                state.taken += immediate.unsigned_abs() as usize
            }
            Instruction::Add { to: SP, from: SP, immediate } => {
                state.taken = state.taken.saturating_sub(immediate as usize)
            }
            Instruction::MoveStack { by, down } => {
                let by = state.get(by).all().map(|numbers| numbers.iter().map(|&n| n as i64).min().unwrap_or(0));
                state.taken = match by {
                    Some(by) if by < 0 || down => state.taken + by.unsigned_abs() as usize,
                    Some(by) => state.taken.saturating_sub(by as usize),
                    None => UNBOUNDED,
                }
            }
            Instruction::Align { bytes } => state.taken += bytes.saturating_sub(ALIGNED),
            // From the frame pointer it comes back; from anywhere else nobody knows how far it goes.
            Instruction::Add { to: SP, from: S0, .. } | Instruction::Move { to: SP, from: S0 } => {}
            Instruction::Add { to: SP, .. }
            | Instruction::Move { to: SP, .. }
            | Instruction::Set { to: SP, .. }
            | Instruction::Load { to: SP, .. } => {
                state.taken = UNBOUNDED;
            }
            Instruction::Jump { link: T0, to } if self.saves.contains(&to) => state.taken += SAVED,
            Instruction::JumpRegister { link: T0, from, offset } if self.saves(state.get(from), offset) => {
                state.taken += SAVED
            }
            _ => return false,
        }
        true
    }
    /// Whether a jump to `offset` from `base` is to one of the functions that save registers.
    fn saves(&self, base: Value, offset: i64) -> bool {
        base.all().is_some_and(|all| all.iter().any(|base| self.saves.contains(&base.wrapping_add(offset as u64))))
    }
    /// Notes what an instruction, before `next`, says of its function.
    fn note(&self, instruction: &Instruction, next: Option<&Instruction>, state: &State, function: &mut Function) {
        let mut after = state.clone();
        self.step(instruction, &mut after);
        function.frame = function.frame.max(after.taken);
        match *instruction {
            Instruction::Jump { link, to } => self.jump((link, state.taken), Some(to), function),
            Instruction::JumpRegister { link: 0, from, .. }
                if [RA, T0].contains(&from) && state.get(from).all().is_none() => {}
            Instruction::JumpRegister { link, from, offset } => match state.get(from).all() {
                Some(all) => all
                    .iter()
                    .for_each(|base| self.jump((link, state.taken), Some(base.wrapping_add(offset as u64)), function)),
                None => self.jump((link, state.taken), None, function),
            },
            Instruction::Call => match state.get(A7).all() {
                Some(numbers) => function.portals.extend(numbers),
                None => function.any_portal = true,
            },
            // The first half of a jump's address, which may happen to be that of a function itself.
            Instruction::Set { to, .. } if matches!(next, Some(Instruction::JumpRegister { from, .. }) if *from == to) =>
                {}
            Instruction::Add { to, .. } | Instruction::Set { to, .. } => {
                for &number in after.get(to).all().unwrap_or(&[]) {
                    self.refer(number, function);
                }
            }
            _ => {}
        }
    }
    /// `address` is in a register: that of a function, or of a table of some, methods of a type, behind its size and alignment.
    fn refer(&self, address: u64, function: &mut Function) {
        if self.starts.contains(&address) && address != self.start {
            function.refers.insert(address);
        }
        let word = |n: u64| {
            self.program.at(address.wrapping_add(8 * n), 8).map(|word| u64::from_le_bytes(word.try_into().unwrap()))
        };
        let words: Vec<u64> = (0..TABLE).map_while(word).collect();
        let [drop, size, alignment, rest @ ..] = &words[..] else { return };
        let is = |word: &u64| self.starts.contains(word);
        if (*drop == 0 || is(drop)) && *size < 1 << 16 && alignment.is_power_of_two() && rest.first().is_some_and(is) {
            function.refers.extend(rest.iter().copied().take_while(is));
            function.refers.extend(Some(*drop).filter(is));
        }
    }
    fn jump(&self, (link, taken): (usize, usize), to: Option<u64>, function: &mut Function) {
        match to {
            Some(to) if link == 0 && (self.start..self.end).contains(&to) => {}
            Some(to) => {
                let start = self.starts.range(..=to).next_back().copied().unwrap_or(to);
                if link == T0 && self.saves.contains(&to) {
                    return;
                }
                let deepest = function.calls.entry(start).or_default();
                *deepest = taken.max(*deepest);
            }
            // A table of places in this function, unless its frame is gone.
            None if link == 0 && (taken > 0 || function.frame == 0) => {}
            None => function.indirect = true,
        }
    }
}
/// The instructions of a function, by address, with their lengths.
fn decoded(code: &[u8], start: u64) -> BTreeMap<u64, (Instruction, u64)> {
    let mut instructions = BTreeMap::new();
    let mut at = 0;
    while let Some(&[low, high]) = code.get(at..at + 2) {
        let (short, pc) = (u16::from_le_bytes([low, high]), start + at as u64);
        let (instruction, length) = match (short & 3, code.get(at..at + 4)) {
            (3, Some(&[a, b, c, d])) => (long(u32::from_le_bytes([a, b, c, d]), pc), 4),
            _ => (short_one(short, pc), 2),
        };
        instructions.insert(pc, (instruction, length));
        at += length as usize;
    }
    instructions
}
/// What of an instruction matters here.
enum Instruction {
    Add {
        to: usize,
        from: usize,
        immediate: i64,
    },
    /// `sp` goes up, or down, by what a register holds.
    MoveStack {
        by: usize,
        down: bool,
    },
    Load {
        to: usize,
        from: usize,
        offset: i64,
    },
    Store {
        value: usize,
        to: usize,
        offset: i64,
    },
    Set {
        to: usize,
        value: Option<u64>,
    },
    Move {
        to: usize,
        from: usize,
    },
    /// `sp` goes down to a multiple of `bytes`.
    Align {
        bytes: usize,
    },
    Branch {
        to: u64,
    },
    Jump {
        link: usize,
        to: u64,
    },
    JumpRegister {
        link: usize,
        from: usize,
        offset: i64,
    },
    Call,
    Other,
}
/// The bits of `word` from `from` on, `count` of them.
const fn bits(word: u32, from: u32, count: u32) -> u32 {
    word >> from & ((1 << count) - 1)
}
/// The lowest `count` bits of `value`, the highest of which is the sign.
const fn signed(value: u32, count: u32) -> i64 {
    ((value << (32 - count)) as i32 >> (32 - count)) as i64
}
/// An instruction of four bytes, at `pc`.
fn long(word: u32, pc: u64) -> Instruction {
    let [to, from, second] = [7, 15, 20].map(|at| bits(word, at, 5) as usize);
    let immediate = signed(word >> 20, 12);
    match (word & 0x7f, bits(word, 12, 3), word >> 25) {
        (0x13 | 0x1b, 0, _) => Instruction::Add { to, from, immediate },
        (0x13, 7, _) if (to, from) == (SP, SP) && immediate < 0 => {
            Instruction::Align { bytes: immediate.unsigned_abs() as usize }
        }
        (0x37, ..) => Instruction::Set { to, value: Some((word & !0xfff) as i32 as u64) },
        (0x17, ..) => Instruction::Set { to, value: Some(pc.wrapping_add((word & !0xfff) as i32 as u64)) },
        (0x03, 3, _) => Instruction::Load { to, from, offset: immediate },
        (0x33, 0, 0) if (to, from) == (SP, SP) => Instruction::MoveStack { by: second, down: false },
        (0x33, 0, 0x20) if (to, from) == (SP, SP) => Instruction::MoveStack { by: second, down: true },
        (0x6f, ..) => {
            let offset =
                bits(word, 31, 1) << 20 | bits(word, 12, 8) << 12 | bits(word, 20, 1) << 11 | bits(word, 21, 10) << 1;
            Instruction::Jump { link: to, to: pc.wrapping_add(signed(offset, 21) as u64) }
        }
        (0x67, 0, _) => Instruction::JumpRegister { link: to, from, offset: immediate },
        (0x73, 0, 0) if second == 0 => Instruction::Call,
        (0x63, ..) => {
            let offset =
                bits(word, 31, 1) << 12 | bits(word, 7, 1) << 11 | bits(word, 25, 6) << 5 | bits(word, 8, 4) << 1;
            Instruction::Branch { to: pc.wrapping_add(signed(offset, 13) as u64) }
        }
        (0x23, 3, _) => {
            Instruction::Store { value: second, to: from, offset: signed(word >> 25 << 5 | bits(word, 7, 5), 12) }
        }
        // Other stores, fences and what floating-point registers get.
        (0x23 | 0x0f | 0x27 | 0x07, ..) => Instruction::Other,
        _ => Instruction::Set { to, value: None },
    }
}
/// One of two.
fn short_one(half: u16, pc: u64) -> Instruction {
    let word = half as u32;
    let (to, second) = (bits(word, 7, 5) as usize, bits(word, 2, 5) as usize);
    let [high, low] = [7, 2].map(|at| 8 + bits(word, at, 3) as usize);
    let small = signed(bits(word, 12, 1) << 5 | bits(word, 2, 5), 6);
    match (word & 3, bits(word, 13, 3)) {
        // c.addi4spn: an address on the stack.
        (0, 0) => Instruction::Set { to: low, value: None },
        (0, 2) => Instruction::Set { to: low, value: None },
        // c.ld
        (0, 3) => {
            Instruction::Load { to: low, from: high, offset: (bits(word, 10, 3) << 3 | bits(word, 5, 2) << 6) as i64 }
        }
        (1, 0 | 1) => Instruction::Add { to, from: to, immediate: small },
        (1, 2) => Instruction::Set { to, value: Some(small as u64) },
        // c.addi16sp
        (1, 3) if to == SP => {
            let value = bits(word, 12, 1) << 9
                | bits(word, 3, 2) << 7
                | bits(word, 5, 1) << 6
                | bits(word, 2, 1) << 5
                | bits(word, 6, 1) << 4;
            Instruction::Add { to, from: to, immediate: signed(value, 10) }
        }
        (1, 3) => Instruction::Set { to, value: Some((small << 12) as u64) },
        (1, 4) => Instruction::Set { to: high, value: None },
        // c.j
        (1, 5) => {
            let places = [(12, 11), (8, 10), (10, 9), (9, 8), (6, 7), (7, 6), (2, 5), (11, 4), (5, 3), (4, 2), (3, 1)];
            let offset = places.into_iter().fold(0, |sum, (from, to)| sum | bits(word, from, 1) << to);
            Instruction::Jump { link: 0, to: pc.wrapping_add(signed(offset, 12) as u64) }
        }
        // c.beqz, c.bnez
        (1, 6 | 7) => {
            let places = [(12, 8), (6, 7), (5, 6), (2, 5), (11, 4), (10, 3), (4, 2), (3, 1)];
            let offset = places.into_iter().fold(0, |sum, (from, to)| sum | bits(word, from, 1) << to);
            Instruction::Branch { to: pc.wrapping_add(signed(offset, 9) as u64) }
        }
        // c.ldsp, c.sdsp
        (2, 3) => Instruction::Load {
            to,
            from: SP,
            offset: (bits(word, 12, 1) << 5 | bits(word, 5, 2) << 3 | bits(word, 2, 3) << 6) as i64,
        },
        (2, 7) => Instruction::Store {
            value: second,
            to: SP,
            offset: (bits(word, 10, 3) << 3 | bits(word, 7, 3) << 6) as i64,
        },
        // c.swsp
        (2, 6) => Instruction::Store {
            value: UNKNOWN,
            to: SP,
            offset: (bits(word, 9, 4) << 2 | bits(word, 7, 2) << 6) as i64 & !7,
        },
        (2, 0 | 2) => Instruction::Set { to, value: None },
        (2, 4) => match (bits(word, 12, 1), to, second) {
            (0, from, 0) => Instruction::JumpRegister { link: 0, from, offset: 0 },
            (0, to, from) => Instruction::Move { to, from },
            (_, 0, 0) => Instruction::Other,
            (_, from, 0) => Instruction::JumpRegister { link: RA, from, offset: 0 },
            (_, SP, by) => Instruction::MoveStack { by, down: false },
            (_, to, _) => Instruction::Set { to, value: None },
        },
        _ => Instruction::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Segment;

    const START: u64 = 0x4_0000;
    /// The number of an import, and another function.
    const IMPORT: u64 = START + 0x1030;
    const OTHER: u64 = START + 0x100;
    /// One that saves registers.
    const SAVE: u64 = START + 0x200;

    /// What a function with these instructions does.
    fn of(words: &[u32]) -> Function {
        let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let bytes = vec![0; 0x2000];
        let segments = vec![Segment { va: START, bytes, memory_bytes: 0x2000, rights: Rights::READ }];
        let program = Program { name: "p".into(), entry: START, segments, symbols: Default::default() };
        let (imports, starts) = (BTreeSet::from([IMPORT]), BTreeSet::from([START, OTHER, SAVE]));
        let mut function = Function::default();
        let end = START + code.len() as u64;
        Context {
            program: &program,
            imports: &imports,
            starts: &starts,
            saves: &BTreeSet::from([SAVE]),
            start: START,
            end,
        }
        .read(&code, &mut function);
        function
    }
    /// `addi rd, rs, immediate`
    const fn addi(rd: u32, rs: u32, immediate: i32) -> u32 {
        (immediate as u32) << 20 | rs << 15 | rd << 7 | 0x13
    }
    /// `jal rd, offset`: forwards, less than 2 KiB.
    const fn jal(rd: u32, offset: u32) -> u32 {
        (offset >> 1 & 0x3ff) << 21 | rd << 7 | 0x6f
    }
    /// `ld rd, offset(rs)`
    const fn ld(rd: u32, rs: u32, offset: i32) -> u32 {
        (offset as u32) << 20 | rs << 15 | 3 << 12 | rd << 7 | 0x03
    }
    const RET: u32 = 0x8067;
    const ECALL: u32 = 0x73;

    #[test]
    fn a_frame_is_what_a_function_takes_in_all() {
        assert_eq!(of(&[addi(2, 2, -2032), addi(2, 2, -16), RET]).frame, 2048);
        // c.addi16sp sp, -496; c.addi sp, -16
        assert_eq!(of(&[0x1141_7141, RET]).frame, 512);
    }
    #[test]
    fn what_is_too_large_for_one_instruction_is_in_a_register() {
        // lui a0, 2; addiw a0, a0, -16; sub sp, sp, a0
        assert_eq!(of(&[0x0000_2537, 0xff05_051b, 0x40a1_0133, RET]).frame, 8192 - 16);
    }
    #[test]
    fn what_nobody_knows_is_without_bound() {
        // sub sp, sp, a0
        assert_eq!(of(&[0x40a1_0133, RET]).frame, UNBOUNDED);
    }
    #[test]
    fn ways_through_a_function_do_not_add_up() {
        let frame = addi(2, 2, -2032);
        // beq a0, zero, 16: past the first frame and its return
        assert_eq!(of(&[0x0005_0863, frame, addi(2, 2, 2032), RET, frame, addi(2, 2, 2032), RET]).frame, 2032);
    }
    #[test]
    fn a_call_has_what_was_taken_there_below_it() {
        assert_eq!(of(&[addi(2, 2, -64), jal(1, 0xfc), addi(2, 2, 64), RET]).calls, [(OTHER, 64)].into());
        // One that it goes on in, with its frame taken away.
        assert_eq!(of(&[addi(2, 2, -64), addi(2, 2, 64), jal(0, 0xf8)]).calls, [(OTHER, 0)].into());
    }
    #[test]
    fn an_aligned_frame_takes_what_that_may_leave_out() {
        // andi sp, sp, -64
        assert_eq!(of(&[addi(2, 2, -128), 0xfc01_7113, RET]).frame, 128 + 48);
        // mv sp, a0
        assert_eq!(of(&[0x0005_0113, RET]).frame, UNBOUNDED);
    }
    #[test]
    fn a_variable_on_the_stack_may_be_another_after_a_call() {
        // sd zero, 8(sp); jal OTHER; ld a7, 8(sp)
        assert!(of(&[addi(2, 2, -64), 0x0001_3423, jal(1, 0xf8), ld(17, 2, 8), ECALL, RET]).any_portal);
    }
    #[test]
    fn a_jump_through_a_pointer_whose_frame_is_gone_is_a_call() {
        assert!(of(&[addi(2, 2, -64), addi(2, 2, 64), 0x0007_8067]).indirect);
    }
    #[test]
    fn what_registers_are_saved_in_is_of_the_function_s_frame() {
        // jal t0, SAVE; addi sp, sp, -64; jal OTHER
        let saves = of(&[jal(5, 0x200), addi(2, 2, -64), jal(1, 0xf8), RET]);
        assert_eq!((saves.frame, saves.calls), (64 + SAVED, [(OTHER, 64 + SAVED)].into()));
    }
    #[test]
    fn numbers_of_portals_are_constants_or_imports() {
        assert_eq!(of(&[addi(17, 0, 7), ECALL, RET]).portals, [7].into());
        // auipc a0, 1; sd a0, 8(sp); ld a1, 8(sp); ld a7, 48(a1)
        let kept = of(&[addi(2, 2, -64), 0x0000_1517, 0x00a1_3423, ld(11, 2, 8), ld(17, 11, 44), ECALL, RET]);
        assert_eq!((kept.portals, kept.any_portal), ([IMPORT].into(), false));
    }
    #[test]
    fn a_number_that_is_an_argument_is_any() {
        assert!(of(&[addi(17, 10, 0), ECALL, RET]).any_portal);
        // A call may have changed it.
        assert!(of(&[addi(17, 0, 7), jal(1, 0xfc), ECALL, RET]).any_portal);
        assert!(!of(&[addi(17, 10, 0), RET]).any_portal);
    }
    #[test]
    fn both_ways_that_lead_to_a_call_count() {
        // li a7, 7; beq a0, zero, 8; li a7, 8
        assert_eq!(of(&[addi(17, 0, 7), 0x0005_0463, addi(17, 0, 8), ECALL, RET]).portals, [7, 8].into());
    }
    #[test]
    fn what_a_table_of_places_leads_to_is_looked_at() {
        // jr a0
        assert_eq!(of(&[0x0005_0067, addi(17, 0, 9), ECALL, RET]).portals, [9].into());
        assert!(of(&[0x0005_00e7, RET]).indirect);
    }
    #[test]
    fn half_of_a_jumps_address_is_no_reference() {
        let behind = |words: &[u32]| [&[addi(0, 0, 0); 0x40], words].concat();
        // At OTHER: auipc ra, 0; jalr ra, 0x100(ra)
        let calls = of(&behind(&[0x0000_0097, 0x1000_80e7, RET]));
        assert_eq!((calls.refers, calls.calls.contains_key(&SAVE)), (BTreeSet::new(), true));
        // auipc a0, 0
        assert_eq!(of(&behind(&[0x0000_0517, RET])).refers, [OTHER].into());
    }
}
