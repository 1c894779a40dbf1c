//! What threadproof says and how: diagnostics as values, counterexamples as thread lanes, proofs as facts about the source.
//!
//! | module | does |
//! |---|---|
//! | [`diagnostic`] | a message about the input as a value |
//! | [`snippet`] | shows a diagnostic as text, as `rustc` does |
//! | [`minimise`] | takes needless context switches out of a counterexample |
//! | [`narrate`] | turns an execution of the interpreter into thread lanes |
//! | [`lanes`] | shows an execution of several threads: a column per thread |
//! | [`mod@explain`] | turns a proof into facts about the source |
//! | [`invariants`] | shows why a program is safe: what holds where |
//! | [`sources`] | finds the text of source lines |
//! | [`json`] | metrics for programs; all other values declare their JSON form themselves |
//! | [`summary`] | all answers about a program, for the formats that other programs read |
//! | [`sarif`], [`junit`], [`github`], [`html`] | these formats |
//! | [`witness`] | the format in which verifiers hand their evidence to validators |
//! | [`progress`] | one line on a terminal that is gone when the work is done |
//! | [`terminal`] | how wide the output is and whether it has colours |
//!
//! Everything but [`progress`] turns values into strings and prints nothing. This crate knows nothing of engines and of the checker: a
//! counterexample is replayed by a function that the caller hands in.

#![cfg_attr(
    not(test),
    warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)
)]

pub mod checks;
pub mod diagnostic;
pub mod explain;
pub mod foreign;
pub mod github;
pub mod html;
pub mod invariants;
pub mod json;
pub mod junit;
pub mod lanes;
pub mod minimise;
pub mod narrate;
pub mod progress;
pub mod sarif;
pub mod snippet;
pub mod sources;
pub mod summary;
pub mod terminal;
pub mod witness;

pub use checks::Checks;
pub use diagnostic::{Diagnostic, Level};
pub use explain::explain;
pub use invariants::Explanation;
pub use lanes::Lanes;
pub use minimise::minimise_context_switches;
pub use narrate::graph::GraphNarrator;
pub use narrate::{Narrator, narrate_trace};
pub use sources::Sources;
pub use summary::Summary;
pub use terminal::TerminalStyle;
