//! An HTTP server for files: what lies in one folder of the files component. Arguments: `root=www`, `port=80`.
//!
//! Where the files or the internet component have ended, it goes on with the next ones.
#![no_std]
#![no_main]

use http_logic::folder::Folder;
use http_logic::server;

pebble::program!(main);

fn main(env: &pebble::Env) -> i32 {
    let find = |key: &str| (1..env.len()).find_map(|n| env.argument(n)?.strip_prefix(key)?.strip_prefix('='));
    let Ok(port) = find("port").unwrap_or("80").parse() else {
        pebble::println!("pebble: http: its argument \"port=\" is no port");
        return 1;
    };
    server::run("http", port, &mut server::Open, &mut Folder::new(find("root").unwrap_or("www")))
}
