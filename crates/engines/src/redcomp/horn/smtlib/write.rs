//! Writing systems, solutions and derivations. Terms are written out as trees; shared parts are repeated.

use logic::horn::{Atom, Derivation, Solution, System};
use logic::{Op, Sort, Term, Terms, Value};
use std::fmt::Write;

/// A system as a script.
pub fn show_system(terms: &Terms, system: &System) -> String {
    let mut text = String::from("(set-logic HORN)\n");
    for predicate in system.predicates.iter() {
        let sorts: Vec<String> =
            predicate.params.iter().map(|p| sort(terms.sort(terms.var_of(*p)))).collect();
        let _ = writeln!(text, "(declare-fun {} ({}) Bool)", quoted(&predicate.name), sorts.join(" "));
    }
    for clause in &system.clauses {
        let variables = system.variables(terms, clause);
        let vars: Vec<String> = variables
            .iter()
            .map(|x| format!("({} {})", quoted(terms.name(*x)), sort(terms.sort(terms.var_of(*x)))))
            .collect();
        let mut body: Vec<String> = clause.body.iter().map(|a| atom(terms, system, a)).collect();
        body.push(show(terms, clause.constraint));
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
            .map(|p| format!("({} {})", quoted(terms.name(*p)), sort(terms.sort(terms.var_of(*p)))))
            .collect();
        let (name, body) = (quoted(&predicate.name), show(terms, solution[id]));
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
        let mut model = logic::Model::default();
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
            let args: Vec<String> = atom.args.iter().map(|a| show(terms, *a)).collect();
            format!("({name} {})", args.join(" "))
        }
    }
}

fn quoted(name: &str) -> String {
    let simple = |c: char| c.is_ascii_alphanumeric() || "_.!@$%^&*-+=<>?/~".contains(c);
    let starts_well = name.chars().next().is_some_and(|c| !c.is_ascii_digit());
    if starts_well && name.chars().all(simple) { name.to_owned() } else { format!("|{name}|") }
}

fn sort(sort: Sort) -> String {
    match sort {
        Sort::Bool => "Bool".to_owned(),
        Sort::Bits(width) => format!("(_ BitVec {width})"),
        Sort::Array { index, element } => format!("(Array (_ BitVec {index}) (_ BitVec {element}))"),
    }
}

fn show(terms: &Terms, t: Term) -> String {
    let head = match terms.op(t) {
        Op::Bool(b) => return b.to_string(),
        Op::Const(c) => return format!("(_ bv{c} {})", terms.width(t)),
        Op::Var(x) => return quoted(terms.name(x)),
        Op::Not => "not".to_owned(),
        Op::And => "and".to_owned(),
        Op::Eq => "=".to_owned(),
        Op::Ite => "ite".to_owned(),
        Op::BitNot => "bvnot".to_owned(),
        Op::BitAnd => "bvand".to_owned(),
        Op::BitOr => "bvor".to_owned(),
        Op::BitXor => "bvxor".to_owned(),
        op @ (Op::Concat | Op::Select | Op::Store) => format!("{op:?}").to_lowercase(),
        Op::Extract { hi, lo } => format!("(_ extract {hi} {lo})"),
        Op::Zext(to) => format!("(_ zero_extend {})", to - terms.width(terms.kid(t, 0))),
        Op::Sext(to) => format!("(_ sign_extend {})", to - terms.width(terms.kid(t, 0))),
        Op::ConstArray(_) => format!("(as const {})", sort(terms.sort(t))),
        op => format!("bv{}", format!("{op:?}").to_lowercase()),
    };
    let kids: Vec<String> = terms.kids(t).iter().map(|k| show(terms, *k)).collect();
    format!("({head} {})", kids.join(" "))
}
