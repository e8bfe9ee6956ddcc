//! Calls of this machine's kernel that are begun again where it was stopped meanwhile.

use std::io::{ErrorKind, Result};

/// What `call` returns that no signal has interrupted. Who is stopped and goes on has a socket's call end in `EINTR` where it has a time
/// limit, without any handler, and neither a socket's `recv` nor a stream's `read` begins again by itself, as `read_exact` does.
pub fn uninterrupted<T>(mut call: impl FnMut() -> Result<T>) -> Result<T> {
    loop {
        match call() {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::uninterrupted;
    use anyhow::Result;
    use std::net::UdpSocket;
    use std::time::Duration;

    /// A handler that does nothing, set to begin calls again: those of sockets with a time limit end all the same.
    #[test]
    fn a_socket_with_a_limit_waits_on_after_a_signal() -> Result<()> {
        extern "C" fn nothing(_: libc::c_int) {}
        // SAFETY: the handler does nothing, and no other test has one for this signal.
        unsafe { libc::signal(libc::SIGUSR1, nothing as *const () as libc::sighandler_t) };
        let socket = UdpSocket::bind("127.0.0.1:0")?;
        socket.connect(socket.local_addr()?)?;
        socket.set_read_timeout(Some(Duration::from_secs(20)))?;
        // SAFETY: no precondition.
        let (waits, sender) = (unsafe { libc::pthread_self() } as usize, socket.try_clone()?);
        let signals = std::thread::spawn(move || {
            for _ in 0..20 {
                std::thread::sleep(Duration::from_millis(10));
                // SAFETY: that thread joins this one.
                unsafe { libc::pthread_kill(waits as libc::pthread_t, libc::SIGUSR1) };
            }
            sender.send(b"here")
        });
        let mut bytes = [0; 8];
        let length = uninterrupted(|| socket.recv(&mut bytes));
        signals.join().expect("it does not panic")?;
        assert_eq!(&bytes[..length?], b"here");
        Ok(())
    }
}
