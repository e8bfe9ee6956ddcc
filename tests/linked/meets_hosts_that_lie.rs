// arguments lie
// timeout 60
// expect stdout interfaces without end: the component says of itself what can not be
// expect stdout procedures beyond its last: the component says of itself what can not be
// expect stdout a page that it does not take: ENOMEM
// expect stdout asked then: 27
// expect stdout one that answers late: ETIMEDOUT
// expect stdout asked then: 234
// expect stdout one that does not answer: ETIMEDOUT
// expect stdout others are served: true
// expect stdout while it does not: EBUSY
// expect stdout when it has: the component exports no interface "extension_runtime"
// expect stdout too long: Err("EINVAL")
// expect stdout more than it said: Ok(()) Err("EINVAL")
// expect stdout whole: Ok(()) Ok(())
// expect stdout begun anew: Err("EINVAL")
// expect stdout without a beginning: Err("ENOENT")
//! A host of extensions may be anything: whatever it says or does, the linker says so, has it forget what it began (operation 7) and take out what came too late (4), and serves others.
#![no_std]
use sample as _;

pub fn turn(number: u32) -> i64 {
    i64::from(number)
}
