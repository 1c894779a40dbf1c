//! Constrained Horn clauses: `p(s) ∧ … ∧ q(t) ∧ constraint → head`, where `p`, `q`, … are unknown predicates.
//!
//! A [`System`] is a set of clauses. It has a *solution* if the unknown predicates can be given meanings that make every
//! clause true; a clause without head is a *query*: its body must be impossible. Proof rules of verification are such
//! systems: invariants are the unknowns.
//!
//! # Conventions
//! - All variables of a clause are universally quantified; variables of different clauses have nothing to do with each other,
//!   even if they have the same name.
//! - A [`Predicate`]'s meaning is a term over its [`params`](Predicate::params); an [`Atom`]'s meaning is that term with the atom's
//!   arguments in place of the parameters ([`System::meaning`]).

use crate::term::{Symbol, Term, Terms};
use base::{IdxVec, id_type};
use rustc_hash::FxHashMap;

id_type!(
    /// An unknown predicate.
    PredId,
    "p"
);

/// An unknown predicate.
#[derive(Clone, Debug)]
pub struct Predicate {
    /// Its name, for people; unique.
    pub name: String,
    /// The variables that its meaning is written in, all different.
    pub params: Vec<Symbol>,
    /// Predicates of one family are about the same things at different places: what is worth knowing of one is worth knowing of all.
    pub family: usize,
}

/// A predicate applied to arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Atom {
    /// The predicate.
    pub pred: PredId,
    /// As many terms as it has parameters, of their sorts.
    pub args: Vec<Term>,
}

/// An implication.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clause {
    /// What is given.
    pub body: Vec<Atom>,
    /// And this.
    pub constraint: Term,
    /// What follows; nothing for a query, whose body must be impossible.
    pub head: Option<Atom>,
}

/// A set of clauses.
#[derive(Clone, Default, Debug)]
pub struct System {
    /// The unknown predicates.
    pub predicates: IdxVec<PredId, Predicate>,
    /// The clauses.
    pub clauses: Vec<Clause>,
}

/// A meaning for every predicate, over its parameters.
pub type Solution = IdxVec<PredId, Term>;

/// One use of a clause in a derivation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Derived {
    /// The clause.
    pub clause: usize,
    /// Which earlier facts its body atoms are, in order.
    pub premises: Vec<usize>,
    /// The values of the clause's variables; those not mentioned are zero.
    pub values: Vec<(Symbol, crate::term::Value)>,
}

/// A derivation of a contradiction: facts in order, the last one by a query.
pub type Derivation = Vec<Derived>;

impl System {
    /// The meaning of an atom if its predicate means `formula`.
    pub fn meaning(&self, terms: &mut Terms, formula: Term, atom: &Atom) -> Term {
        let params = &self.predicates[atom.pred].params;
        let map: FxHashMap<Symbol, Term> = params.iter().copied().zip(atom.args.iter().copied()).collect();
        terms.substitute(formula, &map)
    }

    /// The variables of a clause, ordered.
    pub fn variables(&self, terms: &Terms, clause: &Clause) -> Vec<Symbol> {
        let atoms = clause.body.iter().chain(&clause.head);
        let args = atoms.flat_map(|a| a.args.iter().copied());
        let mut all: Vec<Symbol> = args.chain([clause.constraint]).flat_map(|t| terms.free_vars(t)).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}
