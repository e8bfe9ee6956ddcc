//! The crate `log` on Pebble: a line for each record, under the component's name. Each component has a level of its own.

use crate::Env;
use crate::sync::Mutex;
use alloc::string::{String, ToString};
use log::{Level, LevelFilter, Log, Metadata, Record};

/// What everybody's records go to, with the component's name.
struct Logger(Mutex<String>);
static LOGGER: Logger = Logger(Mutex::new(String::new()));

impl Log for Logger {
    fn enabled(&self, metadata: &Metadata) -> bool {
        metadata.level() <= log::max_level()
    }
    fn log(&self, record: &Record) {
        if !self.enabled(record.metadata()) {
            return;
        }
        let level = match record.level() {
            Level::Error => "error",
            Level::Warn => "warning",
            Level::Info => "info",
            Level::Debug => "debug",
            Level::Trace => "trace",
        };
        let name = self.0.lock().clone();
        let line = format_args!("{name}: {level}: {}\n", record.args()).to_string();
        // Who may not open the console has the system log.
        if crate::console::write_error(line.as_bytes()).is_err() {
            crate::say(format_args!("{level}: {}", record.args()));
        }
    }
    fn flush(&self) {}
}
/// Has the records of `log` written to standard error; where the component may not open the console, to the system log. The level is that
/// of an argument `log=LEVEL` (so of `arguments` in the component's manifest block) or of the variable `LOG`: `off`, `error`, `warn`, `info`,
/// `debug` or `trace`; `warn` if there is neither. `EINVAL`: it is none of these. Called once, by `main`.
pub fn start(env: &Env) -> crate::Result<()> {
    let argument = (1..env.len()).filter_map(|n| env.argument(n)?.strip_prefix("log=")).next();
    let level: LevelFilter =
        argument.or_else(|| env.variable("LOG")).unwrap_or("warn").parse().map_err(|_| crate::Error::EINVAL)?;
    *LOGGER.0.lock() = env.argument(0).unwrap_or("").to_string();
    // It was set before, if this is the second call.
    let _ = log::set_logger(&LOGGER);
    log::set_max_level(level);
    Ok(())
}
