//! A trait with an associated type, which generic code names.
#![no_std]
extern crate alloc;
use alloc::{collections::BinaryHeap, vec::Vec};
use core::cmp::Reverse;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum State {
    #[default]
    Idle,
    Running {
        since: u64,
    },
    Done(u8),
}
pub struct Task {
    pub number: u32,
    pub deadline: u64,
    pub state: State,
}
pub trait Policy {
    type Key: Ord + Copy;
    const NAME: &'static str;
    fn key(&self, task: &Task) -> Self::Key;
}
pub struct Earliest;
impl Policy for Earliest {
    type Key = (u64, u32);
    const NAME: &'static str = "earliest";
    fn key(&self, task: &Task) -> (u64, u32) {
        (task.deadline, task.number)
    }
}
pub fn order<K: Ord + Copy, P: Policy<Key = K>>(policy: &P, tasks: &[Task]) -> Vec<u32> {
    let mut heap: BinaryHeap<_> = tasks.iter().map(|task| Reverse((policy.key(task), task.number))).collect();
    core::iter::from_fn(|| heap.pop()).map(|Reverse((_, number))| number).collect()
}
pub fn earliest(tasks: &[Task]) -> Option<u32> {
    order(&Earliest, tasks).first().copied()
}
