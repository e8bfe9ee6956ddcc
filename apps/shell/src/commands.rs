//! The commands that the shell has itself, and those of the tools component.

use alloc::format;

/// Every command of the shell's own: how it is written, and what it does.
pub const OWN: &[(&str, &str)] = &[
    ("help", "this list"),
    ("components", "components of this system, and what they do"),
    ("run NAME [ARGUMENT…]", "start a component; its name alone does the same"),
    ("jobs, fg [N], wait", "programs in the background: COMMAND &, or Ctrl-Z"),
    ("kill [-SIGNAL] DOMAIN|NAME|%JOB…", "end domains, or send them a signal that they take"),
    ("restart NAME", "end a component and start it again"),
    ("replace NAME [BY]", "another takes its place while it is called"),
    ("domains, ps", "domains, what they are and what they have"),
    ("threads", "threads, where they are at home and what they do"),
    ("portals [DOMAIN|NAME]", "who may call whom"),
    ("portal DOMAIN NUMBER", "the code of one portal"),
    ("capabilities [DOMAIN]", "who holds which rights to what"),
    ("extensions", "what is linked into which component, and ended why"),
    ("extension link FILE HOST", "links a signed extension into a component"),
    ("extension unlink N", "takes it out"),
    ("updates", "components that have an update, and what they had"),
    ("update NAME FILE", "a component has a signed update from now on"),
    ("update --back NAME", "it has what it had before that"),
    ("memory", "pages of RAM, free and by domain"),
    ("counts", "what the portal manager has of everything"),
    ("limits", "what each component has taken, and may take"),
    ("top [SECONDS]", "what domains run and which portals are called"),
    ("trace PATTERN [COMMAND…]", "shows calls of portals so named, or COMMAND's"),
    ("trace SECONDS PATTERN", "the same for so long"),
    ("trace -o FILE …", "the same into a file that Perfetto draws"),
    ("uptime", "how long the system has run"),
    ("date", "the time of day (UTC)"),
    ("log", "the system log, which init keeps"),
    ("clear", "clears the screen"),
    ("time COMMAND…", "how long a command takes"),
    ("echo [-n] TEXT…", "prints TEXT"),
    ("NAME=VALUE, export, unset", "variables; programs get those that are exported"),
    (". FILE", "executes the lines of a file"),
    ("true, false, history", ""),
    ("halt", "stops the machine"),
    ("exit [STATUS]", "the same, with a status; ends `system`'s shell"),
];
/// Those of the tools component.
pub const TOOLS: &[&str] = &[
    "cat", "cp", "df", "edit", "grep", "head", "hexdump", "ln", "ls", "mkdir", "mv", "rm", "sleep", "sort", "tail",
    "tee", "touch", "uniq", "wc",
];
/// What `help` says, line by line: none is longer than a terminal of 80 columns shows.
pub fn help(mut show: impl FnMut(&str)) {
    const USAGE: usize = 26;
    let files = ("cat, cp, ls, mv, rm, …", "files: see \"The shell\" in the book");
    for (usage, what) in OWN.iter().chain([&files]) {
        match usage.chars().count() {
            ..=USAGE => show(format!("  {usage:USAGE$} {what}").trim_end()),
            _ => {
                show(&format!("  {usage}"));
                show(&format!("  {:USAGE$} {what}", ""));
            }
        }
    }
    show("  a | b, a && b, a || b, a; b, a &, < in, > out, >> out, 2> err, \"$NAME\", *.c");
}
/// Names of the shell's own commands.
pub fn own() -> impl Iterator<Item = &'static str> {
    OWN.iter()
        .filter(|(usage, _)| !usage.starts_with("NAME="))
        .flat_map(|(usage, _)| {
            let many = usage.split(", ");
            let count = many.clone().count();
            many.map(|usage| usage.split(' ').next().unwrap_or(usage)).take(count)
        })
        .chain(["export", "unset"])
}
pub fn is_own(name: &str) -> bool {
    own().any(|own| own == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use alloc::vec::Vec;
    #[test]
    fn help_fits_a_terminal_of_80_columns_and_has_every_command() {
        let mut lines = Vec::new();
        help(|line| lines.push(line.to_string()));
        assert!(lines.iter().all(|line| line.chars().count() < 80), "{lines:#?}");
        assert!(OWN.iter().all(|(usage, what)| [usage, what].iter().all(|t| lines.iter().any(|l| l.contains(**t)))));
    }
    #[test]
    fn own_commands_are_known_by_name() {
        assert!(["help", "ps", "wait", "true", ".", "export", "kill"].iter().all(|name| is_own(name)));
        assert!(!is_own("ls") && !is_own("NAME=VALUE"));
    }
}
