//! The machine as QEMU's gdb stub shows it: stopped, its registers, and let run again. What gdb itself speaks (GDB manual, appendix E).

use crate::uninterrupted::uninterrupted;
use anyhow::{Context, Result, bail};
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

/// The file of the stub's description of the machine that has control and status registers.
const CONTROL: &str = "riscv-csr.xml";

/// What says that the machine has stopped begins so. It comes when it is stopped, and when somebody connects.
const STOPPED: [char; 2] = ['T', 'S'];

/// Dropped, it leaves the machine running.
pub struct Remote {
    stream: UnixStream,
    /// What has arrived and is not looked at yet.
    arrived: Vec<u8>,
    satp: String,
    sscratch: String,
    sepc: String,
}
/// The registers of a hart that is stopped.
pub struct Registers {
    pub general: [u64; 32],
    pub pc: u64,
    pub satp: u64,
    pub sscratch: u64,
    pub sepc: u64,
}

/// The bytes of a packet with this body.
fn packet(body: &str) -> Vec<u8> {
    let sum = body.bytes().fold(0u8, u8::wrapping_add);
    format!("${body}#{sum:02x}").into_bytes()
}
/// Takes the first whole packet out of `arrived`, acknowledgements before it included: its body.
fn taken(arrived: &mut Vec<u8>) -> Option<String> {
    let start = arrived.iter().position(|&byte| byte == b'$')?;
    let end = start + arrived[start..].iter().position(|&byte| byte == b'#')?;
    if arrived.len() < end + 3 {
        return None;
    }
    let body = String::from_utf8_lossy(&arrived[start + 1..end]).into_owned();
    arrived.drain(..end + 3);
    Some(body)
}
/// The number of a register in the stub's description, as the stub is told it.
fn number(description: &str, name: &str) -> Result<String> {
    let from =
        description.find(&format!("name=\"{name}\"")).with_context(|| format!("QEMU knows no register {name}"))?;
    let element = description[from..].split('>').next().unwrap_or_default();
    let number = element.split("regnum=\"").nth(1).and_then(|rest| rest.split('"').next()).and_then(|n| n.parse().ok());
    let number: u64 = number.with_context(|| format!("QEMU does not say where register {name} is"))?;
    Ok(format!("{number:x}"))
}
/// The words of a register's or of all registers' value, as it lies in memory.
fn words(text: &str) -> Option<Vec<u64>> {
    let digits = text.as_bytes().chunks_exact(16);
    digits.map(|word| u64::from_str_radix(std::str::from_utf8(word).ok()?, 16).ok().map(u64::swap_bytes)).collect()
}

impl Remote {
    /// Connects, which stops the machine.
    pub fn connect(socket: &Path) -> Result<Remote> {
        /// QEMU answers at once, or is gone.
        const PATIENCE: Duration = Duration::from_secs(20);
        let stream = UnixStream::connect(socket).context("QEMU's gdb stub")?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let none = String::new;
        let mut remote = Remote { stream, arrived: Vec::new(), satp: none(), sscratch: none(), sepc: none() };
        remote.ask("qSupported:xmlRegisters=riscv;qXfer:features:read+")?;
        let description = remote.description()?;
        remote.satp = number(&description, "satp")?;
        remote.sscratch = number(&description, "sscratch")?;
        remote.sepc = number(&description, "sepc")?;
        Ok(remote)
    }
    fn description(&mut self) -> Result<String> {
        const PIECE: usize = 0xf00;
        // They are known to it once it has been asked for all.
        self.ask(&format!("qXfer:features:read:target.xml:0,{PIECE:x}"))?;
        let mut all = String::new();
        loop {
            let piece = self.ask(&format!("qXfer:features:read:{CONTROL}:{:x},{PIECE:x}", all.len()))?;
            match piece.split_at_checked(1) {
                Some(("m", more)) => all.push_str(more),
                Some(("l", rest)) => return Ok(all + rest),
                _ => bail!("QEMU does not describe its registers: {piece}"),
            }
        }
    }
    fn receive(&mut self) -> Result<String> {
        let mut buffer = [0; 4096];
        loop {
            if let Some(body) = taken(&mut self.arrived) {
                self.stream.write_all(b"+")?;
                return Ok(body);
            }
            match uninterrupted(|| self.stream.read(&mut buffer))? {
                0 => bail!("the machine is gone"),
                count => self.arrived.extend_from_slice(&buffer[..count]),
            }
        }
    }
    /// The answer to a question, of which none begins as what says that the machine has stopped.
    fn ask(&mut self, body: &str) -> Result<String> {
        self.stream.write_all(&packet(body))?;
        loop {
            let answer = self.receive()?;
            if !answer.starts_with(STOPPED) {
                return Ok(answer);
            }
        }
    }
    pub fn go_on(&mut self) -> Result<()> {
        Ok(self.stream.write_all(&packet("c"))?)
    }
    /// Stops the machine, wherever it is.
    pub fn stop(&mut self) -> Result<()> {
        self.stream.write_all(&[3])?;
        while !self.receive()?.starts_with(STOPPED) {}
        Ok(())
    }
    /// Has it stop before the instruction at `address`, in every address space.
    pub fn stop_at(&mut self, address: u64) -> Result<()> {
        self.done(&format!("Z0,{address:x},2"))
    }
    /// Executes the instruction that it was stopped at there.
    pub fn step_over(&mut self, address: u64) -> Result<()> {
        self.done(&format!("z0,{address:x},2"))?;
        self.stream.write_all(&packet("s"))?;
        if !self.stopped() {
            bail!("the machine is gone");
        }
        self.stop_at(address)
    }
    fn done(&mut self, body: &str) -> Result<()> {
        match self.ask(body)?.as_str() {
            "OK" => Ok(()),
            answer => bail!("QEMU answers {body} with \"{answer}\""),
        }
    }
    /// Waits until it stops, however long that takes. False: it is gone.
    pub fn stopped(&mut self) -> bool {
        use std::io::ErrorKind::{TimedOut, WouldBlock};
        loop {
            match self.receive() {
                Ok(body) if body.starts_with(STOPPED) => return true,
                Ok(_) => {}
                Err(error) => match error.downcast_ref::<std::io::Error>().map(|error| error.kind()) {
                    Some(TimedOut | WouldBlock) => {}
                    _ => return false,
                },
            }
        }
    }
    fn register(&mut self, number: &str) -> Result<u64> {
        let answer = self.ask(&format!("p{number}"))?;
        words(&answer).and_then(|words| words.first().copied()).with_context(|| format!("QEMU: a register is {answer}"))
    }
    pub fn registers(&mut self) -> Result<Registers> {
        let answer = self.ask("g")?;
        let all = words(&answer).filter(|all| all.len() >= 33).with_context(|| format!("QEMU: registers {answer}"))?;
        let mut general = [0; 32];
        general.copy_from_slice(&all[..32]);
        let (satp, sscratch, sepc) = (self.satp.clone(), self.sscratch.clone(), self.sepc.clone());
        let (satp, sscratch, sepc) = (self.register(&satp)?, self.register(&sscratch)?, self.register(&sepc)?);
        Ok(Registers { general, pc: all[32], satp, sscratch, sepc })
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        // The machine may be gone.
        let _ = self.stream.write_all(&packet("D"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn a_packet_has_its_sum() {
        assert_eq!(packet("c"), b"$c#63");
    }
    #[test]
    fn packets_are_taken_however_they_are_cut() {
        let mut arrived = b"+$T02thread:01;#0".to_vec();
        assert_eq!(taken(&mut arrived), None);
        arrived.extend_from_slice(b"4$OK#9a");
        assert_eq!(taken(&mut arrived).unwrap(), "T02thread:01;");
        assert_eq!((taken(&mut arrived).unwrap(), taken(&mut arrived)), ("OK".to_string(), None));
    }
    #[test]
    fn words_are_as_they_lie_in_memory() {
        assert_eq!(words("0100000000000000ffffffffffffffff"), Some(vec![1, u64::MAX]));
        assert_eq!(words("E14"), Some(vec![]));
        assert_eq!(words("xxxxxxxxxxxxxxxx"), None);
    }
    #[test]
    fn a_register_that_is_not_described_is_an_error() {
        let xml = r#"<reg name="satp" bitsize="64" regnum="450"/><reg name="priv" bitsize="64"/>"#;
        assert_eq!(number(xml, "satp").unwrap(), "1c2");
        assert!(number(xml, "sepc").unwrap_err().to_string().contains("sepc"));
        assert!(number(xml, "priv").unwrap_err().to_string().contains("priv"));
    }
}
