//! This terminal's settings, put back however a run ends.

use std::sync::atomic::{AtomicBool, Ordering};

/// Ctrl-\\ was pressed.
static QUIT: AtomicBool = AtomicBool::new(false);
extern "C" fn note_quit(_: libc::c_int) {
    QUIT.store(true, Ordering::Relaxed);
}
/// Whether Ctrl-\\ has ended the machine.
pub fn quit() -> bool {
    QUIT.load(Ordering::Relaxed)
}

/// The settings at the start, and whether it blocks; dropped, they are back.
pub struct Settings(Option<(libc::termios, i32)>);
impl Settings {
    pub fn keep() -> Settings {
        // SAFETY: a termios is plain data, filled by tcgetattr where standard input is a terminal.
        unsafe {
            let mut settings = std::mem::zeroed();
            let terminal = libc::tcgetattr(0, &mut settings) == 0;
            Settings(terminal.then(|| (settings, libc::fcntl(0, libc::F_GETFL))))
        }
    }
    /// From now on Ctrl-C is a key as others are, for the machine to take. Ctrl-\\ still ends a machine that answers nothing, and not
    /// this tool, which puts the settings back.
    pub fn pass_interrupts_on(&self) {
        let Some((mut settings, _)) = self.0 else { return };
        settings.c_cc[libc::VINTR] = libc::_POSIX_VDISABLE;
        // SAFETY: settings that tcgetattr gave but for one key, and a handler that stores.
        unsafe {
            libc::tcsetattr(0, libc::TCSADRAIN, &settings);
            libc::signal(libc::SIGQUIT, note_quit as *const () as libc::sighandler_t);
        }
    }
}
impl Drop for Settings {
    fn drop(&mut self) {
        if let Some((settings, flags)) = &self.0 {
            // SAFETY: settings that tcgetattr gave, and flags that fcntl gave.
            unsafe {
                libc::tcsetattr(0, libc::TCSADRAIN, settings);
                libc::fcntl(0, libc::F_SETFL, *flags);
            }
        }
    }
}
