//! A SAT solver that lies, for tests of the checkers (cargo feature `faults`, never part of the product).
//!
//! While a [`Lies`] lives, searches of this thread that find a model answer `Unsat` instead, every so often. What such an answer comes
//! with is one of [`Forgery`]: a solver with a bug would hand over one of these.

use super::derivation::{ClauseId, DerivationLog, Lit};
use base::Random;
use std::cell::RefCell;

/// The derivation of a wrong answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Forgery {
    /// There is none.
    Nothing,
    /// The clause that the answer needs, without hints.
    NoHints,
    /// The same clause, with ids of random clauses as hints.
    RandomHints,
    /// The empty clause, from random hints.
    Contradiction,
}

/// Makes the searches of this thread lie, until it is dropped.
pub struct Lies(());

struct State {
    random: Random,
    one_in: u64,
    forgery: Forgery,
    n_told: u64,
}

thread_local! {
    static STATE: RefCell<Option<State>> = const { RefCell::new(None) };
}

impl Lies {
    /// One in `one_in` models becomes an `Unsat`.
    pub fn tell(seed: u64, one_in: u64, forgery: Forgery) -> Self {
        STATE.with_borrow_mut(|s| *s = Some(State { random: Random(seed), one_in, forgery, n_told: 0 }));
        Lies(())
    }

    /// How many lies this thread has told.
    pub fn n_told(&self) -> u64 {
        STATE.with_borrow(|s| s.as_ref().map_or(0, |s| s.n_told))
    }
}

impl Drop for Lies {
    fn drop(&mut self) {
        STATE.with_borrow_mut(|s| *s = None);
    }
}

/// Decides whether the next model becomes an `Unsat` of the assumptions `core`; then the log gets a forged derivation.
pub(super) fn lies(core: &[Lit], log: Option<&mut Box<dyn DerivationLog>>) -> bool {
    STATE.with_borrow_mut(|state| {
        let Some(state) = state else { return false };
        if state.random.below(state.one_in) != 0 {
            return false;
        }
        state.n_told += 1;
        if let Some(log) = log {
            let clause: Vec<Lit> = core.iter().map(|&lit| !lit).collect();
            let mut hint = || ClauseId(u32::try_from(state.random.below(200)).unwrap_or_default());
            let hints: Vec<ClauseId> = (0..20).map(|_| hint()).collect();
            match state.forgery {
                Forgery::Nothing => {}
                Forgery::NoHints => _ = log.derive(&clause, &[]),
                Forgery::RandomHints => _ = log.derive(&clause, &hints),
                Forgery::Contradiction => _ = log.derive(&[], &hints),
            }
        }
        true
    })
}
