//! The programs that extensions may not be, and some that they may: each in a file of `programs/`, which says on its first line by which rules it is refused. A rule
//! that were taken out would leave a program accepted that it alone refuses, or without its name.

mod common;

use common::{interfaces, toolchain};
use gatekeeper::{Refusal, Rule};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn folder(kind: &str) -> PathBuf {
    Path::new("programs").join(kind)
}
fn vetted(path: &Path) -> Vec<Refusal> {
    gatekeeper::vet(toolchain(), path, interfaces()).unwrap()
}
fn lines(refusals: &[Refusal]) -> String {
    refusals.iter().map(|refusal| format!("{refusal}\n")).collect()
}
/// The rules that the first line of a program names.
fn expected(path: &Path) -> BTreeSet<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let rules = text.strip_prefix("//! ").and_then(|text| text.split_once(": ")).unwrap().0;
    rules.split(", ").map(String::from).collect()
}
fn refused(name: &str) {
    let path = folder("refused").join(name).with_extension("rs");
    let refusals = vetted(&path);
    let rules: BTreeSet<String> = refusals.iter().map(|refusal| refusal.rule.to_string()).collect();
    assert_eq!(rules, expected(&path), "\n{}", lines(&refusals));
    let places = refusals.iter().filter(|refusal| refusal.place.file != format!("{name}.rs"));
    assert_eq!(places.count(), 0, "\n{}", lines(&refusals));
}
fn accepted(name: &str) {
    let refusals = vetted(&folder("accepted").join(name).with_extension("rs"));
    assert!(refusals.is_empty(), "\n{}", lines(&refusals));
}

macro_rules! programs {
    ($way:ident: $($name:ident)*) => {
        mod $way {
            $(#[test]
            fn $name() {
                super::$way(stringify!($name));
            })*
            pub const NAMES: &[&str] = &[$(stringify!($name)),*];
        }
    };
}
programs! { refused:
    a_bound_over_all_lifetimes
    a_closure_becomes_a_pointer
    a_closure_for_others
    a_closure_of_a_method
    a_condition_that_never_changes
    a_constant_of_a_type_within_a_method
    a_constant_that_threads_may_not_share
    a_constant_with_a_reference_in_it
    a_copy_by_a_default
    a_copy_by_an_alias
    a_copy_for_some_lifetimes
    a_copy_for_some_types
    a_copy_of_equal_parameters
    a_default_parameter_is_a_pointer
    a_destructor_that_does_not_run
    a_feature
    a_feature_by_a_condition
    a_function_as_a_value_by_an_alias
    a_function_as_a_value_forgets_a_relation
    a_function_becomes_a_pointer
    a_function_that_only_calls_itself
    a_handle_of_its_own
    a_hidden_type_for_others
    a_hidden_type_of_a_trait
    a_large_alignment
    a_large_constant
    a_large_frame
    a_leak
    a_loop_that_takes_memory
    a_loop_without_an_end
    a_macro_by_a_macros_argument
    a_macro_by_the_name_of_one_of_the_librarys
    a_macro_of_items_by_the_name_of_one_of_the_librarys
    a_macro_of_the_builder_by_another_name
    a_macro_that_hides_one_of_the_librarys
    a_method_believes_more_than_its_impl
    a_method_in_a_section
    a_module_with_the_name_of_a_crate
    a_module_with_the_name_of_an_interface
    a_naked_function
    a_name_by_a_macros_attribute
    a_name_in_letters_of_others
    a_panic_handler
    a_pointer_is_called
    a_provided_method_as_a_value
    a_provided_method_with_a_symbol
    a_raw_pointer
    a_raw_pointer_without_a_word
    a_reference_by_a_pattern
    a_reference_that_threads_may_not_share
    a_reference_to_a_part_of_a_constant
    a_static_that_changes
    a_symbol_that_no_host_gives
    a_trait_object
    a_trait_object_of_a_macro
    a_tree_of_macros
    a_type_error
    a_type_has_a_pointer_in_it
    a_type_is_asked_for
    a_value_is_pinned
    a_waker
    a_where_clause_over_all_lifetimes
    an_address_as_text
    an_associated_type_heads_an_impl
    an_associated_type_stays_open
    an_endless_constant
    an_impl_believes_a_default
    an_impl_believes_a_relation
    an_impl_believes_a_types_bound
    an_impl_believes_an_alias
    an_impl_believes_its_self
    an_impl_believes_static
    an_open_type_in_a_body
    an_open_type_in_a_bound
    an_open_type_in_a_field
    an_open_type_in_a_provided_method
    an_open_type_in_an_alias
    an_own_macro_with_the_name_of_a_foreign_one
    another_way_of_calling
    assembly_at_the_top
    asynchronous_code
    brackets_without_end
    counted_references_are_compared
    functions_of_others_by_their_symbol
    instructions_of_the_machine
    only_one_solver_accepts_it
    operators_without_end
    the_allocator_itself
    the_builders_files
    the_builders_variables
    the_compiler_recurses_deeper
    the_runtime_beneath_it
    the_slot_of_a_procedure
    the_standard_library
    types_without_end
    unsafe_code
}
programs! { accepted:
    a_cache
    a_checksum
    a_parser
    a_protocol
    a_scheduler
    a_tree
    closures
    errors_and_units
    lifetimes
}

fn names(kind: &str) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder(kind)).unwrap();
    entries.map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned()).collect()
}
#[test]
fn each_program_is_a_test() {
    assert_eq!(names("refused"), refused::NAMES.iter().map(ToString::to_string).collect());
    assert_eq!(names("accepted"), accepted::NAMES.iter().map(ToString::to_string).collect());
}
/// Rules that always come with another: machine code is unsafe, what takes memory without end does not end, and a folder is not a program.
const WITH_OTHERS: [Rule; 3] = [Rule::Asm, Rule::Quota, Rule::Package];
#[test]
fn each_rule_refuses_something_alone() {
    let alone: BTreeSet<String> = refused::NAMES
        .iter()
        .map(|name| expected(&folder("refused").join(name).with_extension("rs")))
        .filter(|rules| rules.len() == 1)
        .flatten()
        .collect();
    let rules = Rule::ALL.iter().filter(|rule| !WITH_OTHERS.contains(rule));
    let missing: Vec<String> = rules.map(ToString::to_string).filter(|rule| !alone.contains(rule)).collect();
    assert_eq!(missing, [""; 0]);
}

/// A folder with these files.
fn package(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}
fn places(files: &[(&str, &str)]) -> Vec<(Rule, String)> {
    let refusals = vetted(package(files).path());
    refusals.into_iter().map(|refusal| (refusal.rule, refusal.place.file)).collect()
}
#[test]
fn a_folder_of_source_is_accepted() {
    let inner = "pub fn three() -> u64 {\n    3\n}\n";
    assert_eq!(places(&[("lib.rs", "#![no_std]\npub mod inner;\n"), ("inner.rs", inner)]), []);
}
#[test]
fn what_is_not_source_is_refused() {
    for name in ["Cargo.toml", "rust-toolchain.toml", "build.rs", ".cargo/config.toml", "text.txt", "a b.rs"] {
        let first = name.split('/').next().unwrap();
        assert_eq!(places(&[("lib.rs", "#![no_std]\n"), (name, "")]), [(Rule::Package, first.to_string())], "{name}");
    }
}
#[test]
fn what_is_no_file_is_refused() {
    let folder = package(&[("lib.rs", "#![no_std]\n")]);
    std::os::unix::fs::symlink("/etc/passwd", folder.path().join("inner.rs")).unwrap();
    assert_eq!(vetted(folder.path()).iter().map(|refusal| refusal.rule).collect::<Vec<_>>(), [Rule::Package]);
}
#[test]
fn a_module_in_a_file_of_another_name_is_refused() {
    let root = "#![no_std]\n#[path = \"other.rs\"]\npub mod inner;\n";
    assert_eq!(places(&[("lib.rs", root), ("other.rs", "")]), [(Rule::Builtin, "lib.rs".to_string())]);
}
#[test]
fn a_refusal_names_its_file_and_line() {
    let inner = "pub fn later() {}\n\npub fn shown(_: &dyn Send) {}\n";
    let folder = package(&[("lib.rs", "#![no_std]\npub mod inner;\n"), ("inner.rs", inner)]);
    assert_eq!(lines(&vetted(folder.path())), "DYN, inner.rs:3: trait objects: what they call no type says\n");
}
