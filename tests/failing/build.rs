//! The host's side of the interfaces that the services export.

fn main() {
    exports::build("../../services/internet/exports");
}
