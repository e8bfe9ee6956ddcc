//! What both kinds of tests are run with: the compiler of extensions, and the interface that their programs name.

use exports::Interface;
use gatekeeper::Toolchain;
use std::path::PathBuf;
use std::sync::OnceLock;

fn variable(name: &str, otherwise: &str) -> PathBuf {
    std::env::var_os(name).map_or_else(|| otherwise.into(), PathBuf::from)
}
pub fn toolchain() -> &'static Toolchain {
    static TOOLCHAIN: OnceLock<Toolchain> = OnceLock::new();
    TOOLCHAIN.get_or_init(|| {
        let [cargo, rustc] = [("PEBBLE_CARGO", "/usr/bin/cargo"), ("PEBBLE_RUSTC", "/usr/bin/rustc")]
            .map(|(name, otherwise)| variable(name, otherwise));
        // Tests run in their package's folder.
        let folder = std::env::current_dir().unwrap().join("../../target/extension");
        gatekeeper::sysroot::prepare(&cargo, &rustc, &folder).unwrap()
    })
}
pub fn interfaces() -> &'static [Interface] {
    static INTERFACES: OnceLock<Vec<Interface>> = OnceLock::new();
    INTERFACES
        .get_or_init(|| vec![Interface::parse("packets", include_str!("../../programs/exports/packets.rs")).unwrap()])
}
