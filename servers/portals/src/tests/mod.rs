//! Tests of the whole manager, on a machine in a vector.

mod exhaustion_tests;
mod lifetime_tests;
mod model_tests;
mod world;
