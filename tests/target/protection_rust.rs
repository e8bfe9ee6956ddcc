// expect stdout a list of 3 nodes, summed where it lies: 6
// expect stdout a procedure that is not there: ENOENT
// expect stdout what it was not shown: EDEAD
// expect stdout it has ended: EDEAD
#![no_std]
#![no_main]

use pebble::abi::Error;
use pebble::abi::rights::Rights;
use pebble::protection::Protection;
use pebble::{Result, println};

struct Node {
    next: *const Node,
    value: isize,
}
/// The entry point. It has its arguments, and no variables of the program's.
extern "C" fn sum(_procedure: usize, _capability: usize, list: usize, _: usize, _: usize, _: usize) -> isize {
    let (mut node, mut total) = (list as *const Node, 0);
    while !node.is_null() {
        // SAFETY: the caller has shown the list; what it has not shown faults, and ends this domain alone.
        let Node { next, value } = unsafe { node.read_volatile() };
        (node, total) = (next, total + value);
    }
    total
}
#[repr(align(4096))]
struct Page([Node; 3]);

fn run() -> Result<()> {
    let part = Protection::new("sums")?;
    let start = sum as *const () as usize / 4096 * 4096;
    part.show(start, 4096, Rights::READ_EXECUTE)?;
    part.register(sum, 1, 1)?;
    let mut page = Page([1, 2, 3].map(|value| Node { next: core::ptr::null(), value }));
    let nodes = &raw const page.0;
    for n in 0..2 {
        page.0[n].next = nodes.cast::<Node>().wrapping_add(n + 1);
    }
    let list = nodes as usize;
    part.show(list, 4096, Rights::READ)?;
    let connection = part.connect(sum)?;
    println!("a list of 3 nodes, summed where it lies: {}", connection.call(0, 0, [list, 0, 0, 0]));
    let name = |code| Error::from_code(code).map_or("none", |error| error.name());
    println!("a procedure that is not there: {}", name(connection.call(1, 0, [list, 0, 0, 0])));
    let hidden = part.hide(list, 4096).map(|()| connection.call(0, 0, [list, 0, 0, 0]))?;
    println!("what it was not shown: {}", name(hidden));
    println!("it has ended: {}", part.number().map_or_else(|error| error.name(), |_| "no"));
    Ok(())
}
fn main(_: &pebble::Env) -> i32 {
    run().map_or_else(|error| error.code() as i32, |()| 0)
}
pebble::program!(main);
