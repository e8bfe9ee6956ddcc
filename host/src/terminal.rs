//! This terminal's settings, put back however a run ends.

/// The settings at the start; dropped, they are back.
pub struct Settings(Option<libc::termios>);
impl Settings {
    pub fn keep() -> Settings {
        // SAFETY: a termios is plain data, filled by tcgetattr where standard input is a terminal.
        unsafe {
            let mut settings = std::mem::zeroed();
            Settings((libc::tcgetattr(0, &mut settings) == 0).then_some(settings))
        }
    }
}
impl Drop for Settings {
    fn drop(&mut self) {
        if let Some(settings) = &self.0 {
            // SAFETY: settings that tcgetattr gave.
            unsafe {
                libc::tcsetattr(0, libc::TCSADRAIN, settings);
            }
        }
    }
}
