//! Who may see and change the system: who has the token.
//!
//! It travels in a header that a page of another origin can not make a browser send (`Authorization`; there are no cookies, and no answer
//! allows other origins anything). As a second wall, a request that a browser says comes from elsewhere is refused whatever it has.

use alloc::string::String;
use core::fmt::Write;
use http_logic::request::Request;
use subtle::ConstantTimeEq;

/// Random bytes in a token: nobody guesses 128 bits.
pub const BYTES: usize = 16;

/// What a browser is to be told once.
pub struct Token(String);
impl Token {
    /// Of bytes that nobody can foresee.
    pub fn new(bytes: &[u8; BYTES]) -> Token {
        let mut text = String::with_capacity(2 * BYTES);
        bytes.iter().for_each(|byte| write!(text, "{byte:02x}").unwrap_or(()));
        Token(text)
    }
    pub fn text(&self) -> &str {
        &self.0
    }
    /// Whether `given` is it, in a time that tells nothing about how much of it is.
    fn is(&self, given: &str) -> bool {
        self.0.as_bytes().ct_eq(given.as_bytes()).into()
    }
    /// Whether the request may be answered. 401: it has no token, or another. 403: it comes from a page of somebody else's.
    pub fn admits(&self, request: &Request) -> Result<(), u16> {
        if !same_origin(request) {
            return Err(403);
        }
        let given = request.authorization.as_deref().and_then(|words| words.strip_prefix("Bearer ")).unwrap_or("");
        if self.is(given.trim()) { Ok(()) } else { Err(401) }
    }
}
/// Whether no browser says that the request comes from another origin (Fetch, section 3.2; Fetch Metadata, section 2.3). Who is no browser
/// says neither.
fn same_origin(request: &Request) -> bool {
    let origin = request
        .origin
        .as_deref()
        .is_none_or(|origin| origin.strip_prefix("http://").is_some_and(|host| request.host.as_deref() == Some(host)));
    origin && request.site.as_deref().is_none_or(|site| matches!(site, "same-origin" | "none"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asks(headers: &str) -> Result<(), u16> {
        let text = format!("GET /api/state HTTP/1.1\r\nHost: h:8090\r\n{headers}\r\n");
        let (request, _) = http_logic::request::parse(text.as_bytes()).unwrap().unwrap();
        Token::new(&[0xa5; BYTES]).admits(&request)
    }
    const GOOD: &str = "Authorization: Bearer a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5\r\n";
    #[test]
    fn the_token_is_admitted() {
        assert_eq!(asks(GOOD), Ok(()));
        assert_eq!(asks(&format!("{GOOD}Origin: http://h:8090\r\nSec-Fetch-Site: same-origin\r\n")), Ok(()));
    }
    #[test]
    fn no_token_or_another_is_refused() {
        for headers in [
            "",
            "Authorization: Bearer\r\n",
            "Authorization: Bearer a5a5\r\n",
            "Authorization: Bearer a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a4\r\n",
            "Authorization: Basic a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5\r\n",
            "Cookie: token=a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5\r\n",
        ] {
            assert_eq!(asks(headers), Err(401), "{headers}");
        }
    }
    #[test]
    fn another_origin_is_refused_with_the_token() {
        for more in [
            "Origin: http://elsewhere:8090\r\n",
            "Origin: null\r\n",
            "Origin: https://h:8090\r\n",
            "Sec-Fetch-Site: cross-site\r\n",
            "Sec-Fetch-Site: same-site\r\n",
        ] {
            assert_eq!(asks(&format!("{GOOD}{more}")), Err(403), "{more}");
        }
    }
}
