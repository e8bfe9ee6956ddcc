//! Takes the source of `rsext4` from where cargo keeps it and applies `rsext4.patch`; `src/lib.rs` includes the result.

fn main() {
    patched::include("rsext4-0.9.2", "rsext4.patch", "rsext4");
}
