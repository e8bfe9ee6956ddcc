//! The host's side of the interfaces that the services export.

fn main() {
    const EXPORTS: &str = "../../services/internet/exports";
    let out = std::env::var("OUT_DIR").expect("cargo says it");
    if let Err(why) = exports::write_modules(EXPORTS.as_ref(), out.as_ref()) {
        println!("cargo::error={why}");
    }
    println!("cargo::rerun-if-changed={EXPORTS}");
}
