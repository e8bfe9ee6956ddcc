//! The host's side of each interface that is declared in `exports`.

fn main() {
    let out = std::env::var("OUT_DIR").expect("cargo says it");
    if let Err(why) = exports::write_modules("exports".as_ref(), out.as_ref()) {
        println!("cargo::error={why}");
    }
    println!("cargo::rerun-if-changed=exports");
}
