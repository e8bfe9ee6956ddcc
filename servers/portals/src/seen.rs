//! The frames of a thread as they were found with interrupts on, to be held against what they are when interrupts are off.
//!
//! A thread's invocation stack is as it was if its top is, and every frame has the same way back and the same caller: the sizes and
//! places of all follow from that.

use crate::code::CodeArea;
use crate::view::{FrameView, Table, ThreadPage};

/// More frames than a thread's page has room for.
const MOST: usize = (4096 - abi::nucleus::FIRST_FRAME) / size_of::<abi::nucleus::Frame>() + 1;

#[derive(Clone, Copy)]
struct Found {
    /// Lower halves of the frame's way back and of its caller's table: the upper ones are the same for all.
    portal: u32,
    table: u32,
    /// Where it lies in the thread's page.
    at: u16,
    concerned: bool,
}

pub struct Seen {
    /// Newest first.
    frames: [Found; MOST],
    count: usize,
    top: u64,
}

impl Seen {
    pub fn new() -> Seen {
        Seen { frames: [Found { portal: 0, table: 0, at: 0, concerned: false }; MOST], count: 0, top: 0 }
    }
    /// Looks at the frames of `page`; one more than how many they are.
    pub fn look(&mut self, page: ThreadPage, code: &CodeArea, concerned: impl Fn(FrameView) -> bool) -> usize {
        self.top = page.invocation();
        self.count = 0;
        for (place, frame) in self.frames.iter_mut().zip(page.frames(code)) {
            // Behind the way back of one of floating-point state there is no caller.
            let floating = frame.floating();
            *place = Found {
                portal: frame.portal() as u32,
                table: frame.table().0 as u32,
                at: (frame.0 - page.0) as u16,
                concerned: !floating && concerned(frame),
            };
            self.count += 1;
        }
        self.count + 1
    }
    /// Whether they are still the same. Interrupts are off.
    pub fn holds(&self, page: ThreadPage) -> bool {
        let frames = &self.frames[..self.count];
        page.invocation() == self.top
            && frames.iter().all(|found| {
                let frame = FrameView(page.0 + found.at as u64);
                frame.portal() as u32 == found.portal && frame.table().0 as u32 == found.table
            })
    }
    /// The oldest frame that is concerned of those newer than the `before`th, as [`Seen::look`] counts.
    pub fn last_concerned(&self, before: usize) -> Option<usize> {
        (1..before).rev().find(|n| self.frames[n - 1].concerned)
    }
    pub fn frame(&self, page: ThreadPage, n: usize) -> FrameView {
        FrameView(page.0 + self.frames[n - 1].at as u64)
    }
    /// The `n`th frame has been changed.
    pub fn turned(&mut self, n: usize, frame: FrameView) {
        let found = &mut self.frames[n - 1];
        found.table = frame.table().0 as u32;
        found.concerned = false;
    }
    /// Whether a frame returns to the domain with that table.
    pub fn returns_to(&self, table: Table) -> bool {
        let floating = pebble::boot::info().symbols.floating_return as u32;
        let frames = &self.frames[..self.count];
        frames.iter().any(|found| found.table == table.0 as u32 && found.portal != floating)
    }
    /// Whether no other frame but of floating-point state is above the `n`th.
    pub fn is_top(&self, n: usize) -> bool {
        let floating = pebble::boot::info().symbols.floating_return as u32;
        self.frames[..n - 1].iter().all(|found| found.portal == floating)
    }
}
