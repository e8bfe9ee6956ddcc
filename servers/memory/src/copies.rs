//! How a space becomes a copy of another one: pages are shared until one of the two writes.

use crate::open_windows::OpenWindows;
use crate::ram::Ram;
use crate::space::{Space, Spaces, span_pages, spans};
use crate::tables;
use abi::Error;
use abi::address::*;

impl<R: Ram> Spaces<R> {
    /// Copies the private part of `from` to `to`, which has nothing but its return page: pages are shared until one of the
    /// two writes. Those that windows show, or all where that is not known, are copied at once. Views of `to` see what their models see.
    pub fn copy(&mut self, from: usize, to: usize, windows: OpenWindows) -> Result<(), Error> {
        let copied = self.copy_parts(from, to, windows).and_then(|()| self.copy_views(from, to));
        // What was the space's own can not be written any more.
        self.ram.flush_space(from);
        self.all_stale(from);
        copied
    }
    fn copy_parts(&mut self, from: usize, to: usize, windows: OpenWindows) -> Result<(), Error> {
        let source = *self.space(from)?;
        let target = *self.space(to)?;
        // Before any page: what lies in a segment lies in one there, too.
        *self.space(to)? = Space {
            root: target.root,
            id: target.id,
            pages: target.pages,
            common: target.common,
            tables: target.tables,
            account: target.account,
            boot: false,
            devices: false,
            ..source
        };
        // A device belongs to the driver alone.
        let received = (RECEIVE_VA, source.received_end);
        for (start, end) in [(PRIVATE_VA, source.low_end), received, (source.high_start, STACK_TOP)] {
            for va in spans(start, end) {
                if let Some(first) = tables::entry(&self.ram, source.root, va) {
                    self.copy_entries(to, first, va, span_pages(va, end), windows)?;
                }
            }
        }
        if source.has_segments_above() { self.copy_segments(source.root, to, windows) } else { Ok(()) }
    }
}
