//! What the device tree says: RAM, reserved memory, devices.

use abi::Error;

/// A device's registers and its first interrupt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Device {
    pub address: usize,
    pub bytes: usize,
    /// 0: it has none.
    pub interrupt: usize,
}
/// The device whose node is called `name`, with or without its unit address.
pub fn find(tree: &fdt::Fdt, name: &str) -> Result<Device, Error> {
    let matches = |node: &str| node == name || node.split('@').next() == Some(name);
    let node = tree.all_nodes().find(|n| matches(n.name)).ok_or(Error::ENOENT)?;
    let region = node.reg().and_then(|mut r| r.next()).ok_or(Error::ENOENT)?;
    let interrupt = node.interrupts().and_then(|mut i| i.next()).unwrap_or(0);
    Ok(Device {
        address: region.starting_address as usize,
        bytes: region.size.unwrap_or(abi::address::PAGE),
        interrupt,
    })
}
