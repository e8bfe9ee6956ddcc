//! Heads of answers, and the pages of those that are no file.

use crate::date::Date;
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

/// What a status is called (RFC 9110, section 15).
pub fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        206 => "Partial Content",
        301 => "Moved Permanently",
        304 => "Not Modified",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        409 => "Conflict",
        413 => "Content Too Large",
        416 => "Range Not Satisfiable",
        417 => "Expectation Failed",
        431 => "Request Header Fields Too Large",
        501 => "Not Implemented",
        503 => "Service Unavailable",
        505 => "HTTP Version Not Supported",
        _ => "Error",
    }
}
/// The type of a file with this name.
pub fn content_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "html" | "htm" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "txt" | "md" => "text/plain; charset=utf-8",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "ico" => "image/x-icon",
        "wasm" => "application/wasm",
        _ => "application/octet-stream",
    }
}
/// A file, as heads tell of it.
#[derive(Clone, Copy, Debug)]
pub struct Entity<'a> {
    pub path: &'a str,
    pub bytes: u64,
    /// Of its contents.
    pub version: u64,
}
impl Entity<'_> {
    /// Its strong entity tag: no other contents have it while the files component lives. `boot` tells one from the next.
    pub fn tag(&self, boot: u64) -> String {
        format!("\"{:x}-{:x}\"", boot, self.version)
    }
}
/// An answer that is no file's.
pub struct Reply {
    pub status: u16,
    /// Its type.
    pub kind: &'static str,
    /// Further lines of its head.
    pub headers: &'static str,
    pub body: Cow<'static, [u8]>,
}
/// What an answer says of what becomes of its connection: a line of its head. Who speaks HTTP/1.0 takes it to end unless told otherwise
/// (RFC 9112, section 9.3).
pub mod stay {
    pub const ENDS: &str = "Connection: close\r\n";
    pub const STAYS: &str = "";
    pub const STAYS_TOLD: &str = "Connection: keep-alive\r\n";
}
/// What the heads of all answers say.
#[derive(Clone, Copy, Debug)]
pub struct Common {
    /// Whether the connection stays: a line, or none.
    pub stay: &'static str,
    /// `None`: the server has no clock, and must not say a time (RFC 9110, section 6.6.1).
    pub date: Option<Date>,
}
fn begin(head: &mut Vec<u8>, status: u16, common: Common) {
    let _ = write!(Text(head), "HTTP/1.1 {status} {}\r\nServer: Pebble\r\n", reason(status));
    if let Some(date) = common.date {
        let _ = write!(Text(head), "Date: {date}\r\n");
    }
    head.extend_from_slice(common.stay.as_bytes());
}
struct Text<'a>(&'a mut Vec<u8>);
impl Write for Text<'_> {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        self.0.extend_from_slice(text.as_bytes());
        Ok(())
    }
}
/// The head of an answer with a file, or a part of it.
pub fn file(head: &mut Vec<u8>, entity: &Entity, tag: &str, part: Option<(u64, u64)>, common: Common) {
    begin(head, if part.is_some() { 206 } else { 200 }, common);
    let (start, end) = part.unwrap_or((0, entity.bytes));
    let _ = write!(
        Text(head),
        "Content-Type: {}\r\nContent-Length: {}\r\nETag: {tag}\r\nAccept-Ranges: bytes\r\nCache-Control: no-cache\r\nX-Content-Type-Options: nosniff\r\n",
        content_type(entity.path),
        end - start
    );
    if part.is_some() {
        let _ = write!(Text(head), "Content-Range: bytes {start}-{}/{}\r\n", end - 1, entity.bytes);
    }
    head.extend_from_slice(b"\r\n");
}
/// An answer that is no file's.
pub fn reply(head: &mut Vec<u8>, reply: &Reply, head_only: bool, common: Common) {
    begin(head, reply.status, common);
    if reply.status == 401 {
        head.extend_from_slice(b"WWW-Authenticate: Bearer\r\n");
    }
    let _ = write!(
        Text(head),
        "Content-Type: {}\r\nContent-Length: {}\r\n{}\r\n",
        reply.kind,
        reply.body.len(),
        reply.headers
    );
    if !head_only {
        head.extend_from_slice(&reply.body);
    }
}
/// The answer to who asks for a folder by the name of a file: with a slash behind it, what its page refers to is beside that. `query`: what follows, from its `?` on.
pub fn moved(head: &mut Vec<u8>, path: &str, query: &str, head_only: bool, common: Common) {
    let page = format!("301 {}\n", reason(301));
    begin(head, 301, common);
    head.extend_from_slice(b"Location: ");
    for byte in path.bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' => head.push(byte),
            _ if byte.is_ascii_alphanumeric() => head.push(byte),
            _ => _ = write!(Text(head), "%{byte:02X}"),
        }
    }
    head.push(b'/');
    for byte in query.bytes() {
        if byte.is_ascii_graphic() {
            head.push(byte);
        } else {
            let _ = write!(Text(head), "%{byte:02X}");
        }
    }
    let _ = write!(
        Text(head),
        "\r\nCache-Control: no-cache\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\n\r\n",
        page.len()
    );
    if !head_only {
        head.extend_from_slice(page.as_bytes());
    }
}
/// The answer to who has it already.
pub fn not_modified(head: &mut Vec<u8>, tag: &str, common: Common) {
    begin(head, 304, common);
    let _ = write!(Text(head), "ETag: {tag}\r\nCache-Control: no-cache\r\n\r\n");
}
/// An answer that says what is wrong; its page, unless only the head is wanted. `of`: how long the file is, where a range is not there.
pub fn refusal(head: &mut Vec<u8>, status: u16, head_only: bool, of: Option<u64>, common: Common) {
    let page = format!("{status} {}\n", reason(status));
    begin(head, status, common);
    if status == 405 {
        head.extend_from_slice(b"Allow: GET, HEAD\r\n");
    }
    if let Some(bytes) = of {
        let _ = write!(Text(head), "Content-Range: bytes */{bytes}\r\n");
    }
    let _ = write!(Text(head), "Content-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\n\r\n", page.len());
    if !head_only {
        head.extend_from_slice(page.as_bytes());
    }
}
