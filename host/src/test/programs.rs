//! Programs as people bring them: several files, folders, packages, other build systems. The tool itself is run.

use super::{Job, Own, Wanted};
use crate::child::end_with_us;
use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Name, arguments of the tool, standard output, status.
const RUNS: &[(&str, &[&str], &str, i32)] = &[
    ("what_follows_the_program_is_its_own", &["exec", "tests/programs/folder", "-l"], "good day, -l: 1.414\n", 3),
    ("a_folder_is_a_program", &["exec", "tests/programs/folder", "all"], "good day, all: 1.414\n", 3),
    (
        "several_files_are_a_program",
        &[
            "exec",
            "--source",
            "tests/programs/folder/greet.c",
            "-I",
            "tests/programs/folder/include",
            "-D",
            "GREETING=\"hello\"",
            "-l",
            "m",
            "tests/programs/folder/main.c",
            "both",
        ],
        "hello, both: 1.414\n",
        3,
    ),
    ("the_first_of_two_rust_files_of_one_name", &["exec", "tests/programs/same_name/one/main.rs"], "this is one\n", 0),
    ("the_second_of_two_rust_files_of_one_name", &["exec", "tests/programs/same_name/two/main.rs"], "this is two\n", 0),
    ("the_first_again", &["exec", "tests/programs/same_name/one/main.rs"], "this is one\n", 0),
    (
        "a_package_with_a_dependency_in_any_folder",
        &["exec", "tests/programs/package", "pebble"],
        "47720e9438122b7d\n",
        0,
    ),
    (
        "a_package_as_a_fault_domain",
        &["exec", "--isolation", "sfi", "tests/programs/package", "pebble"],
        "47720e9438122b7d\n",
        0,
    ),
    (
        "tasks_await_portals_on_embassys_executor",
        &["exec", "tests/programs/tasks"],
        "Ok(42), meanwhile several steps\n",
        0,
    ),
    ("classes_in_cpp", &["exec", "tests/programs/cpp/shapes.cpp"], "before main\n16\nbehind main\n", 0),
];
const OWN: &[Own] = &[
    ("a_wrong_specification_does_not_compile", |root| {
        does_not_compile(root, "wrong_specification.rs", 5, "this letter stands for no argument")
    }),
    ("an_argument_of_no_portal_does_not_compile", |root| {
        does_not_compile(root, "argument_of_no_portal.rs", 6, "`Vec<u8>` can not go through a portal")
    }),
    ("too_many_arguments_do_not_compile", |root| {
        does_not_compile(root, "too_many_arguments.rs", 5, "the arguments are more than six words")
    }),
    ("a_wrong_number_of_arguments_does_not_compile", |root| {
        does_not_compile(root, "wrong_number_of_arguments.rs", 5, "extern \"C\" fn(usize, usize) -> isize")
    }),
    ("a_reference_in_a_protected_module_does_not_compile", |root| {
        does_not_compile(root, "reference_in_a_protected_module.rs", 7, "`&'static [u64]: Plain` is not satisfied")
    }),
    ("a_server_that_lacks_a_portal_of_its_interface_does_not_compile", |root| {
        does_not_compile(root, "portal_of_an_interface_missing.rs", 5, "missing field `alarm`")
    }),
    ("a_server_that_takes_other_types_than_its_interface_does_not_compile", |root| {
        does_not_compile(root, "other_types_than_the_interface.rs", 6, "mismatched types")
    }),
    ("a_server_that_keeps_a_window_of_its_interface_does_not_compile", |root| {
        does_not_compile(root, "window_that_is_kept.rs", 16, "must outlive `'static`")
    }),
    ("cc_makes_programs_that_exec_runs", driver),
    ("printf_says_what_the_hosts_does", |root| as_here(root, "tests/programs/printf/numbers.c")),
    ("exact_functions_of_mathematics_come_to_what_the_hosts_do", |root| {
        as_here(root, "tests/programs/mathematics/exact.c")
    }),
    ("a_package_is_tested_on_the_host", cargo_test),
    ("cmake_builds_and_ctest_runs", cmake),
    ("meson_builds_and_tests", meson),
];

pub fn jobs<'a>(root: &'a Path, wanted: Wanted) -> Vec<Job<'a>> {
    let runs =
        RUNS.iter().map(|(name, arguments, output, status)| (format!("programs::{name}"), arguments, output, status));
    let runs = runs.filter(|(name, ..)| wanted(name));
    let mut jobs: Vec<Job> = runs
        .map(|(name, arguments, output, &status)| {
            Job::of(name, move || expect(&tool(root, arguments)?, output, status))
        })
        .collect();
    jobs.extend(super::own("programs", OWN, root, wanted));
    jobs
}
fn tool(root: &Path, arguments: &[&str]) -> Result<Output> {
    let mut command = Command::new(std::env::current_exe()?);
    run_command(command.args(arguments).env("PEBBLE_ROOT", root).current_dir(root))
}
fn run_command(command: &mut Command) -> Result<Output> {
    end_with_us(command.stdin(Stdio::null()));
    command.output().with_context(|| format!("{} could not be started", command.get_program().display()))
}
fn expect(output: &Output, said: &str, status: i32) -> Result<()> {
    let (out, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if out != said || output.status.code() != Some(status) {
        bail!("{}, and not {status}; output:\n{out}standard error:\n{errors}", output.status);
    }
    Ok(())
}
/// Runs a command that must end well; its output.
fn done(command: &mut Command) -> Result<String> {
    let output = run_command(command)?;
    let (out, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if !output.status.success() {
        bail!("{}: {}\n{out}{errors}", command.get_program().display(), output.status);
    }
    Ok(out.into_owned())
}

/// A program that says of thousands of numbers what the C library makes of them: that of this machine says the same.
fn as_here(root: &Path, source: &str) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let program = folder.path().join("numbers");
    done(Command::new("gcc").args(["-w", "-o"]).arg(&program).arg(root.join(source)).arg("-lm"))?;
    let wanted = done(&mut Command::new(&program))?;
    expect(&tool(root, &["exec", source])?, &wanted, 0)
}
/// The driver compiles, links, and says of itself what build systems ask.
fn driver(root: &Path) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let cc = || {
        let mut command = Command::new(root.join("pebble"));
        command.arg("cc").current_dir(folder.path());
        command
    };
    std::fs::write(
        folder.path().join("a.c"),
        "#include <stdio.h>\nint value(void);\nint main(void) { printf(\"%d\\n\", value()); }\n",
    )?;
    std::fs::write(folder.path().join("b.c"), "int value(void) { return VALUE; }\n")?;
    done(cc().args(["-c", "-DVALUE=42", "b.c"]))?;
    done(cc().args(["-O1", "-Wall", "-Werror", "a.c", "b.o", "-o", "program"]))?;
    if !done(cc().arg("-dumpmachine"))?.contains("riscv64") {
        bail!("the driver does not say which machine it is for");
    }
    let program = folder.path().join("program");
    expect(&tool(root, &["exec", &program.to_string_lossy()])?, "42\n", 0)
}
/// What a wrong program is told, and on which line of it.
fn does_not_compile(root: &Path, file: &str, line: u32, why: &str) -> Result<()> {
    let output = tool(root, &["exec", &format!("tests/programs/{file}")])?;
    let errors = String::from_utf8_lossy(&output.stderr);
    let place = errors.contains(why) && errors.contains(&format!("{file}:{line}"));
    if output.status.code() != Some(125) || !place {
        bail!("{}\n{errors}", output.status);
    }
    Ok(())
}
fn cargo_test(root: &Path) -> Result<()> {
    let manifest = root.join("tests/programs/package/Cargo.toml");
    let mut command = crate::build::cargo(root);
    command.args(["test", "--quiet", "--manifest-path"]).arg(manifest);
    command.env("CARGO_TARGET_DIR", root.join("target/packages-on-the-host"));
    let output = crate::build::run_cargo(root, command.stdout(Stdio::piped()).stderr(Stdio::piped()))?;
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    if output.status.success() && said.contains("1 passed") { Ok(()) } else { bail!("{said}{errors}") }
}
/// What both build systems' programs say: three, and what was found out of the C library.
const THREE: &str = "3: strtol 1, strtolb 0\n";
fn cmake(root: &Path) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let toolchain = root.join("lib/c/pebble.cmake");
    let mut command = Command::new("cmake");
    command.args(["-G", "Ninja", "-S"]).arg(root.join("tests/programs/build_system")).arg("-B").arg(folder.path());
    done(command.arg("--toolchain").arg(toolchain))?;
    done(Command::new("cmake").arg("--build").arg(folder.path()))?;
    done(Command::new("ctest").arg("--output-on-failure").arg("--test-dir").arg(folder.path()))?;
    expect(&tool(root, &["exec", &folder.path().join("three").to_string_lossy()])?, THREE, 0)
}
fn meson(root: &Path) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([root.join("lib/c/bin")].into_iter().chain(std::env::split_paths(&paths)))?;
    let mut command = Command::new("meson");
    command.env("PATH", &path).arg("setup").arg("--cross-file").arg(root.join("lib/c/pebble.meson"));
    done(command.arg(folder.path()).arg(root.join("tests/programs/build_system")))?;
    done(Command::new("meson").env("PATH", &path).args(["test", "-C"]).arg(folder.path()))?;
    expect(&tool(root, &["exec", &folder.path().join("three").to_string_lossy()])?, THREE, 0)
}
