//! The comments at the head of a test program that say what it must do.

use crate::exec::{Isolation, On};
use anyhow::{Context, Result, bail};

/// What a test expects, and how it is run.
#[derive(Clone, Debug, PartialEq)]
pub struct Directives {
    pub status: u8,
    /// Whole lines of standard output, in this order; others may lie between.
    pub stdout: Vec<String>,
    /// Parts of the system log.
    pub stderr: Vec<String>,
    pub output_bytes: Option<usize>,
    /// A test program whose output is the same.
    pub same_output: Option<String>,
    pub timeout: f64,
    pub memory: usize,
    /// Counts instructions, each of which takes two to the power of this nanoseconds.
    pub icount: Option<u8>,
    /// The machine that it runs on.
    pub on: On,
    pub isolation: Isolation,
    /// The component that hosts it as a fault domain, and whether its loads are kept in too.
    pub host: Option<String>,
    pub loads: bool,
    pub matching: bool,
    pub form: manifest::Form,
    /// Seed of its time slices on the strict machine.
    pub slices: Option<u64>,
    pub arguments: Vec<String>,
    pub system: String,
    pub stdin: Option<String>,
    /// It tries one in so many of what it is for, which it is told as its first argument and says in the end; all in the campaign "whole".
    pub sample: Option<u32>,
    /// How a hostile program is run: names of [`super::hostile::WAYS`]; none: in all ways.
    pub ways: Vec<String>,
}
impl Default for Directives {
    fn default() -> Directives {
        Directives {
            status: 0,
            stdout: Vec::new(),
            stderr: Vec::new(),
            output_bytes: None,
            same_output: None,
            timeout: 60.0,
            memory: 128,
            icount: None,
            on: On::Qemu,
            isolation: Isolation::Domain,
            host: None,
            loads: false,
            matching: false,
            form: manifest::Form::Masks,
            slices: None,
            arguments: Vec::new(),
            system: "exec".into(),
            stdin: None,
            sample: None,
            ways: Vec::new(),
        }
    }
}

impl Directives {
    /// The same with what a program is told that tries one in `share` of what it is for, and its last line then.
    pub fn sampled(self, share: u32) -> Directives {
        let arguments = std::iter::once(share.to_string()).chain(self.arguments).collect();
        let stdout = self.stdout.into_iter().chain([format!("one in {share} was tried")]).collect();
        Directives { arguments, stdout, ..self }
    }
}

/// Reads the comment lines before the first line of code.
pub fn parse(source: &str) -> Result<Directives> {
    let mut d = Directives::default();
    for (number, line) in source.lines().enumerate() {
        let Some(text) = line.strip_prefix("// ") else { break };
        let (key, value) = text.split_once(' ').unwrap_or((text, ""));
        let place = || format!("line {}: \"{line}\"", number + 1);
        match key {
            "expect" => {
                let (what, value) = value.split_once(' ').with_context(place)?;
                match what {
                    "status" => d.status = value.parse().with_context(place)?,
                    "stdout" => d.stdout.push(value.to_string()),
                    "stderr" => d.stderr.push(value.to_string()),
                    "output-bytes" => d.output_bytes = Some(value.parse().with_context(place)?),
                    _ => bail!("{}: unknown expectation \"{what}\"", place()),
                }
            }
            "same-output" => d.same_output = Some(value.to_string()),
            "timeout" => d.timeout = value.parse().with_context(place)?,
            "icount" if value.is_empty() => d.icount = Some(0),
            "icount" => d.icount = Some(value.parse().with_context(place)?),
            "on" if value == "strict" => d.on = On::Strict,
            "isolation" if value == "sfi" => d.isolation = Isolation::Sfi,
            "isolation" if value == "supervisor" => d.isolation = Isolation::Supervisor,
            "loads" if value.is_empty() => d.loads = true,
            "matching" if value.is_empty() => d.matching = true,
            "form" => d.form = crate::exec::form(value).map_err(anyhow::Error::msg).with_context(place)?,
            "host" => d.host = Some(value.to_string()),
            "slices" => d.slices = Some(value.parse().with_context(place)?),
            "memory" => d.memory = value.parse().with_context(place)?,
            "arguments" => d.arguments = value.split_whitespace().map(String::from).collect(),
            "system" => d.system = value.to_string(),
            "ways" => d.ways = value.split_whitespace().map(String::from).collect(),
            "sample" => d.sample = Some(value.parse().with_context(place)?),
            "stdin" => d.stdin = Some(format!("{value}\n")),
            _ => bail!("{}: unknown directive \"{key}\"", place()),
        }
    }
    Ok(d)
}

/// Whether `lines` occur in `text`, each as a whole line, in this order; the first that does not.
pub fn missing<'a>(text: &str, lines: &'a [String]) -> Option<&'a str> {
    let mut rest = text.lines();
    lines.iter().find(|wanted| !rest.any(|line| line.trim_end_matches('\r') == wanted.as_str())).map(|s| s.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn directives_are_read_up_to_the_code() {
        let d =
            parse("// expect status 7\n// expect stdout a b\n// timeout 2\nint main;\n// expect status 9\n").unwrap();
        assert_eq!((d.status, d.stdout, d.timeout), (7, vec!["a b".to_string()], 2.0));
    }
    #[test]
    fn an_unknown_directive_is_refused() {
        assert!(parse("// expcet status 7\n").unwrap_err().to_string().contains("line 1"));
        assert!(parse("// expect color blue\n").is_err());
    }
    #[test]
    fn a_status_that_is_no_number_is_refused() {
        assert!(parse("// expect status seven\n").is_err());
    }
    #[test]
    fn an_instruction_takes_a_nanosecond_unless_told() {
        let icount = |text: &str| parse(text).unwrap().icount;
        assert_eq!(
            (icount("// timeout 2\n"), icount("// icount\n"), icount("// icount 10\n")),
            (None, Some(0), Some(10))
        );
        assert!(parse("// icount often\n").is_err());
    }
    #[test]
    fn a_machine_that_is_none_for_tests_is_refused() {
        let d = parse("// on strict\n// slices 7\n").unwrap();
        assert_eq!((d.on, d.slices), (On::Strict, Some(7)));
        assert!(parse("// on rtl\n").is_err() && parse("// slices often\n").is_err());
    }
    #[test]
    fn what_tries_a_sample_is_told_so_and_says_so() {
        let d = parse("// sample 7\n// arguments 3\n// expect stdout a\n").unwrap();
        let d = d.clone().sampled(d.sample.unwrap());
        assert_eq!(
            (d.arguments, d.stdout),
            (vec!["7".into(), "3".into()], vec!["a".into(), "one in 7 was tried".into()])
        );
        assert!(parse("// sample some\n").is_err());
    }
    #[test]
    fn lines_are_found_in_order_only() {
        let wanted = ["a".to_string(), "b".to_string()];
        assert_eq!(missing("a\nx\nb\n", &wanted), None);
        assert_eq!(missing("b\na\n", &wanted), Some("b"));
        assert_eq!(missing("ab\n", &wanted), Some("a"));
    }
}
