// system parts
// timeout 60
// expect stdout the sum of ten words, and of what is the module's: 1055
// expect stdout withdrawn when it was dropped, and the module goes on: 1055
// expect stdout one for who is not asked: EACCESS
// expect stdout a page of its own: 7, and again: EAGAIN; to be written and executed: EINVAL
// expect stdout more than there is room for: ENOMEM
//! The SDK's side of delegations: a client of the loader that "protection_by_a_loader" has, and what it takes and places itself.
#![no_std]
#![no_main]

use pebble::abi::rights::Rights;
use pebble::protection::{Connection, Delegation, Entry, Protection};
use pebble::{Error, Result, println};

#[repr(align(4096))]
struct Page([u64; 512]);
static WORDS: Page = {
    let mut words = [0; 512];
    let mut n = 0;
    while n < 10 {
        words[n] = n as u64 + 1;
        n += 1;
    }
    Page(words)
};

fn opened(name: &str) -> Result<usize> {
    pebble::start::open(name)
}
fn ask<const N: usize>(name: &str, arguments: [usize; N]) -> Result<usize> {
    pebble::check(pebble::portal::call(opened(name)?, arguments))
}
fn sum(connection: &Connection) -> isize {
    connection.call(0, 0, [WORDS.0.as_ptr() as usize, 11, 0, 0])
}
fn loaded() -> Result<()> {
    let portal = opened("app.loader.load")?;
    let delegation = Delegation::new(portal, 1, 256 * 1024)?;
    let entry = pebble::check(pebble::portal::call(portal, [delegation.number(), 1]))?;
    let module = Protection::given(ask("app.loader.give", [])?);
    ask("app.loader.show", [WORDS.0.as_ptr() as usize, 4096, Rights::READ.bits() as usize])?;
    // SAFETY: where the module's code begins is its entry point, which is only compared and passed on.
    let connection = module.connect(unsafe { core::mem::transmute::<usize, Entry>(entry) })?;
    println!("the sum of ten words, and of what is the module's: {}", sum(&connection));
    drop(delegation);
    if ask("app.loader.more", []) != Err(Error::EBADF) {
        println!("the loader goes on with it");
    }
    println!("withdrawn when it was dropped, and the module goes on: {}", sum(&connection));
    let other = Delegation::new(opened("app.guest.number")?, 1, 4096)?;
    println!("one for who is not asked: {:?}", ask("app.loader.accept", [other.number()]).unwrap_err());
    module.destroy()
}
fn own() -> Result<()> {
    let part = Protection::new("own")?;
    let at = part.take(2 * 4096)?;
    let page = Page([7; 512]);
    // SAFETY: the words of a page, as bytes.
    let bytes = unsafe { core::slice::from_raw_parts(page.0.as_ptr().cast::<u8>(), 4096) };
    part.place(at, bytes, Rights::READ)?;
    // SAFETY: the part has taken the page in this domain's space, and it was placed above.
    let there = unsafe { (at as *const u64).read_volatile() };
    let again = part.place(at, bytes, Rights::READ).unwrap_err();
    let all = Rights::READ_WRITE.union(Rights::READ_EXECUTE);
    let both = part.place(at + 4096, bytes, all).unwrap_err();
    println!("a page of its own: {there}, and again: {again:?}; to be written and executed: {both:?}");
    println!("more than there is room for: {:?}", part.take(1 << 26).unwrap_err());
    Ok(())
}
fn main(_: &pebble::Env) -> i32 {
    match loaded().and_then(|()| own()) {
        Ok(()) => 0,
        Err(error) => {
            println!("{error:?}");
            1
        }
    }
}
pebble::program!(main);
