//! Passes: from a program to a program.
//!
//! | pass | keeps |
//! |---|---|
//! | [`recursion`] | infinite executions: the result terminates only if the original does |

pub mod recursion;

pub use recursion::without_recursion;
