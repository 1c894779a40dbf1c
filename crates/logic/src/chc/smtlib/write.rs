//! Writing systems, solutions and derivations. Terms are written out as trees by [`crate::term`]; shared parts are repeated.

use crate::chc::{Atom, Derivation, Solution, System};
use crate::term::{quoted, smtlib_sort};
use crate::{Sort, Terms, Value};
use std::fmt::Write;

/// A system as a script.
pub fn show_system(terms: &Terms, system: &System) -> String {
    let mut text = String::from("(set-logic HORN)\n");
    for predicate in system.predicates.iter() {
        let sorts: Vec<String> =
            predicate.params.iter().map(|p| smtlib_sort(terms.sort(terms.var_of(*p)))).collect();
        let _ = writeln!(text, "(declare-fun {} ({}) Bool)", quoted(&predicate.name), sorts.join(" "));
    }
    for clause in &system.clauses {
        let variables = system.variables(terms, clause);
        let vars: Vec<String> = variables
            .iter()
            .map(|x| format!("({} {})", quoted(terms.name(*x)), smtlib_sort(terms.sort(terms.var_of(*x)))))
            .collect();
        let mut body: Vec<String> = clause.body.iter().map(|a| atom(terms, system, a)).collect();
        body.push(terms.smtlib_tree(clause.constraint));
        let head = clause.head.as_ref().map_or("false".to_owned(), |h| atom(terms, system, h));
        let implication = format!("(=> (and {}) {head})", body.join(" "));
        let _ = match vars.is_empty() {
            true => writeln!(text, "(assert {implication})"),
            false => writeln!(text, "(assert (forall ({}) {implication}))", vars.join(" ")),
        };
    }
    text.push_str("(check-sat)\n");
    text
}

/// A solution as definitions.
pub fn show_solution(terms: &Terms, system: &System, solution: &Solution) -> String {
    let mut text = String::from("(\n");
    for (id, predicate) in system.predicates.iter_enumerated() {
        let params: Vec<String> = predicate
            .params
            .iter()
            .map(|p| format!("({} {})", quoted(terms.name(*p)), smtlib_sort(terms.sort(terms.var_of(*p)))))
            .collect();
        let (name, body) = (quoted(&predicate.name), terms.smtlib_tree(solution[id]));
        let _ = writeln!(text, "  (define-fun {name} ({}) Bool\n    {body})", params.join(" "));
    }
    text.push_str(")\n");
    text
}

/// A derivation, one fact a line.
pub fn show_derivation(terms: &Terms, system: &System, derivation: &Derivation) -> String {
    let mut text = String::new();
    for (n, step) in derivation.iter().enumerate() {
        let clause = &system.clauses[step.clause];
        let mut model = crate::Model::default();
        step.values.iter().for_each(|(x, value)| model.set(*x, value.clone()));
        let fact = match &clause.head {
            None => "false".to_owned(),
            Some(head) => {
                let values = head.args.iter().map(|a| value(&terms.eval(*a, &model), terms.sort(*a)));
                let values: Vec<String> = values.collect();
                format!("{}({})", system.predicates[head.pred].name, values.join(", "))
            }
        };
        let premises: Vec<String> = step.premises.iter().map(|p| p.to_string()).collect();
        let from = if premises.is_empty() { String::new() } else { format!(" from {}", premises.join(", ")) };
        let _ = writeln!(text, "; {n}: {fact} by clause {}{from}", step.clause);
    }
    text
}

fn value(value: &Value, of: Sort) -> String {
    match (value, of) {
        (Value::Bool(b), _) => b.to_string(),
        (Value::Bits(bits), _) => bits.to_string(),
        (Value::Array(array), _) => format!("[{} entries, else {}]", array.entries.len(), array.default),
    }
}

fn atom(terms: &Terms, system: &System, atom: &Atom) -> String {
    let name = quoted(&system.predicates[atom.pred].name);
    match atom.args.is_empty() {
        true => name,
        false => {
            let args: Vec<String> = atom.args.iter().map(|a| terms.smtlib_tree(*a)).collect();
            format!("({name} {})", args.join(" "))
        }
    }
}
