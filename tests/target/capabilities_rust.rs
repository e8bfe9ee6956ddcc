// expect stdout for object 9: rights 0x7, flags 0
// expect stdout reduced: rights 0x5, for its issuer only
// expect stdout reduced again: rights 0x1
// expect stdout more rights than there are: rights 0x1
// expect stdout of one use, reduced: EACCESS
// expect stdout unknown flags: EINVAL
// expect stdout revoked: 3 were derived from it
// expect stdout a revoked one: EBADF
// expect stdout dropped: EBADF
#![no_std]
#![no_main]

use pebble::capability::{Capability, flags};
use pebble::{Result, println};

fn say<T>(what: &str, result: Result<T>) {
    println!("{what}: {}", result.map_or_else(|error| error.name(), |_| "worked"));
}
fn run() -> Result<()> {
    let all = Capability::create(9, 7, 0)?;
    let info = all.info()?;
    println!("for object {}: rights {:#x}, flags {}", info.object, info.rights, info.flags);
    let some = all.reduce(5, flags::STAYS)?;
    let info = some.info()?;
    println!("reduced: rights {:#x}, {}", info.rights, if info.flags == flags::STAYS { "for its issuer only" } else { "?" });
    let one = some.reduce(3, 0)?;
    println!("reduced again: rights {:#x}", one.info()?.rights);
    println!("more rights than there are: rights {:#x}", one.reduce(7, 0)?.info()?.rights);
    let once = all.reduce(7, flags::ONCE)?;
    say("of one use, reduced", once.reduce(1, 0));
    say("unknown flags", Capability::create(1, 1, 8));
    println!("revoked: {} were derived from it", all.revoke()?);
    say("a revoked one", one.info());
    let name = all.name();
    drop(all);
    say("dropped", Capability::received(name).info());
    Ok(())
}
fn main(_: &pebble::Env) -> i32 {
    run().map_or_else(|error| error.code() as i32, |()| 0)
}
pebble::program!(main);
