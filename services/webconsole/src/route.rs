//! What a request asks for.

use alloc::string::String;
use http_logic::request::Request;

/// What is asked for by who has the token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// What there is and what it does.
    State,
    /// What the system has said.
    Log,
    /// A directory, or a file: its path.
    Files(String),
    Change(Change),
}
/// What is to be changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A component is started.
    Start(String),
    /// A domain is ended, if it is still the one that was meant: its number and its identity. Who looks after it starts it again where
    /// its manifest says so, unless it is to stay ended.
    End { asid: usize, identity: u64, stays: bool },
}
/// What the request asks for; an HTTP status where that is nothing. 405: it is to be asked for in another way.
pub fn asked(request: &Request) -> Result<Asked, u16> {
    let rest = request.path.strip_prefix("/api/").ok_or(404u16)?;
    let (what, rest) = rest.split_once('/').unwrap_or((rest, ""));
    let reads = |asked| if request.post { Err(405) } else { Ok(asked) };
    let changes = |change: Option<Change>| match (change, request.post) {
        (None, _) => Err(404),
        (Some(_), false) => Err(405),
        (Some(change), true) => Ok(Asked::Change(change)),
    };
    match what {
        "state" if rest.is_empty() => reads(Asked::State),
        "log" if rest.is_empty() => reads(Asked::Log),
        "files" => reads(Asked::Files(rest.into())),
        "start" => changes((!rest.is_empty() && !rest.contains('/')).then(|| Change::Start(rest.into()))),
        "stop" => changes(domain(rest, true)),
        "restart" => changes(domain(rest, false)),
        _ => Err(404),
    }
}
/// `ASID/IDENTITY`, the second in hexadecimal.
fn domain(text: &str, stays: bool) -> Option<Change> {
    let (asid, identity) = text.split_once('/')?;
    Some(Change::End { asid: asid.parse().ok()?, identity: u64::from_str_radix(identity, 16).ok()?, stays })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Result<Asked, u16> {
        let text = format!("{line} HTTP/1.1\r\nHost: h\r\n\r\n");
        asked(&http_logic::request::parse(text.as_bytes()).unwrap().unwrap().0)
    }
    #[test]
    fn what_is_asked_is_understood() {
        assert_eq!(of("GET /api/state"), Ok(Asked::State));
        assert_eq!(of("GET /api/files/www/index.html"), Ok(Asked::Files("www/index.html".into())));
        assert_eq!(of("POST /api/start/hello"), Ok(Asked::Change(Change::Start("hello".into()))));
        assert_eq!(
            of("POST /api/stop/9/1f2"),
            Ok(Asked::Change(Change::End { asid: 9, identity: 0x1f2, stays: true }))
        );
    }
    #[test]
    fn nothing_is_changed_by_what_a_link_can_ask() {
        for line in ["GET /api/start/hello", "HEAD /api/stop/9/1", "GET /api/restart/9/1"] {
            assert_eq!(of(line), Err(405), "{line}");
        }
        assert_eq!(of("POST /api/state"), Err(405));
    }
    #[test]
    fn what_is_nothing_is_not_found() {
        for line in [
            "POST /api/stop/9",
            "POST /api/stop/x/1",
            "POST /api/stop/9/xyz",
            "POST /api/start/a/b",
            "GET /api/",
            "GET /x",
        ] {
            assert_eq!(of(line), Err(404), "{line}");
        }
    }
}
