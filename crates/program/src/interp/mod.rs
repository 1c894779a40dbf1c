//! Under construction.
pub mod value;
