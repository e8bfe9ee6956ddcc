//! The page itself, which is the same for everybody and says nothing about the system: it asks for the token.

/// What is served to who has no token: its path, its type, its bytes.
const PARTS: [(&str, &str, &str); 3] = [
    ("", "text/html; charset=utf-8", include_str!("../page/index.html")),
    ("/console.css", "text/css; charset=utf-8", include_str!("../page/console.css")),
    ("/console.js", "text/javascript; charset=utf-8", include_str!("../page/console.js")),
];
/// The part of the page at this path: its type and its text.
pub fn part(path: &str) -> Option<(&'static str, &'static str)> {
    PARTS.iter().find(|(own, ..)| *own == path).map(|&(_, kind, text)| (kind, text))
}
/// What every answer says to browsers: nothing from elsewhere is loaded or asked, no code but the page's own file is executed, nobody
/// shows the page inside of another, and nothing is kept.
pub const HEADERS: &str = "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n\
     X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\nCache-Control: no-store\r\n\
     Cross-Origin-Resource-Policy: same-origin\r\nCross-Origin-Opener-Policy: same-origin\r\n";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_all_it_needs_and_nothing_from_elsewhere() {
        for (_, _, text) in PARTS {
            let text = text.replace("http://www.w3.org/2000/svg", "");
            assert!(!text.contains("://") && !text.contains("@import"), "something from elsewhere");
        }
        assert!(part("").unwrap().1.contains("src=\"console.js\""));
    }
    #[test]
    fn names_can_become_text_only() {
        let script = part("/console.js").unwrap().1;
        for way in [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "Function(",
            "srcdoc",
            "javascript:",
        ] {
            assert!(!script.contains(way), "{way}");
        }
        let page = part("").unwrap().1;
        assert!(!page.contains(" on") || !page.contains("onclick"), "the policy forbids code in attributes");
        assert!(!page.contains("style=") && !page.contains("<style"), "the policy forbids it");
    }
    #[test]
    fn another_path_is_no_part() {
        assert!(part("/index.html").is_none() && part("/console.jsx").is_none() && part("/api/state").is_none());
    }
}
