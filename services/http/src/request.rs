//! One request, as far as this server looks at it.

use crate::limits::{BODY, HEADERS};
use alloc::string::String;
use alloc::vec::Vec;

/// A request, taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Only the head of the answer is wanted.
    pub head_only: bool,
    /// It is to change something (POST).
    pub post: bool,
    /// `Host`, `Authorization`, `Origin`, `Sec-Fetch-Site`: for who asks who is asking.
    pub host: Option<String>,
    pub authorization: Option<String>,
    pub origin: Option<String>,
    pub site: Option<String>,
    /// What is asked for: a path without `.`, `..` and empty parts, decoded; empty: the root.
    pub path: String,
    /// The path ends in a slash, or is the root: a folder is meant.
    pub is_folder: bool,
    /// What follows the path, from its `?` on.
    pub query: String,
    /// The connection ends behind the answer.
    pub close: bool,
    /// It is of HTTP/1.0.
    pub old: bool,
    pub range: Option<String>,
    /// `If-Range`, `If-None-Match`.
    pub if_range: Option<String>,
    pub if_none_match: Option<String>,
    /// Bytes of its body, which nobody reads.
    pub body: u64,
    /// The client waits to be told to send its body.
    pub expects: bool,
}
/// Why a request is not answered as it wants: an HTTP status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal(pub u16);

/// The request at the start of `bytes`, and how many bytes its head has; `None`: it is not all there.
pub fn parse(bytes: &[u8]) -> Result<Option<(Request, usize)>, Refusal> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    let length = match parsed.parse(bytes) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => return Err(Refusal(431)),
        Err(httparse::Error::Version) => return Err(Refusal(505)),
        Err(_) => return Err(Refusal(400)),
    };
    let old = parsed.version == Some(0);
    let mut request = Request { close: old, old, ..Request::default() };
    for header in parsed.headers.iter() {
        let value = core::str::from_utf8(header.value).map_err(|_| Refusal(400))?.trim();
        request.take(header.name, value)?;
    }
    // RFC 9112, sections 3.2 and 6.3: one host, one length.
    let count = |wanted: &str| parsed.headers.iter().filter(|header| header.name.eq_ignore_ascii_case(wanted)).count();
    let hosts = count("host");
    if hosts > 1 || (hosts == 0 && !old) || count("content-length") > 1 {
        return Err(Refusal(400));
    }
    if request.body > BODY {
        return Err(Refusal(413));
    }
    request.head_only = match parsed.method {
        Some("GET") => false,
        Some("HEAD") => true,
        Some("POST") => {
            request.post = true;
            false
        }
        Some("PUT" | "DELETE" | "OPTIONS" | "PATCH" | "TRACE" | "CONNECT") => return Err(Refusal(405)),
        _ => return Err(Refusal(501)),
    };
    let target = origin(parsed.path.unwrap_or(""));
    let end = target.find(['?', '#']).unwrap_or(target.len());
    request.path = path(&target[..end]).ok_or(Refusal(400))?;
    request.is_folder = target[..end].ends_with('/') || request.path.is_empty();
    request.query = target[end..].split('#').next().unwrap_or("").into();
    Ok(Some((request, length)))
}
impl Request {
    /// Takes in what a line of the head says.
    fn take(&mut self, name: &str, value: &str) -> Result<(), Refusal> {
        let name = |wanted: &str| name.eq_ignore_ascii_case(wanted);
        if name("host") {
            self.host = Some(value.into());
        } else if name("authorization") {
            self.authorization = Some(value.into());
        } else if name("origin") {
            self.origin = Some(value.into());
        } else if name("sec-fetch-site") {
            self.site = Some(value.into());
        } else if name("connection") {
            for word in value.split(',').map(str::trim) {
                if word.eq_ignore_ascii_case("close") {
                    self.close = true;
                } else if word.eq_ignore_ascii_case("keep-alive") {
                    self.close = false;
                }
            }
        } else if name("content-length") {
            let digits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
            self.body = value.parse().ok().filter(|_| digits).ok_or(Refusal(400))?;
        } else if name("transfer-encoding") {
            // Its end could be told, but nobody wants it.
            return Err(Refusal(501));
        } else if name("expect") {
            if !value.eq_ignore_ascii_case("100-continue") {
                return Err(Refusal(417));
            }
            self.expects = true;
        } else if name("range") {
            self.range = Some(value.into());
        } else if name("if-range") {
            self.if_range = Some(value.into());
        } else if name("if-none-match") {
            self.if_none_match = Some(value.into());
        }
        Ok(())
    }
}
/// A target without the server's name: it may be absolute (RFC 9112, section 3.2.2).
fn origin(target: &str) -> &str {
    match target.strip_prefix("http://").or_else(|| target.strip_prefix("https://")) {
        Some(rest) => rest.find('/').map_or("/", |at| &rest[at..]),
        None => target,
    }
}
/// The path of a target. `None`: it is none, or leads out of the root.
fn path(target: &str) -> Option<String> {
    let mut path = String::new();
    for part in target.strip_prefix('/')?.split('/') {
        match &*decoded(part)? {
            "" | "." => {}
            ".." => return None,
            part => {
                path.push('/');
                path.push_str(part);
            }
        }
    }
    Some(path)
}
/// A part of a path: two digits of hexadecimal behind a `%` are a byte, other than that it is itself. `None`: no file has such a name.
fn decoded(part: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.as_bytes();
    while let [byte, behind @ ..] = rest {
        let digit = |at: usize| behind.get(at).and_then(|&digit| (digit as char).to_digit(16));
        rest = match (byte, digit(0), digit(1)) {
            (b'%', Some(high), Some(low)) => {
                bytes.push((high * 16 + low) as u8);
                &behind[2..]
            }
            _ => {
                bytes.push(*byte);
                behind
            }
        };
    }
    let text = String::from_utf8(bytes).ok()?;
    text.chars().all(|c| c != '/' && !c.is_control()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> u16 {
        parse(text.as_bytes()).unwrap_err().0
    }
    fn request(text: &str) -> Request {
        let (request, length) = parse(text.as_bytes()).unwrap().unwrap();
        assert_eq!(length, text.len());
        request
    }
    #[test]
    fn a_request_is_taken_apart() {
        let r = request("GET /a/./b%2etxt?x=1 HTTP/1.1\r\nHost: h\r\nRange: bytes=1-2\r\n\r\n");
        assert_eq!(
            (r.path.as_str(), r.close, r.head_only, r.range.as_deref()),
            ("/a/b.txt", false, false, Some("bytes=1-2"))
        );
        assert!(request("HEAD / HTTP/1.0\r\n\r\n").close);
        assert!(!request("HEAD / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n").close);
        assert!(request("GET http://h/ HTTP/1.1\r\nHost: h\r\nConnection: foo, close\r\n\r\n").close);
    }
    #[test]
    fn names_are_as_people_give_them() {
        let path = |target: &str| request(&format!("GET {target} HTTP/1.1\r\nHost: h\r\n\r\n")).path;
        for (target, name) in [
            ("/a%20b.txt", "/a b.txt"),
            ("/caf%C3%A9", "/café"),
            ("/café", "/café"),
            ("/100%25.txt", "/100%.txt"),
            ("/100%.txt", "/100%.txt"),
            ("/%zz", "/%zz"),
            ("/%", "/%"),
            ("/a+b", "/a+b"),
            ("/%2525", "/%25"),
        ] {
            assert_eq!(path(target), name, "{target}");
        }
    }
    #[test]
    fn a_slash_behind_a_path_means_a_folder() {
        let of = |target: &str| request(&format!("GET {target} HTTP/1.1\r\nHost: h\r\n\r\n"));
        assert!(of("/").is_folder && of("/a/").is_folder && of("/a/?x=/y").is_folder && of("http://h").is_folder);
        assert!(!of("/a").is_folder && !of("/a?x=/").is_folder && !of("/a%2e").is_folder);
        assert_eq!((of("/a?x=1#y").query.as_str(), of("/a").query.as_str()), ("?x=1", ""));
    }
    #[test]
    fn a_part_of_a_request_is_none_yet() {
        assert_eq!(parse(b"GET / HTTP/1.1\r\nHost: h\r\n"), Ok(None));
    }
    #[test]
    fn a_way_out_of_the_root_is_refused() {
        for target in
            ["/../x", "/a/%2e%2e/%2e%2e/x", "/a%2f..%2fx", "/a%2fb", "x", "*", "/%00", "/a%0d%0ab", "/%ff", "/%c2%85"]
        {
            assert_eq!(refused(&format!("GET {target} HTTP/1.1\r\nHost: h\r\n\r\n")), 400, "{target}");
        }
    }
    #[test]
    fn other_methods_are_refused() {
        assert_eq!(refused("PUT / HTTP/1.1\r\nHost: h\r\n\r\n"), 405);
        assert!(request("POST / HTTP/1.1\r\nHost: h\r\n\r\n").post);
        assert_eq!(refused("BREW / HTTP/1.1\r\nHost: h\r\n\r\n"), 501);
    }
    #[test]
    fn two_hosts_lengths_or_none_are_refused() {
        assert_eq!(refused("GET / HTTP/1.1\r\n\r\n"), 400);
        assert_eq!(refused("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"), 400);
        assert_eq!(refused("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"), 400);
        assert_eq!(refused("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\n"), 400);
    }
    #[test]
    fn what_is_too_much_is_refused() {
        assert_eq!(refused("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n\r\n"), 413);
        assert_eq!(refused(&format!("GET / HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(HEADERS + 1))), 431);
        assert_eq!(refused("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"), 501);
        assert_eq!(refused("GET / HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\n\r\n"), 417);
    }
    #[test]
    fn what_is_no_request_is_refused() {
        assert_eq!(refused("\x16\x03\x01\x02"), 400);
        assert_eq!(refused("GET / HTTP/9.9\r\n\r\n"), 505);
    }
}
