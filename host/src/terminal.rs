//! This terminal's settings, put back however a run ends.

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
