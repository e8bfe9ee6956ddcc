//! Tests of the whole manager, on a machine in a vector.

use crate::fake::Fake;
use crate::mechanism::Mechanism;
use crate::state::enclosure::Enclosure;

mod activity_tests;
mod admission_tests;
mod code_tests;
mod delegation_sequences_tests;
mod delegation_tests;
mod exhaustion_tests;
mod frames_tests;
mod gate_tests;
mod healing_tests;
mod invariants_tests;
mod lifetime_tests;
mod look_tests;
mod model_tests;
mod protection_tests;
mod question_tests;
mod replacement_tests;
mod services_tests;
mod sharing_tests;
mod stack_tests;
mod stuck_tests;
mod world;

/// How domains of these tests are kept apart, and what brings itself for that.
const ENCLOSURE: Enclosure = Enclosure::SPACE;
const MECHANISMS: &[&dyn Mechanism<Fake>] = &[];

/// What holds of every domain, however it is kept apart: the same tests, for a mechanism that there is for tests only.
#[allow(clippy::duplicate_mod)]
mod of_another_mechanism {
    use super::*;

    mod mechanism;
    const ENCLOSURE: Enclosure = Enclosure::Other(0);
    const MECHANISMS: &[&dyn Mechanism<Fake>] = &[&mechanism::Elsewhere];

    #[path = "../admission_tests.rs"]
    mod admission_tests;
    #[path = "../lifetime_tests.rs"]
    mod lifetime_tests;
    #[path = "../question_tests.rs"]
    mod question_tests;
    #[path = "../replacement_tests.rs"]
    mod replacement_tests;
    #[path = "../services_tests.rs"]
    mod services_tests;
    #[path = "../sharing_tests.rs"]
    mod sharing_tests;
    #[path = "../stack_tests.rs"]
    mod stack_tests;
    #[path = "../world.rs"]
    #[allow(dead_code)]
    mod world;
}
