//! The interface beneath every extension, as its host has it.

use std::path::Path;

fn main() {
    let out = std::env::var("OUT_DIR").expect("cargo says it");
    std::fs::write(Path::new(&out).join("runtime.rs"), exports::runtime().host_source())
        .expect("a folder of the build's own");
    println!("cargo::rerun-if-changed=build.rs");
}
