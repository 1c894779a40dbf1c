//! Reading systems.

use super::Sexp;
use super::expr::{Scope, sort, term};
use crate::chc::{Atom, Clause, PredId, Predicate, System};
use crate::{Term, Terms};
use std::collections::BTreeMap;

/// The system that a script asserts.
pub fn read(terms: &mut Terms, text: &str) -> Result<System, String> {
    let mut reader =
        Reader { terms, system: System::default(), preds: BTreeMap::new(), scope: Scope::default() };
    for command in super::parse(text)? {
        reader.command(&command)?;
    }
    Ok(reader.system)
}

struct Reader<'t> {
    terms: &'t mut Terms,
    system: System,
    preds: BTreeMap<String, PredId>,
    scope: Scope,
}

impl Reader<'_> {
    fn command(&mut self, command: &Sexp) -> Result<(), String> {
        let list = command.list().ok_or_else(|| format!("{} is no command", command.text()))?;
        match (list.first().and_then(Sexp::word).unwrap_or_default(), list) {
            ("set-logic", [_, logic]) if logic.word() != Some("HORN") => {
                Err(format!("the logic is {}, not HORN", logic.text()))
            }
            (
                "set-logic" | "set-info" | "set-option" | "check-sat" | "get-model" | "exit" | "get-proof",
                _,
            ) => Ok(()),
            ("declare-fun", [_, name, params, result]) => self.declare(name, params, result),
            ("define-fun", [_, name, params, _, body]) => self.define(name, params, body),
            ("assert", [_, formula]) => self.assert(formula),
            _ => Err(format!("{} has no model here", command.text())),
        }
    }

    fn declare(&mut self, name: &Sexp, params: &Sexp, result: &Sexp) -> Result<(), String> {
        let name = name.word().ok_or("a predicate without name")?.to_owned();
        if result.word() != Some("Bool") {
            return Err(format!("{name} is a function, not a predicate"));
        }
        let mut symbols = Vec::new();
        for (n, s) in params.list().ok_or("a predicate without parameters")?.iter().enumerate() {
            let param = self.terms.var(&format!("{name}.{n}"), sort(s)?);
            symbols.extend(self.terms.as_var(param));
        }
        let family = self.system.predicates.len();
        let id = self.system.predicates.push(Predicate { name: name.clone(), params: symbols, family });
        match self.preds.insert(name.clone(), id) {
            None => Ok(()),
            Some(_) => Err(format!("{name} is declared twice")),
        }
    }

    fn define(&mut self, name: &Sexp, params: &Sexp, body: &Sexp) -> Result<(), String> {
        let name = name.word().ok_or("a definition without name")?.to_owned();
        let params = bindings(params)?;
        self.scope.defined.insert(name, (params, body.clone()));
        Ok(())
    }

    /// A clause: quantifiers in front, then an implication, a negation or a fact.
    fn assert(&mut self, formula: &Sexp) -> Result<(), String> {
        let mut scope = self.scope.clone();
        let mut clause = Parts::default();
        self.clause(formula, true, &mut scope, &mut clause)?;
        let constraint = self.terms.and(&clause.constraints);
        self.system.clauses.push(Clause { body: clause.body, constraint, head: clause.head });
        Ok(())
    }

    /// Reads `formula`, or its negation, as what a clause claims: everything that is given goes to the body.
    fn clause(
        &mut self,
        formula: &Sexp,
        positive: bool,
        scope: &mut Scope,
        clause: &mut Parts,
    ) -> Result<(), String> {
        if let Sexp::List(list) = formula {
            match (list.first().and_then(Sexp::word).unwrap_or_default(), list.as_slice(), positive) {
                ("forall", [_, vars, inner], true) | ("exists", [_, vars, inner], false) => {
                    for (name, of) in bindings(vars)? {
                        let n = self.system.clauses.len();
                        let var = self.terms.var(&format!("{name}?{n}?{of:?}"), of);
                        scope.names.insert(name, var);
                    }
                    return self.clause(inner, positive, scope, clause);
                }
                ("not", [_, inner], _) => return self.clause(inner, !positive, scope, clause),
                ("=>", [_, given @ .., then], true) => {
                    given.iter().try_for_each(|g| self.clause(g, false, scope, clause))?;
                    return self.clause(then, true, scope, clause);
                }
                ("or", [_, parts @ ..], true) | ("and", [_, parts @ ..], false) => {
                    return parts.iter().try_for_each(|p| self.clause(p, positive, scope, clause));
                }
                ("let", [_, bound, inner], _) if self.mentions(inner) || self.mentions(bound) => {
                    return self.let_clause(bound, inner, positive, scope, clause);
                }
                _ => {}
            }
        }
        if self.is_atom(formula) {
            let atom = self.atom(formula, scope)?;
            match positive {
                false => clause.body.push(atom),
                true if clause.head.is_none() => clause.head = Some(atom),
                true => return Err("a clause with two heads is not Horn".to_owned()),
            }
            return Ok(());
        }
        if self.mentions(formula) {
            return Err(format!("{} is not Horn, or not in a form that is read here", formula.text()));
        }
        let given = term(self.terms, scope, formula)?;
        if self.terms.sort(given) != crate::Sort::Bool {
            return Err(format!("{} is no formula", formula.text()));
        }
        clause.constraints.push(if positive { self.terms.not(given) } else { given });
        Ok(())
    }

    /// A `let` around atoms: values without atoms are bound as terms; a name for an atom is replaced by it.
    fn let_clause(
        &mut self,
        bound: &Sexp,
        inner: &Sexp,
        positive: bool,
        scope: &mut Scope,
        clause: &mut Parts,
    ) -> Result<(), String> {
        let mut body = inner.clone();
        let outer = scope.clone();
        for binding in bound.list().ok_or("let without bindings")? {
            let [Sexp::Word(name), value] = binding.list().ok_or("a binding should be a pair")? else {
                return Err("a binding should be a pair".to_owned());
            };
            if self.mentions(value) {
                body = replaced(&body, name, value);
            } else {
                let value = term(self.terms, &outer, value)?;
                scope.names.insert(name.clone(), value);
            }
        }
        self.clause(&body, positive, scope, clause)
    }

    fn is_atom(&self, s: &Sexp) -> bool {
        let head = match s {
            Sexp::Word(word) => Some(word.as_str()),
            Sexp::List(list) => list.first().and_then(Sexp::word),
        };
        head.is_some_and(|h| self.preds.contains_key(h))
    }

    fn mentions(&self, s: &Sexp) -> bool {
        self.is_atom(s) || s.list().is_some_and(|list| list.iter().any(|part| self.mentions(part)))
    }

    fn atom(&mut self, s: &Sexp, scope: &Scope) -> Result<Atom, String> {
        let (name, args) = match s {
            Sexp::Word(word) => (word.as_str(), &[][..]),
            Sexp::List(list) => (list[0].word().unwrap_or_default(), &list[1..]),
        };
        let pred = self.preds[name];
        let args: Vec<Term> = args.iter().map(|a| term(self.terms, scope, a)).collect::<Result<_, _>>()?;
        let params = &self.system.predicates[pred].params;
        let fits = params.len() == args.len()
            && params
                .iter()
                .zip(&args)
                .all(|(p, a)| self.terms.sort(self.terms.var_of(*p)) == self.terms.sort(*a));
        if fits { Ok(Atom { pred, args }) } else { Err(format!("{} does not fit {name}", s.text())) }
    }
}

/// A clause under construction.
#[derive(Default)]
struct Parts {
    body: Vec<Atom>,
    constraints: Vec<Term>,
    head: Option<Atom>,
}

pub(super) fn bindings(s: &Sexp) -> Result<Vec<(String, crate::Sort)>, String> {
    let list = s.list().ok_or("quantified variables should be a list")?;
    let one = |binding: &Sexp| match binding.list() {
        Some([Sexp::Word(name), of]) => Ok((name.clone(), sort(of)?)),
        _ => Err(format!("{} declares no variable", binding.text())),
    };
    list.iter().map(one).collect()
}

fn replaced(s: &Sexp, name: &str, by: &Sexp) -> Sexp {
    match s {
        Sexp::Word(word) if word == name => by.clone(),
        Sexp::Word(_) => s.clone(),
        Sexp::List(list) => Sexp::List(list.iter().map(|part| replaced(part, name, by)).collect()),
    }
}
