//! Shared and counted references, cells, borrows that are followed, operators, matrices, hashes.
#![no_std]
extern crate alloc;
use alloc::boxed::Box;
use alloc::collections::LinkedList;
use alloc::rc::{Rc, Weak};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cell::{Cell, RefCell};
use core::hash::{Hash, Hasher};
use core::ops::{ControlFlow, Deref, DerefMut, Index, IndexMut};
use core::sync::atomic::{AtomicU64, Ordering};

pub struct Tree {
    value: u32,
    children: RefCell<Vec<Rc<Tree>>>,
    parent: RefCell<Weak<Tree>>,
}
impl Tree {
    pub fn leaf(value: u32) -> Rc<Tree> {
        Rc::new(Tree { value, children: RefCell::default(), parent: RefCell::new(Weak::new()) })
    }
    pub fn add(self: &Rc<Self>, child: Rc<Tree>) {
        *child.parent.borrow_mut() = Rc::downgrade(self);
        self.children.borrow_mut().push(child);
    }
    pub fn depth(&self) -> usize {
        self.parent.borrow().upgrade().map_or(0, |parent| parent.depth() + 1)
    }
    pub fn total(&self) -> u32 {
        self.value + self.children.borrow().iter().map(|child| child.total()).sum::<u32>()
    }
}
#[derive(Clone, Debug)]
pub struct Matrix<const R: usize, const C: usize>([[f64; C]; R]);
impl<const R: usize, const C: usize> Index<(usize, usize)> for Matrix<R, C> {
    type Output = f64;
    fn index(&self, (row, column): (usize, usize)) -> &f64 {
        &self.0[row][column]
    }
}
impl<const R: usize, const C: usize> IndexMut<(usize, usize)> for Matrix<R, C> {
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut f64 {
        &mut self.0[row][column]
    }
}
impl<const R: usize, const C: usize> Matrix<R, C> {
    pub fn transposed(&self) -> Matrix<C, R> {
        Matrix(core::array::from_fn(|column| core::array::from_fn(|row| self[(row, column)])))
    }
}
pub struct Watched<T>(T, Cell<u32>);
impl<T> Deref for Watched<T> {
    type Target = T;
    fn deref(&self) -> &T {
        self.1.set(self.1.get() + 1);
        &self.0
    }
}
impl<T> DerefMut for Watched<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}
impl<T> Drop for Watched<T> {
    fn drop(&mut self) {
        self.1.set(0);
    }
}
pub struct Fnv(u64);
impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
}
pub fn hash<T: Hash>(value: &T) -> u64 {
    let mut hasher = Fnv(0xcbf2_9ce4_8422_2325);
    value.hash(&mut hasher);
    hasher.finish()
}
pub fn count(n: u64) -> u64 {
    let count = Arc::new(AtomicU64::new(n));
    count.fetch_add(1, Ordering::Relaxed);
    Arc::clone(&count).load(Ordering::SeqCst)
}
pub fn first_large(values: &[i32]) -> Option<i32> {
    let look = |&value: &i32| if value > 100 { ControlFlow::Break(value) } else { ControlFlow::Continue(()) };
    match values.iter().try_for_each(look) {
        ControlFlow::Break(value) => Some(value),
        ControlFlow::Continue(()) => None,
    }
}
pub fn mixed(mut values: Vec<u32>) -> Box<[u32]> {
    values.sort_unstable_by(|one, other| other.cmp(one));
    values.dedup();
    values.retain(|value| value % 2 == 0);
    let taken = core::mem::take(&mut values);
    let mut list: LinkedList<u32> = taken.into_iter().collect();
    list.push_front(1);
    list.into_iter().rev().collect::<Vec<_>>().into_boxed_slice()
}
pub fn each<T>(list: &mut [T], mut change: impl FnMut(&mut T)) {
    for value in list.iter_mut() {
        change(value);
    }
}
pub fn added(by: u64) -> impl Fn(u64) -> u64 + Send + Sync {
    move |value| value + by
}
/// Left by a word in it, by a `return`, and by a panic.
pub fn loops(mut n: u64) -> u64 {
    let found = 'outer: loop {
        loop {
            n += 1;
            if n.is_multiple_of(7) {
                break 'outer n;
            }
        }
    };
    loop {
        if found > 7 {
            return found;
        }
        if n == 0 {
            panic!("it was not");
        }
    }
}
