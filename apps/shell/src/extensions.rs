//! Extensions, as the linker links them in and says what there are.

use crate::println;
use abi::linking::{Linked, why};
use abi::section::text;
use alloc::format;
use alloc::string::String;
use pebble::{Result, file, linker};

/// Lists those that are linked in, and those that were taken out lately for what they did.
pub fn list() -> Result<()> {
    println!("number host             extension                           calls   missed key              state");
    for place in 0.. {
        let Some(linked) = linker::linked(place)? else { break };
        show(&linked);
    }
    Ok(())
}
fn show(Linked { number, host, key, reason, info }: &Linked) {
    let [host, name, reason, file] = [&host[..], &info.name, reason, &info.file].map(text);
    // A host, or who has signed it, may have written anything.
    let place = if info.line > 0 { format!(" at {}:{}", file.escape_debug(), info.line) } else { String::new() };
    println!(
        "{number:6} {host:16} {name:32} {:8} {:8} {:016x} {}{place}",
        info.calls,
        info.missed,
        u64::from_be_bytes(*key),
        why(info.why)
    );
    if !reason.is_empty() {
        println!("{:6} signed though it was refused: {}", "", reason.escape_debug());
    }
}
/// Links a file into a host.
pub fn link(name: &str, host: &str) -> core::result::Result<(), String> {
    let file = file::read(name).map_err(|error| format!("{name}: {}", error.text()))?;
    match linker::link(host, &file) {
        Ok(number) => {
            println!("{number}");
            Ok(())
        }
        Err(refused) if refused.why.is_empty() => Err(format!("{name}: {host}: {}", refused.error.text())),
        Err(refused) => Err(format!("{name}: {host}: {}", refused.why)),
    }
}
