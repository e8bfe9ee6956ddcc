//! What a trusted component's functions take of the service stack that they run on. What they call of the first components goes on there, and can not
//! where too little is left: the system stops. So a program with a function that takes more by itself than a component may have is refused. How
//! functions add up is seen by `./pebble check` for the default system ([`stacks`]).

use super::document::Fault;
use abi::address::{SERVICE_CALLS, SERVICE_STACK};
use manifest::System;
use stacks::{Component, Servers};

/// Bytes that a component may have of a service stack.
pub const MOST: usize = SERVICE_STACK - SERVICE_CALLS;

/// The trusted components of a system that run on service stacks, for what they take in all.
pub fn servers<'a>(system: &'a System, programs: &'a crate::build::Programs) -> Servers<'a> {
    let shares = system.components.iter().filter(|component| component.trusted && !component.masked);
    let component = |c: &'a manifest::Component| {
        Some(Component { name: &c.name, boot: c.boot, opens: &c.opens, file: programs.get(&c.image)? })
    };
    Servers::of(shares.filter_map(component))
}
/// Trusted components with a function that takes more.
pub fn faults(system: &System, programs: &crate::build::Programs) -> Vec<Fault> {
    let trusted = system.components.iter().enumerate().filter(|(_, component)| component.trusted);
    let faults = trusted.filter_map(|(n, component)| {
        let (name, bytes) = stacks::largest_frame(programs.get(&component.image)?)?;
        let text = format!(
            "component \"{}\": \"{name}\" takes {bytes} bytes of its stack, a service stack's, of which a trusted component has {MOST}",
            component.name
        );
        let help = "leave `trusted` out, which gives it stacks of its own, or put large buffers elsewhere".to_string();
        (bytes > MOST).then(|| Fault::of(n, text).at("trusted").help(help))
    });
    faults.collect()
}
