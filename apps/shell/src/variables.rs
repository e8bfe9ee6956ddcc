//! The shell's variables, and what stands for a status, a number or an argument in their place.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use pebble::sync::Mutex;

/// A variable: name, value, whether programs get it.
struct Variable(String, String, bool);
static VARIABLES: Mutex<Vec<Variable>> = Mutex::new(Vec::new());
/// The status of the last command: `$?`.
pub static STATUS: Mutex<i32> = Mutex::new(0);
/// The arguments of the script that is executed: `$1` and on.
static ARGUMENTS: Mutex<Vec<String>> = Mutex::new(Vec::new());

pub fn set(name: &str, value: &str, export: bool) {
    let mut variables = VARIABLES.lock();
    match variables.iter_mut().find(|v| v.0 == name) {
        Some(variable) => (variable.1, variable.2) = (value.into(), variable.2 || export),
        None => variables.push(Variable(name.into(), value.into(), export)),
    }
}
pub fn value(name: &str) -> Option<String> {
    match name {
        "?" => Some(STATUS.lock().to_string()),
        "$" => Some(pebble::thread::asid().to_string()),
        "#" => Some(ARGUMENTS.lock().len().saturating_sub(1).to_string()),
        _ if name.starts_with(|c: char| c.is_ascii_digit()) => {
            ARGUMENTS.lock().get(name.parse::<usize>().ok()?).cloned()
        }
        _ => VARIABLES.lock().iter().find(|v| v.0 == name).map(|v| v.1.clone()),
    }
}
/// Takes these away.
pub fn unset(names: &[&str]) {
    VARIABLES.lock().retain(|v| !names.contains(&v.0.as_str()));
}
/// `NAME=VALUE` of those that programs get and whose names are `wanted`.
pub fn exported(wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let variables = VARIABLES.lock();
    variables.iter().filter(|v| v.2 && wanted(&v.0)).map(|v| format!("{}={}", v.0, v.1)).collect()
}
/// Gives a script its arguments; those that there were.
pub fn replace_arguments(arguments: Vec<String>) -> Vec<String> {
    core::mem::replace(&mut *ARGUMENTS.lock(), arguments)
}
