//! The host's side of each interface that is declared in `exports`.

fn main() {
    exports::build("exports");
}
