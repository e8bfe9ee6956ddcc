//! The web console: a page that shows the system, and lets who has the token start and end components. Arguments: `port=8090`, and
//! `outside=HOST:PORT`, under which the port is known outside of the machine.
//!
//! It sees and does what its manifest block lets it open, and is one more client of the portals that the shell uses. The token is made of
//! random bytes when it starts, and said on the console; where there are none, it does not start.
#![no_std]
#![no_main]

extern crate alloc;

mod system;

use alloc::borrow::Cow;
use http_logic::connection::{Files, Found};
use http_logic::request::Request;
use http_logic::response::Reply;
use http_logic::server;
use pebble::{Error, Result};
use system::System;
use webconsole_logic::page::{self, HEADERS};
use webconsole_logic::report::json;
use webconsole_logic::{Asked, Token, access, route};

pebble::program!(main);

/// The console, as the server of HTTP asks it.
struct Console {
    token: Token,
    system: System,
}
impl Console {
    /// What is said to who has the token.
    fn answer(&mut self, asked: Asked) -> Result<(&'static str, Cow<'static, [u8]>)> {
        const JSON: &str = "application/json";
        const TEXT: &str = "text/plain; charset=utf-8";
        Ok(match asked {
            Asked::State => (JSON, json(&self.system.state()?).into()),
            Asked::Log => (TEXT, self.system.log()?.into()),
            Asked::Files(path) => match self.system.list(&path) {
                Ok(listing) => (JSON, json(&listing).into()),
                Err(Error::ENOTDIR) => (TEXT, self.system.file(&path)?.into()),
                Err(error) => return Err(error),
            },
            Asked::Change(change) => {
                self.system.change(change)?;
                (TEXT, Cow::Borrowed(b"done\n"))
            }
        })
    }
}
impl Files for Console {
    type File = ();
    const MEMORY: usize = system::ANSWER_MEMORY;
    fn reply(&mut self, request: &Request) -> Option<Reply> {
        let reply = |status, kind, body| Some(Reply { status, kind, headers: HEADERS, body });
        let refusal = |status| reply(status, "text/plain; charset=utf-8", Cow::Borrowed(&b""[..]));
        if !request.post
            && let Some((kind, text)) = page::part(&request.path)
        {
            return reply(200, kind, Cow::Borrowed(text.as_bytes()));
        }
        // Who has no token does not even hear what there is.
        if let Err(status) = self.token.admits(request) {
            return refusal(status);
        }
        let answered = match route::asked(request) {
            Ok(asked) => self.answer(asked),
            Err(status) => return refusal(status),
        };
        match answered {
            Ok((kind, body)) => reply(200, kind, body),
            Err(error) => {
                let status = match error {
                    Error::ENOENT | Error::ESRCH => 404,
                    Error::EACCESS => 403,
                    Error::EINVAL | Error::EBUSY => 409,
                    _ => 503,
                };
                reply(status, "text/plain; charset=utf-8", Cow::Borrowed(error.text().as_bytes()))
            }
        }
    }
    fn open(&mut self, _: &str) -> Result<Found<()>> {
        Err(Error::ENOENT)
    }
    fn read(&mut self, (): &(), _: u64, _: &mut [u8]) -> Result<usize> {
        Err(Error::EIO)
    }
    fn boot(&self) -> u64 {
        0
    }
}

fn main(env: &pebble::Env) -> i32 {
    let find = |key: &str| (1..env.len()).find_map(|n| env.argument(n)?.strip_prefix(key)?.strip_prefix('='));
    let Ok(port) = find("port").unwrap_or("8090").parse() else {
        pebble::println!("pebble: webconsole: its argument \"port=\" is no port");
        return 1;
    };
    let mut bytes = [0; access::BYTES];
    if let Err(error) = pebble::random::fill(&mut bytes) {
        pebble::println!(
            "pebble: webconsole: there is no source of random bytes ({}), so it has no token that nobody can guess and does not start",
            error.text()
        );
        return 1;
    }
    let token = Token::new(&bytes);
    match find("outside") {
        Some(outside) => pebble::println!("pebble: the web console is at http://{outside}/#{}", token.text()),
        None => pebble::println!("pebble: the web console is at port {port}, its token is {}", token.text()),
    }
    server::run("webconsole", port, &mut server::Open, &mut Console { token, system: System::new() })
}
