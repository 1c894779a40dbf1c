//! Domains against evaluation, verdicts of small programs in every configuration, and proofs that were tampered with.

mod domains;
mod lies;
mod ranges;
mod verdicts;
