//! The ways in which each program in `tests/hostile` is run: what holds in one must hold in all.

use super::directives::Directives;
use crate::exec::On;
use anyhow::{Result, bail};

/// A way to run a hostile program.
struct Way {
    name: &'static str,
    /// The program's argument: how many sandboxes are around the attacker.
    depth: &'static str,
    system: &'static str,
    slices: Slices,
    /// What a program repeats often, it repeats this many times less often: how many it is told, as its second argument.
    fewer: &'static str,
}
/// When the timer interrupts.
#[derive(Clone, Copy)]
enum Slices {
    /// Every 5 ms of QEMU's.
    Usual,
    /// At instructions that the program's name chooses.
    Short,
    /// On the strict machine, after every number of instructions, drawn from a seed that the program's name chooses.
    Random,
}
const WAYS: [Way; 9] = [
    Way { name: "plain", depth: "0", system: "exec", slices: Slices::Usual, fewer: "1" },
    Way { name: "touch", depth: "0", system: "exec-touch", slices: Slices::Usual, fewer: "4" },
    Way { name: "sandbox", depth: "1", system: "exec", slices: Slices::Usual, fewer: "4" },
    Way { name: "nested", depth: "2", system: "exec", slices: Slices::Usual, fewer: "8" },
    Way { name: "nested-touch", depth: "2", system: "exec-touch", slices: Slices::Usual, fewer: "8" },
    Way { name: "slices", depth: "0", system: "exec", slices: Slices::Short, fewer: "8" },
    Way { name: "strict", depth: "0", system: "exec", slices: Slices::Random, fewer: "8" },
    Way { name: "strict-touch", depth: "0", system: "exec-touch", slices: Slices::Random, fewer: "8" },
    Way { name: "strict-sandbox", depth: "1", system: "exec-touch", slices: Slices::Random, fewer: "8" },
];

/// What a program with these directives must do in each of its ways; an error names what is no way.
pub fn ways(name: &str, directives: &Directives) -> Result<Vec<(&'static str, Directives)>> {
    if let Some(unknown) = directives.ways.iter().find(|wanted| WAYS.iter().all(|way| way.name != wanted.as_str())) {
        let all: Vec<&str> = WAYS.iter().map(|way| way.name).collect();
        bail!("\"{unknown}\" is no way to run a hostile program: they are {}", all.join(", "));
    }
    let wanted = WAYS.iter().filter(|way| directives.ways.is_empty() || directives.ways.iter().any(|w| w == way.name));
    Ok(wanted.map(|way| (way.name, in_way(name, directives, way))).collect())
}
/// The last line of a program that was told so.
pub fn held(depth: &str, fewer: &str) -> String {
    format!("the walls held in {depth} sandboxes, 1 round of {fewer}")
}
fn in_way(name: &str, directives: &Directives, way: &Way) -> Directives {
    let mut arguments = vec![way.depth.to_string(), way.fewer.to_string()];
    arguments.extend(directives.arguments.iter().cloned());
    // What the frame of these programs says, and none says by chance.
    let stdout = [&directives.stdout[..], &[held(way.depth, way.fewer)]].concat();
    // A program's own system has another one beside it for windows at the first access, as "exec" has.
    let system = way.system.replacen("exec", &directives.system, 1);
    let seed = name.bytes().fold(0u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte as u32));
    let directives = Directives { arguments, stdout, system, ..directives.clone() };
    match way.slices {
        Slices::Usual => directives,
        // The same on every machine: an instruction takes 2⁴ to 2¹⁰ ns, so a slice has 5,000 to 320,000.
        Slices::Short => Directives { icount: Some(4 + (seed % 7) as u8), ..directives },
        Slices::Random => Directives { icount: None, on: On::Strict, slices: Some(seed.into()), ..directives },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(directives: &Directives) -> Vec<&'static str> {
        ways("hostile::a", directives).unwrap().into_iter().map(|(name, _)| name).collect()
    }
    #[test]
    fn a_hostile_program_is_run_in_all_ways_unless_it_names_some() {
        assert_eq!(names(&Directives::default()).len(), WAYS.len());
        let two = Directives { ways: vec!["slices".into(), "plain".into()], ..Directives::default() };
        assert_eq!(names(&two), ["plain", "slices"]);
    }
    #[test]
    fn a_system_of_its_own_is_taken_in_all_ways() {
        let own = Directives { system: "supervised".into(), ..Directives::default() };
        let systems = |directives| ways("hostile::a", directives).unwrap().into_iter().map(|(_, d)| d.system);
        let ordinary = Directives::default();
        let wanted = systems(&ordinary).map(|system| system.replace("exec", "supervised"));
        assert!(systems(&own).eq(wanted) && systems(&own).any(|system| system == "supervised-touch"));
    }
    #[test]
    fn what_is_no_way_is_refused() {
        let wrong = Directives { ways: vec!["sideways".into()], ..Directives::default() };
        assert!(ways("hostile::a", &wrong).unwrap_err().to_string().contains("sideways"));
    }
    #[test]
    fn depth_and_share_come_before_the_programs_own_arguments() {
        let directives = Directives { arguments: vec!["7".into()], ..Directives::default() };
        let all = ways("hostile::a", &directives).unwrap();
        assert_eq!(all[3].1.arguments, ["2", "8", "7"]);
    }
    #[test]
    fn a_program_that_does_not_do_as_the_way_says_fails() {
        let own = Directives { stdout: vec!["first".into()], ..Directives::default() };
        let all = ways("hostile::a", &own).unwrap();
        assert_eq!(all[3].1.stdout, ["first", "the walls held in 2 sandboxes, 1 round of 8"]);
    }
    #[test]
    fn time_slices_are_the_same_each_time() {
        let slices = |name| ways(name, &Directives::default()).unwrap().into_iter().map(|(_, d)| (d.icount, d.slices));
        assert!(slices("hostile::a").eq(slices("hostile::a")) && slices("hostile::a").ne(slices("hostile::b")));
        assert!((4..=10).contains(&slices("hostile::a").nth(5).unwrap().0.unwrap()));
    }
    #[test]
    fn each_program_that_the_page_on_walls_names_is_there() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let page = std::fs::read_to_string(root.join("docs/src/walls.md")).unwrap();
        let mut named = 0;
        for name in page.split('`').filter_map(|word| word.split_once("::")) {
            let (folder @ ("hostile" | "target"), program) = name else { continue };
            let file = root.join("tests").join(folder).join(program);
            assert!(["c", "rs"].iter().any(|kind| file.with_extension(kind).exists()), "{name:?}");
            named += 1;
        }
        assert!(named > 25, "{named}");
    }
}
