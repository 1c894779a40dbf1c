//! Which conditions of a path matter to a query.

use crate::term::{Symbol, Term, Terms};
use rustc_hash::FxHashSet;

/// The new conditions, and those of a path that are connected to them through variables, directly or through others.
///
/// If the path itself can be executed, path and new conditions can be satisfied together if and only if the connected ones can: the
/// rest shares no variable with them.
pub fn connected(terms: &Terms, new: &[Term], path: &[Term]) -> Vec<Term> {
    let with_variables = path.iter().map(|&c| (c, terms.free_vars(c))).collect();
    connected_among(new, new.iter().flat_map(|&c| terms.free_vars(c)).collect(), with_variables)
}

/// The same, for callers that have the variables at hand: those of the new conditions, and of each condition of the path.
pub fn connected_among<V: AsRef<[Symbol]>>(
    new: &[Term],
    mut touched: FxHashSet<Symbol>,
    mut path: Vec<(Term, V)>,
) -> Vec<Term> {
    let mut chosen = new.to_vec();
    loop {
        let before = chosen.len();
        path.retain(|(condition, variables)| {
            let apart = variables.as_ref().iter().all(|x| !touched.contains(x));
            if !apart {
                chosen.push(*condition);
                touched.extend(variables.as_ref());
            }
            apart
        });
        if chosen.len() == before {
            return chosen;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Sort;

    #[test]
    fn conditions_are_connected_through_others() {
        let mut terms = Terms::new();
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| terms.var(name, Sort::Bits(4)));
        let (ab, bc, dd) = (terms.ult(a, b), terms.ult(b, c), {
            let one = terms.constant(1, 4);
            terms.ult(d, one)
        });
        let zero = terms.constant(0, 4);
        let new = terms.eq(c, zero);
        assert_eq!(connected(&terms, &[new], &[ab, dd, bc]), vec![new, bc, ab]);
    }
}
