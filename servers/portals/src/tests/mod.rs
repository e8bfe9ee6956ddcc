//! Tests of the whole manager, on a machine in a vector.

mod admission_tests;
mod code_tests;
mod exhaustion_tests;
mod frames_tests;
mod lifetime_tests;
mod model_tests;
mod protection_tests;
mod question_tests;
mod services_tests;
mod sharing_tests;
mod stack_tests;
mod world;
