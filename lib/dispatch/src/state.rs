//! What an activation needs to know of its extension: where that is, and whether and why it has ended.

use crate::ACTIVATIONS;
use abi::address::PAGE;
use alloc::boxed::Box;
use arch::landing::{EndedQuickly, Home};
use core::ptr;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, SeqCst};
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, AtomicU32};

/// Why an extension was taken out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Why {
    /// It panicked.
    Panic = 1,
    /// There was not enough left of its stack.
    Stack = 2,
    /// It passed what is none of the type's values.
    Argument = 3,
    /// It did what no program of its language does, in its text.
    Fault = 4,
    /// An activation took longer than its quantum.
    Time = 5,
}
impl Why {
    pub(crate) fn of(number: usize) -> Option<Why> {
        [Why::Panic, Why::Stack, Why::Argument, Why::Fault, Why::Time].into_iter().find(|why| *why as usize == number)
    }
}

/// What activations have: each a stack, and behind it an arena, from a page on that is not mapped. The next is as far behind it as all that is long.
#[derive(Clone, Copy)]
pub(crate) struct Stacks {
    /// Where the first stack begins.
    pub first: usize,
    pub stack: usize,
    pub stride: usize,
}
/// Of it, activations have the address.
#[repr(C)]
pub(crate) struct State {
    /// First: they are at home there.
    pub home: Home,
    /// Where its text begins, and its bytes.
    pub text: (usize, usize),
    pub stacks: Stacks,
    /// Why it was taken out, or 0.
    ended: AtomicU8,
    /// Where it panicked.
    file: [AtomicU8; 64],
    line: AtomicU32,
}
impl State {
    pub fn new(text: (usize, usize), stacks: Stacks, ended: EndedQuickly) -> State {
        let home = Home { free: AtomicPtr::new(ptr::null_mut()), quick: AtomicBool::new(false), ended };
        State {
            home,
            text,
            stacks,
            ended: AtomicU8::new(0),
            file: [const { AtomicU8::new(0) }; 64],
            line: AtomicU32::new(0),
        }
    }
    /// Why it was taken out.
    pub fn ended(&self) -> Option<Why> {
        Why::of(self.ended.load(Acquire) as usize)
    }
    /// It is called no more; the first reason counts.
    pub fn end(&self, why: Why) {
        let _ = self.ended.compare_exchange(0, why as u8, AcqRel, Relaxed);
        self.home.quick.store(false, SeqCst);
    }
    /// Whether it is entered the quick way from now on, where somebody looks at its activations; never where it has ended.
    pub fn watch(&self, watched: bool) {
        self.home.quick.store(watched && self.ended.load(SeqCst) == 0, SeqCst);
        // It may have ended meanwhile.
        if self.ended.load(SeqCst) != 0 {
            self.home.quick.store(false, SeqCst);
        }
    }
    /// Whether an instruction of its text is there.
    pub fn has(&self, pc: usize) -> bool {
        pc.wrapping_sub(self.text.0) < self.text.1
    }
    /// Whether what is there is the page below one of its stacks.
    pub fn ends_a_stack(&self, address: usize) -> bool {
        let behind = address.wrapping_sub(self.stacks.first - PAGE);
        behind / self.stacks.stride < ACTIVATIONS && behind % self.stacks.stride < PAGE
    }
    /// Notes where it panicked: the first that does counts.
    pub fn say(&self, file: &[u8], line: u32) {
        if self.line.compare_exchange(0, line, Relaxed, Relaxed).is_ok() {
            self.file.iter().zip(file).for_each(|(to, byte)| to.store(*byte, Relaxed));
        }
    }
    /// Where it panicked.
    pub fn said(&self) -> Option<(Box<str>, u32)> {
        let line = Some(self.line.load(Relaxed)).filter(|line| *line != 0)?;
        let bytes = self.file.each_ref().map(|byte| byte.load(Relaxed));
        let length = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        let text = bytes[..length].utf8_chunks().next().map_or("", |chunk| chunk.valid());
        fallible::text(text).ok().map(|file| (file, line))
    }
}
