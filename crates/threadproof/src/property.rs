//! Properties by name or by SV-COMP property file.
//!
//! Such a file holds lines like `CHECK( init(main()), LTL(G ! call(reach_error())) )`, the start of the program and a formula. Formulas
//! may be conjunctions, and files may have several lines, as long as all parts belong to one property, as the three of
//! `valid-memsafety` do.
//!
//! | formula | property |
//! |---|---|
//! | `G ! call(f())` | `unreach-call`, with calls of `f` as errors |
//! | `G ! label(L)` | `unreach-call`, with the label `L` as error |
//! | `G ! deadlock`, `G ! overflow`, `G ! data-race`, `F end` | as they say |
//! | `G valid-free`, `G valid-deref`, `G valid-memtrack`, `G valid-memcleanup` | as they say; several of the first three are `valid-memsafety` |
//!
//! A file that names `reach_error` or `__VERIFIER_error` means what the property's name means: assertions that fail are errors, too, since
//! the benchmarks define these functions by an assertion. Any other name says exactly what counts as an error.

use frontend::Errors;
use program::Property;
use std::path::Path;

/// What is asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Asked {
    /// The property.
    pub property: Property,
    /// What counts as an error for `unreach-call`.
    pub errors: Errors,
    /// The function where the program starts, if the question says so.
    pub entry: Option<String>,
    /// True if undefined behaviour is assumed away: the rules of SV-COMP, whose files ask like this, say that there is none unless the property is about it.
    pub assume_defined: bool,
}

impl From<Property> for Asked {
    fn from(property: Property) -> Self {
        Self { property, errors: Errors::default(), entry: None, assume_defined: false }
    }
}

/// A property's name, or what a `.prp` file asks for.
pub fn parse(text: &str) -> Result<Asked, String> {
    if text.ends_with(".prp") {
        return from_file(Path::new(text));
    }
    from_name(text).map(Asked::from).ok_or_else(|| {
        let names: Vec<&str> = Property::ALL.iter().map(|(_, name)| *name).collect();
        format!("there is no such property; there are {} and .prp files", names.join(", "))
    })
}

/// A property's name, or the property that a `.prp` file is about.
pub fn parse_kind(text: &str) -> Result<Property, String> {
    parse(text).map(|asked| asked.property)
}

/// The property called `name` on the command line.
pub fn from_name(name: &str) -> Option<Property> {
    Property::ALL.iter().find(|(_, n)| *n == name).map(|(property, _)| *property)
}

/// What a file asks for.
pub fn from_file(path: &Path) -> Result<Asked, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("cannot read the property file: {e}"))?;
    from_text(&text)
}

/// What the text of a property file asks for.
pub fn from_text(text: &str) -> Result<Asked, String> {
    let mut parts = Vec::new();
    let mut entry: Option<String> = None;
    for line in text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with("//")) {
        let start = from_check(line, &mut parts)?;
        if entry.as_ref().is_some_and(|entry| *entry != start) {
            return Err("the file names more than one function where the program starts".into());
        }
        entry = Some(start);
    }
    let Some(property) = parts.first().map(Part::property) else {
        return Err("the property file is empty".into());
    };
    let all = |holds: fn(Property) -> bool| parts.iter().all(|part| holds(part.property()));
    let property = match property {
        _ if parts.iter().all(|part| part.property() == property) => property,
        _ if all(|part| Property::ValidMemsafety.includes(part)) => Property::ValidMemsafety,
        _ => return Err("the file asks for more than one property".into()),
    };
    let entry = entry.filter(|entry| entry != "main");
    Ok(Asked { property, errors: errors(parts), entry, assume_defined: true })
}

/// A part of a conjunction.
#[derive(PartialEq, Eq, Debug)]
enum Part {
    /// The function is not called.
    Call(String),
    /// The label is not reached.
    Label(String),
    Other(Property),
}

impl Part {
    fn property(&self) -> Property {
        match self {
            Part::Call(_) | Part::Label(_) => Property::UnreachCall,
            Part::Other(property) => *property,
        }
    }
}

fn errors(parts: Vec<Part>) -> Errors {
    let mut errors = Errors { assertions: false, ..Errors::default() };
    for part in parts {
        match part {
            Part::Call(name) if name == "reach_error" || name == "__VERIFIER_error" => {
                errors.assertions = true
            }
            Part::Call(name) => errors.functions.push(name),
            Part::Label(name) => errors.labels.push(name),
            Part::Other(_) => errors.assertions = true,
        }
    }
    errors
}

/// Formulas, without spaces, and what they mean.
const FORMULAS: [(&str, Property); 8] = [
    ("G!deadlock", Property::NoDeadlock),
    ("G!overflow", Property::NoOverflow),
    ("G!data-race", Property::NoDataRace),
    ("Fend", Property::Termination),
    ("Gvalid-free", Property::ValidFree),
    ("Gvalid-deref", Property::ValidDeref),
    ("Gvalid-memtrack", Property::ValidMemtrack),
    ("Gvalid-memcleanup", Property::ValidMemcleanup),
];

/// What is asked as a formula of SV-COMP, without its frame; `None` if there is none.
pub fn formula(asked: &Asked) -> Option<String> {
    Some(match asked.property {
        Property::UnreachCall => match (&asked.errors.functions[..], &asked.errors.labels[..]) {
            ([], []) => "G ! call(reach_error())".to_owned(),
            ([function], []) => format!("G ! call({function}())"),
            ([], [label]) => format!("G ! label({label})"),
            _ => return None,
        },
        Property::ValidMemsafety => "(G valid-free) & (G valid-deref) & (G valid-memtrack)".to_owned(),
        Property::NoDeadlock => "G ! deadlock".to_owned(),
        Property::NoOverflow => "G ! overflow".to_owned(),
        Property::NoDataRace => "G ! data-race".to_owned(),
        Property::Termination => "F end".to_owned(),
        Property::ValidFree => "G valid-free".to_owned(),
        Property::ValidDeref => "G valid-deref".to_owned(),
        Property::ValidMemtrack => "G valid-memtrack".to_owned(),
        Property::ValidMemcleanup => "G valid-memcleanup".to_owned(),
        Property::UndefinedBehaviour | Property::Robustness => return None,
    })
}

/// Reads one line, adds its parts and returns the function where the program starts.
fn from_check(line: &str, parts: &mut Vec<Part>) -> Result<String, String> {
    let dense: String = line.chars().filter(|c| !c.is_whitespace()).collect();
    let not_understood = || format!("`{line}` is no property that threadproof knows");
    let inner = dense.strip_prefix("CHECK(").and_then(|l| l.strip_suffix(')')).ok_or_else(not_understood)?;
    let (start, formula) = inner.split_once(",LTL").ok_or_else(not_understood)?;
    let start =
        start.strip_prefix("init(").and_then(|start| start.strip_suffix("())")).ok_or_else(not_understood)?;
    let mut found = Vec::new();
    conjunction(formula, "", &mut found).ok_or_else(not_understood)?;
    parts.extend(found);
    Ok(start.to_owned())
}

/// The parts of a formula; an operator before brackets, `G` or `G!`, belongs to what stands in them.
fn conjunction(formula: &str, operator: &str, parts: &mut Vec<Part>) -> Option<()> {
    let operands = operands(formula)?;
    if operands.len() > 1 {
        // `G !(a & b)` is no conjunction.
        if operator.contains('!') {
            return None;
        }
        return operands.into_iter().try_for_each(|operand| conjunction(operand, operator, parts));
    }
    if let Some(inner) = formula.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        return conjunction(inner, operator, parts);
    }
    for prefix in ["G!", "G"] {
        let bracketed =
            formula.strip_prefix(prefix).filter(|rest| operator.is_empty() && rest.starts_with('('));
        if let Some(inner) = bracketed {
            return conjunction(inner, prefix, parts);
        }
    }
    parts.push(part(&format!("{operator}{formula}"))?);
    Some(())
}

/// The operands of `&` outside of brackets; `None` if the brackets do not match.
fn operands(formula: &str) -> Option<Vec<&str>> {
    let mut operands = Vec::new();
    let (mut depth, mut start) = (0usize, 0);
    for (n, c) in formula.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.checked_sub(1)?,
            '&' if depth == 0 => {
                operands.push(&formula[start..n]);
                start = n + 1;
            }
            _ => {}
        }
    }
    operands.push(&formula[start..]);
    operands.retain(|operand| !operand.is_empty());
    (depth == 0 && !operands.is_empty()).then_some(operands)
}

fn part(formula: &str) -> Option<Part> {
    let is_name =
        |name: &&str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let argument = |prefix: &str, end: &str| {
        let inner = formula.strip_prefix(prefix)?.strip_suffix(end)?;
        Some(inner).filter(is_name).map(str::to_owned)
    };
    argument("G!call(", "())")
        .or_else(|| argument("G!call(", ")"))
        .map(Part::Call)
        .or_else(|| argument("G!label(", ")").map(Part::Label))
        .or_else(|| FORMULAS.iter().find(|(f, _)| *f == formula).map(|(_, property)| Part::Other(*property)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(formula: &str, expected: Option<Property>) {
        let text = format!("CHECK( init(main()), LTL({formula}) )\n");
        assert_eq!(from_text(&text).ok().map(|asked| asked.property), expected, "{formula}");
    }

    #[test]
    fn formulas() {
        check("G ! call(reach_error())", Some(Property::UnreachCall));
        check("G ! overflow", Some(Property::NoOverflow));
        check("G ! data-race", Some(Property::NoDataRace));
        check("G ! deadlock", Some(Property::NoDeadlock));
        check("F end", Some(Property::Termination));
        check("G valid-free", Some(Property::ValidFree));
        check("G valid-memcleanup", Some(Property::ValidMemcleanup));
        check("G valid-memcleanup & G valid-free", None);
        check("G ! call(__VERIFIER_error())", Some(Property::UnreachCall));
        check("G ! label(ERROR)", Some(Property::UnreachCall));
        check("G (valid-free & valid-deref && valid-memtrack)", Some(Property::ValidMemsafety));
        check("(G valid-free) & (G valid-deref)", Some(Property::ValidMemsafety));
        check("G ! (call(f()) & call(g()))", None);
        check("G ! call(f(()))", None);
        check("G ! call(f()) & F end", None);
        check("", None);
    }

    fn check_errors(formula: &str, functions: &[&str], labels: &[&str], assertions: bool) {
        let text = format!("CHECK( init(main()), LTL({formula}) )\n");
        let strings = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let expected = Errors { functions: strings(functions), labels: strings(labels), assertions };
        assert_eq!(from_text(&text).map(|asked| asked.errors), Ok(expected), "{formula}");
    }

    #[test]
    fn what_counts_as_an_error() {
        check_errors("G ! call(reach_error())", &[], &[], true);
        check_errors("G ! call(__VERIFIER_error())", &[], &[], true);
        check_errors("G ! call(panic())", &["panic"], &[], false);
        check_errors("G ! label(ERROR)", &[], &["ERROR"], false);
        check_errors("G ! label(ERROR) & G ! call(reach_error())", &[], &["ERROR"], true);
        check_errors("G (! call(f()) && ! call(g()))", &["f", "g"], &[], false);
        check_errors("F end", &[], &[], true);
    }

    #[test]
    fn entries() {
        let entry = |text: &str| from_text(text).unwrap().entry;
        assert_eq!(entry("CHECK( init(start()), LTL(F end) )"), Some("start".to_owned()));
        assert_eq!(entry("CHECK( init(main()), LTL(F end) )"), None);
    }

    #[test]
    fn files() {
        let three = "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\n\n\
                     CHECK( init(main()), LTL(G valid-memtrack) )\n";
        let asked = from_text(three).unwrap();
        assert_eq!((asked.property, asked.assume_defined), (Property::ValidMemsafety, true));
        let mixed = "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(F end) )";
        assert!(from_text(mixed).is_err());
        assert!(from_text("").is_err());
        assert!(parse("/nonexistent/x.prp").is_err());
    }

    #[test]
    fn names() {
        for (property, name) in Property::ALL {
            assert_eq!(parse(name), Ok(property.into()));
        }
        assert!(parse("no-such").unwrap_err().contains("unreach-call"));
    }
}
