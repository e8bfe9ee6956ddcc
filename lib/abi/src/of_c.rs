//! All that C programs have of what is declared here ([`crate::shared`]).

use crate::shared::{Layout, Numbers};

/// The structures that C programs have.
pub const LAYOUTS: &[Layout] = &[
    crate::start::Start::LAYOUT,
    crate::system::Registration::LAYOUT,
    crate::system::Child::LAYOUT,
    crate::system::Description::LAYOUT,
    crate::system::Caller::LAYOUT,
    crate::system::Ended::LAYOUT,
    crate::file::Status::LAYOUT,
    crate::file::Entry::LAYOUT,
    crate::file::Hand::LAYOUT,
    crate::file::Lock::LAYOUT,
    crate::spawn::Header::LAYOUT,
    crate::internet::Address::LAYOUT,
    crate::internet::Datagram::LAYOUT,
    crate::internet::Interest::LAYOUT,
    crate::internet::Found::LAYOUT,
    crate::internet::Configuration::LAYOUT,
    crate::capability::Info::LAYOUT,
];
/// The numbers that they have.
pub const NUMBERS: &[Numbers] = &[
    crate::system::admission::NUMBERS,
    crate::system::fork::NUMBERS,
    crate::system::ended::NUMBERS,
    crate::protection::operation::NUMBERS,
    crate::file::portal::NUMBERS,
    crate::file::operation::NUMBERS,
    crate::file::kind::NUMBERS,
    crate::file::pipe::NUMBERS,
    crate::file::lock::NUMBERS,
    crate::file::lock_how::NUMBERS,
    crate::internet::kind::NUMBERS,
    crate::internet::operation::NUMBERS,
    crate::internet::family::NUMBERS,
    crate::internet::event::NUMBERS,
    crate::capability::flags::NUMBERS,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_numbers_of_c_have_one_name() {
        let named = |group: &'static Numbers| group.numbers.iter().map(|(name, ..)| format!("{}_{name}", group.prefix));
        let mut names: Vec<String> = NUMBERS.iter().flat_map(named).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
