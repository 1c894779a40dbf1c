//! Formulas that belong to no pool of terms.
//!
//! An engine's terms are numbers in its own pool ([`Terms`]), whose entries it has simplified, and perhaps damaged. Evidence therefore spells its formulas
//! out: [`Formulas`] is a list of nodes in topological order, in which variables are named by their texts. [`FormulaWriter`] makes it from an engine's pool;
//! [`Formulas::rebuild`] makes the same formulas in another pool, node by node and through that pool's own simplification. Both are linear in the number of
//! nodes and do not recurse.
//!
//! # Names
//! A state variable's text is unique (`semantics::encoding::Names`), so that a variable of the list is the state variable of that text in whichever pool.
//! Rebuilding makes no variables: a text that the pool does not know, or knows with another sort, is an error. Who rebuilds has to encode the program first.

use logic::{Op, Sort, Term, Terms, Width};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

base::id_type!(
    /// A formula (or term) of a list.
    FormulaId,
    "f"
);

/// One node of a formula.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum FormulaNode {
    /// A truth value.
    Bool(bool),
    /// A bit-vector.
    Constant {
        /// Its value.
        value: u128,
        /// Its width, from 1 to 128.
        width: Width,
    },
    /// A state variable.
    Variable {
        /// Its unique text.
        name: String,
        /// What its values are.
        sort: Sort,
    },
    /// An operation on earlier nodes.
    Apply(Op, Vec<FormulaId>),
}

/// Formulas, spelt out: operands come before the operations on them.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Formulas {
    nodes: Vec<FormulaNode>,
}

/// The formulas of a list in a pool of terms.
pub struct Rebuilt {
    terms: Vec<Term>,
}

impl Formulas {
    /// Appends a node.
    pub fn push(&mut self, node: FormulaNode) -> FormulaId {
        self.nodes.push(node);
        base::Idx::new(self.nodes.len() - 1)
    }

    /// Appends a truth constant.
    pub fn truth(&mut self, value: bool) -> FormulaId {
        self.push(FormulaNode::Bool(value))
    }

    /// The nodes, operands first.
    pub fn nodes(&self) -> &[FormulaNode] {
        &self.nodes
    }

    /// Makes the variables of the list in `terms`, for a reader that does not encode the program. Their sorts should be those of the encoding, as in a proof
    /// that passed its check.
    pub fn declare(&self, terms: &mut Terms) {
        for node in &self.nodes {
            if let FormulaNode::Variable { name, sort } = node {
                terms.var(name, *sort);
            }
        }
    }

    /// The same formulas in `terms`, which should know all variables. The error says what does not fit.
    pub fn rebuild(&self, terms: &mut Terms) -> Result<Rebuilt, String> {
        let mut rebuilt = Rebuilt { terms: Vec::with_capacity(self.nodes.len()) };
        let mut operands = Vec::new();
        for node in &self.nodes {
            let term = match node {
                FormulaNode::Bool(value) => terms.truth(*value),
                FormulaNode::Constant { value, width } if (1..=128).contains(width) => {
                    terms.constant(*value, *width)
                }
                FormulaNode::Constant { width, .. } => return Err(format!("a constant of {width} bits")),
                FormulaNode::Variable { name, sort } => {
                    let known = terms.known_var(name).filter(|x| terms.sort(*x) == *sort);
                    known.ok_or_else(|| format!("there is no variable {name} of sort {sort:?}"))?
                }
                FormulaNode::Apply(op, ids) => {
                    operands.clear();
                    for id in ids {
                        operands.push(rebuilt.get(*id)?);
                    }
                    let applied = terms.apply_checked(*op, &operands);
                    applied.ok_or_else(|| format!("{op:?} does not fit its operands"))?
                }
            };
            rebuilt.terms.push(term);
        }
        Ok(rebuilt)
    }
}

impl Rebuilt {
    /// The term of a formula; the error says that there is none.
    pub fn get(&self, id: FormulaId) -> Result<Term, String> {
        self.terms.get(base::Idx::index(id)).copied().ok_or_else(|| format!("there is no formula {id}"))
    }
}

/// Spells terms of a pool out.
pub struct FormulaWriter<'t> {
    terms: &'t Terms,
    ids: FxHashMap<Term, FormulaId>,
    formulas: Formulas,
}

impl<'t> FormulaWriter<'t> {
    /// Nothing is written yet.
    pub fn new(terms: &'t Terms) -> Self {
        Self { terms, ids: FxHashMap::default(), formulas: Formulas::default() }
    }

    /// Writes a term, unless it was written before.
    pub fn write(&mut self, term: Term) -> FormulaId {
        let mut open = vec![(term, false)];
        while let Some((t, operands_are_written)) = open.pop() {
            if self.ids.contains_key(&t) {
                continue;
            }
            if operands_are_written || self.terms.kids(t).is_empty() {
                let node = self.node(t);
                let id = self.formulas.push(node);
                self.ids.insert(t, id);
            } else {
                open.push((t, true));
                open.extend(self.terms.kids(t).iter().map(|kid| (*kid, false)));
            }
        }
        self.ids[&term]
    }

    fn node(&self, term: Term) -> FormulaNode {
        let terms = self.terms;
        match terms.op(term) {
            Op::Bool(value) => FormulaNode::Bool(value),
            Op::Const(value) => FormulaNode::Constant { value, width: terms.width(term) },
            Op::Var(symbol) => {
                FormulaNode::Variable { name: terms.name(symbol).to_owned(), sort: terms.sort(term) }
            }
            op => FormulaNode::Apply(op, terms.kids(term).iter().map(|kid| self.ids[kid]).collect()),
        }
    }

    /// What was written.
    pub fn finish(self) -> Formulas {
        self.formulas
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_the_same_in_another_pool() {
        let mut terms = Terms::new();
        let (x, y) = (terms.var("x", Sort::Bits(8)), terms.var("y", Sort::Bits(8)));
        let (sum, product) = (terms.add(x, y), terms.mul(x, y));
        let (less, same) = (terms.ult(sum, product), terms.eq(x, y));
        let both = terms.and2(less, same);
        let mut writer = FormulaWriter::new(&terms);
        let (id, again) = (writer.write(both), writer.write(both));
        assert_eq!(id, again);
        let formulas = writer.finish();
        let mut other = Terms::new();
        // The variables are met in another order.
        let (y, x) = (other.var("y", Sort::Bits(8)), other.var("x", Sort::Bits(8)));
        let (product, sum) = (other.mul(y, x), other.add(y, x));
        let (same, less) = (other.eq(y, x), other.ult(sum, product));
        let both = other.and2(same, less);
        let rebuilt = formulas.rebuild(&mut other).and_then(|rebuilt| rebuilt.get(id));
        assert_eq!(rebuilt, Ok(both));
        let json = serde_json::to_string(&formulas).expect("formulas should be serialisable");
        assert_eq!(serde_json::from_str::<Formulas>(&json).ok(), Some(formulas));
    }

    #[test]
    fn what_does_not_fit_is_an_error() {
        let variable = |sort| FormulaNode::Variable { name: "x".to_owned(), sort };
        let wrong = [
            vec![variable(Sort::Bits(4))],
            vec![FormulaNode::Variable { name: "y".to_owned(), sort: Sort::Bits(8) }],
            vec![FormulaNode::Constant { value: 0, width: 0 }],
            vec![FormulaNode::Apply(Op::Not, vec![FormulaId(0)])],
            vec![variable(Sort::Bits(8)), FormulaNode::Apply(Op::Not, vec![FormulaId(0)])],
        ];
        for nodes in wrong {
            let mut terms = Terms::new();
            terms.var("x", Sort::Bits(8));
            assert!(Formulas { nodes: nodes.clone() }.rebuild(&mut terms).is_err(), "{nodes:?}");
        }
    }
}
