// expect stdout 10, -3 and true
// expect stdout beyond 32 bits: EINVAL
// expect stdout HELLO of 5
// expect stdout moved to 11, 22
// expect stdout 32768 bytes, their sum is 65536
// expect stdout an error passes: EBUSY
// expect stdout who calls is one domain
// expect stdout not a text: EINVAL
// expect stdout too many bytes: EINVAL
//! Portals as functions: the specification is made from their types.
#![no_std]
#![no_main]
use pebble::interface::Caller;
use pebble::{Error, Result, println};

pebble::plain! {
    pub struct Point { x: u32, y: u32 }
}
pebble::interface! {
    /// What this program provides.
    pub mod parts {
        "app.add": fn add(a: u8, b: i64) -> Result<i32>;
        "app.negate": fn negate(is: bool) -> Result<bool>;
        "app.shout": fn shout(text: &str, out: &mut [u8]) -> Result<usize>;
        "app.move": fn shift(by: &Point, point: &mut Point) -> Result<()>;
        "app.sum": fn sum(bytes: &[u8]) -> Result<usize>;
        "app.busy": fn busy() -> Result<()>;
        "app.who": fn who(caller: Caller, again: u64) -> Result<u64>;
    }
}
pebble::interface! {
    mod lies {
        "app.shout": fn shout(text: &[u8], out: &mut [u8]) -> Result<usize>;
    }
}
struct Parts;
impl parts::Server for Parts {
    fn add(a: u8, b: i64) -> Result<i32> {
        i32::try_from(i64::from(a) + b).map_err(|_| Error::EINVAL)
    }
    fn negate(is: bool) -> Result<bool> {
        Ok(!is)
    }
    fn shout(text: &str, out: &mut [u8]) -> Result<usize> {
        let out = out.get_mut(..text.len()).ok_or(Error::EMSGSIZE)?;
        out.copy_from_slice(text.as_bytes());
        out.make_ascii_uppercase();
        Ok(text.len())
    }
    fn shift(by: &Point, point: &mut Point) -> Result<()> {
        *point = Point { x: point.x + by.x, y: point.y + by.y };
        Ok(())
    }
    fn sum(bytes: &[u8]) -> Result<usize> {
        Ok(bytes.iter().map(|&byte| usize::from(byte)).sum())
    }
    fn busy() -> Result<()> {
        Err(Error::EBUSY)
    }
    fn who(caller: Caller, again: u64) -> Result<u64> {
        Ok((caller.identity() as u64 & 0xFFFF) - again)
    }
}
pebble::serve! { Parts: parts; }

fn name<T>(result: Result<T>) -> &'static str {
    match result {
        Ok(_) => "?",
        Err(Error::EBUSY) => "EBUSY",
        Err(Error::EINVAL) => "EINVAL",
        Err(error) => error.text(),
    }
}
fn client() -> Result<()> {
    println!("{}, {} and {}", parts::anew::add(7, 3)?, parts::anew::add(7, -10)?, parts::anew::negate(false)?);
    println!("beyond 32 bits: {}", name(parts::anew::add(7, 1 << 40)));
    let mut out = [0; 100];
    let length = parts::anew::shout("hello", &mut out)?;
    println!("{} of {length}", core::str::from_utf8(&out[..length]).unwrap_or("?"));
    let mut point = Point { x: 1, y: 2 };
    parts::anew::shift(&Point { x: 10, y: 20 }, &mut point)?;
    println!("moved to {}, {}", point.x, point.y);
    static BYTES: [u8; 32768] = [2; 32768];
    // Not at the start of a page, so that it is the pages' number that is too high by one.
    let most = &BYTES[..32768 - BYTES.as_ptr() as usize % 4096];
    let sum = parts::anew::sum(most)? + 2 * (BYTES.len() - most.len());
    println!("{} bytes, their sum is {sum}", BYTES.len());
    println!("an error passes: {}", name(parts::anew::busy()));
    let own = pebble::thread::asid() as u64;
    println!("who calls is {} domain", if parts::anew::who(Caller::SELF, own)? == 0 { "one" } else { "another" });
    println!("not a text: {}", name(lies::anew::shout(&[0xFF, 0xFE], &mut out)));
    static MORE: [u8; 40960] = [0; 40960];
    println!("too many bytes: {}", name(parts::anew::sum(&MORE)));
    Ok(())
}
fn main(_: &pebble::Env) {
    let _ = pebble::thread::spawn(None, || {
        let status = client().map_or_else(|error| error.code() as i32, |()| 0);
        pebble::thread::exit_domain(status)
    });
}
pebble::server!(main);
