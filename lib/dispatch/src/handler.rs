//! One that handles an event, and where it is among others.

use crate::guard::Tests;
use crate::linked::Linked;
use crate::thread::Thread;
use crate::{Name, WORDS};
use alloc::sync::Arc;
use extension::Order;

/// One that handles an event.
#[derive(Clone)]
pub(crate) struct Handler {
    pub extension: Arc<Linked>,
    /// Where its entry is.
    pub entry: usize,
    /// All of these hold where it is called.
    pub tests: Tests,
    pub order: Order<Name>,
}
impl Handler {
    /// As [`Linked::activate`], which is part of who calls all of a list, and nobody else's.
    #[inline(never)]
    pub fn activate(&self, thread: Thread, words: &[usize; WORDS]) -> Option<usize> {
        self.extension.activate(thread, self.entry, words)
    }
}
/// Where one is put that comes to these, by the name of its extension. Where it can not be had that all of them are where they have said, it is where it has said itself.
pub(crate) fn place(all: &[Handler], name: &str, order: Order<Name>) -> usize {
    let is = |handler: &Handler, other: &Name| abi::section::text(other) == &*handler.extension.name;
    let is_own = |other: &Name| abi::section::text(other) == name;
    let first = |wanted: &dyn Fn(&Handler) -> bool| all.iter().position(wanted).unwrap_or(all.len());
    let behind = |wanted: &dyn Fn(&Handler) -> bool| all.iter().rposition(wanted).map_or(0, |at| at + 1);
    // Between which it is, by itself and by the others.
    let own = match order {
        Order::Before(other) => (0, first(&|handler| is(handler, &other))),
        Order::After(other) => (behind(&|handler| is(handler, &other)), all.len()),
        Order::First => (0, 0),
        Order::Last => (all.len(), all.len()),
        Order::Usual => (0, all.len()),
    };
    let last = first(&|handler| order != Order::Last && handler.order == Order::Last);
    let others = (
        behind(&|handler| matches!(&handler.order, Order::Before(other) if is_own(other))),
        first(&|handler| matches!(&handler.order, Order::After(other) if is_own(other))).min(last),
    );
    let (from, to) = (own.0.max(others.0), own.1.min(others.1));
    let (from, to) = if from <= to { (from, to) } else { (own.0, own.1.min(last.max(own.0))) };
    let is_behind_one = own.0 > 0;
    if order == Order::First || is_behind_one { from } else { to }
}
