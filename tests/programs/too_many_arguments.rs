//! More words than a portal takes: the compiler says so.
#![no_std]
#![no_main]

pebble::interface! {
    mod parts {
        "app.take": fn take(one: &str, two: &str, three: &str, four: u8) -> pebble::Result<()>;
    }
}
struct Parts;
impl parts::Server for Parts {
    fn take(_: &str, _: &str, _: &str, _: u8) -> pebble::Result<()> {
        Ok(())
    }
}
pebble::serve! { Parts: parts; }
fn main(_: &pebble::Env) {}
pebble::server!(main);
