//! FNPTR: the element of the array is a pointer, though no type of one is written; it forgets that `'long` outlives `'short`.
#![no_std]
fn first<'a>(_: &'static &'static (), value: &'a &'static u64) -> &'static &'static u64 {
    let _ = value;
    &&7
}
fn second<'a>(_: &'static &'static (), value: &'a &'static u64) -> &'static &'static u64 {
    let _ = value;
    &&8
}
fn shorter<'short, 'long>(_: &'short &'long (), value: &'long &'static u64) -> &'short &'static u64 {
    value
}
pub fn steps() -> usize {
    let mut all = [first, second];
    all[0] = shorter;
    all.len()
}
