//! Proves multi-threaded C programs correct, or shows the interleaving that breaks them.
//!
//! A [`Verifier`] decides whether a C program keeps a [`Property`] under every schedule and every input. Its [`Report`] holds the
//! [`Verdict`] and what there is to say about it: the counterexample, the explanation of the proof, the assumptions.
//!
//! ```
//! use threadproof::{Options, Property, Verdict, Verifier};
//!
//! let folder = tempfile::tempdir()?;
//! let file = folder.path().join("lost_update.c");
//! std::fs::write(&file, r#"
//!     #include <assert.h>
//!     #include <pthread.h>
//!     int counter;
//!     void *increment(void *arg) { int old = counter; counter = old + 1; return 0; }
//!     int main(void) {
//!         pthread_t a, b;
//!         pthread_create(&a, 0, increment, 0);
//!         pthread_create(&b, 0, increment, 0);
//!         pthread_join(a, 0);
//!         pthread_join(b, 0);
//!         assert(counter == 2);
//!     }"#)?;
//!
//! let report = Verifier::new(Options::default()).verify(&[file], Property::UnreachCall);
//! assert_eq!(report.verdict, Verdict::Violated(Property::UnreachCall));
//! let lanes = report.counterexample.expect("a violation should have a counterexample");
//! assert_eq!(lanes.threads, ["main", "increment#1", "increment#2"]);
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! No verdict leaves unchecked: a counterexample has been replayed, and a proof has passed a checker that does not know the engines.
//!
//! # What to depend on
//! This crate is the façade: [`Verifier`], [`Options`], [`Report`], [`Verdict`] and [`Property`] are what embedders use. The other crates
//! of the workspace (`threadproof-engines`, `threadproof-report`, …) are its parts, have short names of libraries (`engines`, `report`) and
//! change without notice, so they are no dependencies of others; what an embedder needs of them is found here as [`engines`] (the engines' options) and [`output`] (diagnostics, thread lanes, explanations).
//!
//! | module | does |
//! |---|---|
//! | [`options`] | what can be chosen, as a value and as options of a command line |
//! | [`mod@property`], [`units`] | properties, times and sizes as texts |
//! | [`Reading`] | a program that is read once and asked about more than once |
//! | [`project`] | which files are the program: compilation databases, lists of units |
//! | [`load`] | from file names to a program |
//! | [`verify`] | load, search, check, report |
//! | [`several`] | several properties of one program, and what is checked if none is named |
//! | [`Blocker`], `chosen`, `inexact` | what stands in the way of a verdict, and what a counterexample takes for granted |
//! | [`Certificate`] | the evidence of an answer as a file, checked again |
//! | [`baseline`] | violations that are known already |
//! | `cache` | answers that were given before, with their evidence |
//! | [`replay`] | a counterexample as a native program |
//! | [`witness`] | witnesses of SV-COMP, written and validated |
//! | `fences` | which fences make a program robust |
//! | `user_model` | `--memory-model`: a model by name, or a file in herd's language |
//! | `memory_models` | what a verdict under sequential consistency is worth under weak models |
//! | `boundary` | time, memory, cancellation and panics around the work |
//! | [`report`](Report), [`verdict`], [`exit`] | what is known in the end, as text and as JSON |

#![cfg_attr(
    not(test),
    warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)
)]

pub mod baseline;
mod blockers;
mod boundary;
mod cache;
mod certificate;
mod certified;
mod chosen;
mod environment;
pub mod exit;
mod fences;
mod implementation;
mod inexact;
pub mod load;
mod memory_models;
pub mod options;
pub mod project;
pub mod property;
mod reading;
pub mod replay;
mod result;
mod reuse;
pub mod several;
mod single_checks;
pub mod units;
mod user_model;
pub mod verdict;
pub mod verify;
pub mod witness;

pub use base::{Inconclusive, Stats};
pub use baseline::Baseline;
pub use blockers::Blocker;
pub use boundary::Status;
pub use certificate::Certificate;
pub use engines;
pub use exit::Exit;
pub use options::{EngineName, Options, SearchOptions, SourceOptions};
pub use program::Property;
pub use reading::Reading;
pub use report as output;
pub use result::Report;
pub use verdict::Verdict;
pub use verify::Verifier;
