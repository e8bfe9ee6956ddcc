//! That the C headers have the same numbers as this crate.

use std::collections::HashMap;

/// `#define NAME NUMBER` lines of a header in `lib/c`.
fn defines(file: &str) -> HashMap<String, usize> {
    let path = format!("{}/../c/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap();
    let number = |word: &str| match word.strip_prefix("0x") {
        Some(hex) => usize::from_str_radix(hex, 16).ok(),
        None => word.trim_end_matches("ul").parse().ok(),
    };
    text.lines()
        .filter_map(|line| {
            let mut words = line.strip_prefix("#define ")?.split_whitespace();
            Some((words.next()?.to_string(), number(words.next()?)?))
        })
        .collect()
}

#[test]
fn errors_have_the_same_numbers() {
    let header = defines("include/pebble.h");
    for error in abi::Error::ALL.iter().filter(|e| **e as u16 > 200) {
        assert_eq!(header.get(error.name()), Some(&(*error as usize)), "{}", error.name());
    }
    assert_eq!(header["ESPEC"], abi::error::ESPEC);
    assert_eq!((header["NPORTALS"], header["NAMELEN"]), (abi::nucleus::NPORTALS, abi::nucleus::NAMELEN));
    assert_eq!(header["SYS_EXIT"], abi::system::EXIT);
}

#[test]
fn system_portals_have_the_same_numbers() {
    use abi::system::*;
    let header = defines("src/system.h");
    for (name, number) in [
        ("SYS_THREAD_EXIT", THREAD_EXIT),
        ("SYS_THREAD_CREATE", THREAD_CREATE),
        ("SYS_YIELD", YIELD),
        ("SYS_LOCK_WAIT", LOCK_WAIT),
        ("SYS_LOCK_RELEASE", LOCK_RELEASE),
        ("SYS_PORTAL_ADMIT", PORTAL_ADMIT),
        ("SYS_SLEEP", SLEEP),
        ("SYS_GET_ASID", GET_ASID),
        ("SYS_GET_THREAD", GET_THREAD),
        ("SYS_HRTIME", HRTIME),
        ("SYS_SEM_CREATE", SEM_CREATE),
        ("SYS_SEM_DESTROY", SEM_DESTROY),
        ("SYS_PORTAL_REGISTER", PORTAL_REGISTER),
        ("SYS_PORTAL_UNREGISTER", PORTAL_UNREGISTER),
        ("SYS_PORTAL_OPEN", PORTAL_OPEN),
        ("SYS_PORTAL_CLOSE", PORTAL_CLOSE),
        ("SYS_PORTAL_CREATE_CHILD", PORTAL_CREATE_CHILD),
        ("SYS_PORTAL_NOTIFY", PORTAL_NOTIFY),
        ("SYS_PORTAL_INFO", PORTAL_INFO),
        ("SYS_DOMAIN_FORK", DOMAIN_FORK),
        ("SYS_DOMAIN_WAIT", DOMAIN_WAIT),
        ("SYS_DOMAIN_KILL", DOMAIN_KILL),
        ("SYS_GROW", GROW),
        ("SYS_SET_PRIORITY", SET_PRIORITY),
        ("SYS_THREAD_JOIN", THREAD_JOIN),
        ("SYS_SET_TP", SET_TP),
        ("SYS_STACK", STACK),
        ("SYS_PAGER", PAGER),
        ("SYS_PAGE", PAGE),
        ("SYS_THREAD_CANCEL", THREAD_CANCEL),
        ("SYS_PORTAL_CALLERS", PORTAL_CALLERS),
        ("SYS_FIRST_FREE", FIRST_FREE),
    ] {
        assert_eq!(header.get(name), Some(&number), "{name}");
    }
    assert_eq!(header["THREAD_STACK"], abi::address::THREAD_STACK);
}
