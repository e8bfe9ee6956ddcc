//! The frames of a thread as they were found with interrupts on, to be held against what they are when interrupts are off.
//!
//! A thread's invocation stack is as it was if its top is, and every frame has the same way back and the same caller: the sizes and
//! places of all follow from that. And all of it was seen if the last frame lies on the bottom: a thread that ran in the middle of a
//! look may have left something else where its next frame was.

use crate::machine::nucleus_memory::{Masked, NucleusMemory};
use crate::state::code::CodeArea;
use crate::state::nucleus_data::{FrameView, Table, ThreadPage};

/// More frames than a thread's page has room for.
const MOST: usize = (4096 - abi::nucleus::FIRST_FRAME) / size_of::<abi::nucleus::Frame>() + 1;

/// Looks at a thread with interrupts on before one with interrupts off.
const LOOKS: usize = 4;

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
    /// Lower half of the way back of frames of floating-point state.
    floating: u32,
    /// Newest first.
    frames: [Found; MOST],
    count: usize,
    top: u64,
    /// The last of them lies on the bottom of the stack.
    complete: bool,
}

impl Seen {
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Seen {
        Seen {
            floating: 0,
            frames: [Found { portal: 0, table: 0, at: 0, concerned: false }; MOST],
            count: 0,
            top: 0,
            complete: false,
        }
    }
    /// Looks at the frames of `page`; one more than how many they are.
    pub fn look<M: NucleusMemory>(
        &mut self,
        page: ThreadPage<M>,
        code: &CodeArea<M>,
        concerned: impl Fn(FrameView<M>) -> bool,
    ) -> usize {
        self.floating = page.memory().info().symbols.floating_return as u32;
        self.top = page.invocation();
        self.count = 0;
        let mut next = self.top;
        for place in &mut self.frames {
            let Some((frame, after)) = page.frame(next, code) else { break };
            next = after;
            // Behind the way back of one of floating-point state there is no caller.
            let floating = frame.floating();
            *place = Found {
                portal: frame.portal() as u32,
                table: frame.table().address() as u32,
                at: (frame.address() - page.address()) as u16,
                concerned: !floating && concerned(frame),
            };
            self.count += 1;
        }
        self.complete = next == page.bottom();
        self.count + 1
    }
    /// Looks until what was seen is what there is; the frames, newest first. Those of a thread that runs meanwhile may be gone when they
    /// are used, but all that have stayed are among them.
    pub fn settle<'a, M: NucleusMemory>(
        &'a mut self,
        page: ThreadPage<M>,
        code: &CodeArea<M>,
    ) -> impl Iterator<Item = FrameView<M>> + use<'a, M> {
        self.look_until_settled(page, code);
        self.frames[..self.count].iter().map(move |found| page.frame_at(found.at as u64))
    }
    /// The same for who follows what the frames say: the way back of each and its caller's table, as they were at one moment, frames of
    /// floating-point state left out. What is read from the frames themselves later may be anything, a table's address included.
    pub fn settle_calls<'a, M: NucleusMemory>(
        &'a mut self,
        page: ThreadPage<M>,
        code: &CodeArea<M>,
    ) -> impl Iterator<Item = (u64, Table<M>)> + use<'a, M> {
        self.settle_places(page, code).map(|(_, portal, table)| (portal, table))
    }
    /// The same, and first where each of those frames lies in the thread's page.
    pub fn settle_places<'a, M: NucleusMemory>(
        &'a mut self,
        page: ThreadPage<M>,
        code: &CodeArea<M>,
    ) -> impl Iterator<Item = (u64, u64, Table<M>)> + use<'a, M> {
        self.look_until_settled(page, code);
        let (memory, floating) = (page.memory(), self.floating);
        let whole = |lower: u32| lower as i32 as i64 as u64;
        let calls = self.frames[..self.count].iter().filter(move |found| found.portal != floating);
        calls.map(move |found| (found.at as u64, whole(found.portal), Table::at(memory, whole(found.table))))
    }
    fn look_until_settled<M: NucleusMemory>(&mut self, page: ThreadPage<M>, code: &CodeArea<M>) {
        let seen = (0..LOOKS).any(|_| {
            self.look(page, code, |_| false);
            let _masked = Masked::new(page.memory());
            self.holds(page)
        });
        if !seen {
            // It runs whenever this is interrupted.
            let _masked = Masked::new(page.memory());
            self.look(page, code, |_| false);
        }
    }
    /// Whether they are still the same. Interrupts are off.
    #[inline(never)]
    pub fn holds<M: NucleusMemory>(&self, page: ThreadPage<M>) -> bool {
        let frames = &self.frames[..self.count];
        self.complete
            && page.invocation() == self.top
            && frames.iter().all(|found| {
                let frame = self.frame_at(page, found);
                frame.portal() as u32 == found.portal && frame.table().address() as u32 == found.table
            })
    }
    fn frame_at<M: NucleusMemory>(&self, page: ThreadPage<M>, found: &Found) -> FrameView<M> {
        page.frame_at(found.at as u64)
    }
    /// The oldest frame that is concerned of those newer than the `before`th, as [`Seen::look`] counts.
    pub fn last_concerned(&self, before: usize) -> Option<usize> {
        (1..before).rev().find(|n| self.frames[n - 1].concerned)
    }
    pub fn frame<M: NucleusMemory>(&self, page: ThreadPage<M>, n: usize) -> FrameView<M> {
        self.frame_at(page, &self.frames[n - 1])
    }
    /// The `n`th frame has been changed.
    pub fn turned<M: NucleusMemory>(&mut self, n: usize, frame: FrameView<M>) {
        let found = &mut self.frames[n - 1];
        found.table = frame.table().address() as u32;
        found.concerned = false;
    }
    /// Whether a frame returns to the domain with that table.
    pub fn returns_to<M: NucleusMemory>(&self, table: Table<M>) -> bool {
        let frames = &self.frames[..self.count];
        frames.iter().any(|found| found.table == table.address() as u32 && found.portal != self.floating)
    }
    /// Whether no other frame but of floating-point state is above the `n`th.
    pub fn is_top(&self, n: usize) -> bool {
        self.frames[..n - 1].iter().all(|found| found.portal == self.floating)
    }
}
