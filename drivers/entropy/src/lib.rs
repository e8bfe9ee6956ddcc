//! A virtio entropy source (Virtual I/O Device 1.1, section 5.4), free of hardware: one request after the other, and what the source may
//! say.
#![cfg_attr(not(test), no_std)]

use virtio::{Features, Hal, Lie, Place, Ring, Transport};

/// Most bytes of one request.
pub const MOST: usize = 256;
/// Requests have one descriptor, and there is one at a time; a queue has a power of two.
const PLACES: usize = 2;

pub struct Source<H: Hal, T: Transport> {
    registers: T,
    ring: Ring<H, PLACES>,
    /// Where the answer to a request goes; `None`: the source has it.
    place: Option<Place>,
}
impl<H: Hal, T: Transport> Source<H, T> {
    /// Resets the source and makes it ready.
    pub fn new(mut registers: T) -> Result<Source<H, T>, Lie> {
        registers.begin_init(Features::VERSION_1);
        let (ring, [place, _]) = Ring::new(&mut registers, 0, MOST)?;
        registers.finish_init();
        Ok(Source { registers, ring, place: Some(place) })
    }
    /// Takes the source's interrupt back.
    pub fn acknowledge(&mut self) {
        self.registers.ack_interrupt();
    }
    /// Asks for so many bytes, unless it was asked before and has not answered.
    pub fn ask(&mut self, bytes: usize) -> Result<(), Lie> {
        if let Some(place) = self.place.take() {
            self.ring.lend(place, bytes.clamp(1, MOST), true)?;
            self.ring.notify(&mut self.registers);
        }
        Ok(())
    }
    /// Puts the answer into `to`; how many bytes of it were filled. `None`: there is none yet. Nobody else gets these bytes.
    pub fn answer(&mut self, to: &mut [u8]) -> Result<Option<usize>, Lie> {
        let Some((mut place, told)) = self.ring.take()? else { return Ok(None) };
        if told == 0 {
            // It has written nothing (section 5.4.6.2: one byte at least).
            return Err(Lie::Length { told, room: MOST });
        }
        let buffer = self.ring.buffer(&mut place);
        let count = told.min(to.len());
        to[..count].copy_from_slice(&buffer[..count]);
        buffer.fill(0);
        self.place = Some(place);
        Ok(Some(count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use virtio::DeviceType;
    use virtio::fake::{Fake, Memory};

    fn source() -> (Source<Memory, Fake>, Fake) {
        let device = Fake::new(DeviceType::EntropySource, 0, &[]);
        (Source::new(device.clone()).unwrap(), device)
    }
    #[test]
    fn what_the_source_says_is_given_once() {
        let (mut source, device) = source();
        let mut bytes = [0; 8];
        assert_eq!(source.answer(&mut bytes), Ok(None));
        source.ask(8).unwrap();
        // Asked twice, it is asked once.
        source.ask(8).unwrap();
        let asked = device.available(0);
        assert_eq!(asked.len(), 1);
        device.write(0, asked[0], &[1, 2, 3, 4, 5, 6, 7, 8]);
        device.give_back(0, asked[0], 8);
        assert_eq!((source.answer(&mut bytes), bytes), (Ok(Some(8)), [1, 2, 3, 4, 5, 6, 7, 8]));
        assert_eq!(source.answer(&mut bytes), Ok(None));
        source.ask(8).unwrap();
        let asked = device.available(0)[1];
        device.give_back(0, asked, 8);
        assert_eq!(
            (source.answer(&mut bytes), bytes),
            (Ok(Some(8)), [0; 8]),
            "what was said before is not there again"
        );
    }
    #[test]
    fn a_source_that_writes_nothing_or_too_much_has_lied() {
        for told in [0, 9, u32::MAX] {
            let (mut source, device) = source();
            source.ask(8).unwrap();
            let asked = device.available(0)[0];
            device.give_back(0, asked, told);
            assert!(matches!(source.answer(&mut [0; 8]), Err(Lie::Length { .. })), "{told}");
        }
    }
    #[test]
    fn a_source_that_answers_what_it_was_not_asked_has_lied() {
        for token in [0, 1, 7, u32::MAX] {
            let (mut source, device) = source();
            device.give_back(0, token, 8);
            assert!(matches!(source.answer(&mut [0; 8]), Err(Lie::Descriptor(_))), "{token}");
        }
    }
}
