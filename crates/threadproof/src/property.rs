//! Properties by name or by SV-COMP property file.
//!
//! Such a file holds lines like `CHECK( init(main()), LTL(G ! call(reach_error())) )`. Several lines in one file
//! are allowed only if they are parts of the same property, as the three of `valid-memsafety` are.

use program::Property;
use std::path::Path;

/// A property's name, or the property that a `.prp` file asks for.
pub fn parse(text: &str) -> Result<Property, String> {
    if text.ends_with(".prp") {
        return from_file(Path::new(text));
    }
    from_name(text).ok_or_else(|| {
        let names: Vec<&str> = Property::ALL.iter().map(|(_, name)| *name).collect();
        format!("there is no such property; there are {} and .prp files", names.join(", "))
    })
}

/// The property called `name` on the command line.
pub fn from_name(name: &str) -> Option<Property> {
    Property::ALL.iter().find(|(_, n)| *n == name).map(|(property, _)| *property)
}

/// The property that a file asks for.
pub fn from_file(path: &Path) -> Result<Property, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("cannot read the property file: {e}"))?;
    from_text(&text)
}

/// The property that the text of a property file asks for.
pub fn from_text(text: &str) -> Result<Property, String> {
    let mut found: Option<Property> = None;
    for line in text.lines().map(str::trim).filter(|l| !l.is_empty()) {
        let property = from_check(line)?;
        if found.is_some_and(|f| f != property) {
            return Err("the file asks for more than one property".into());
        }
        found = Some(property);
    }
    found.ok_or_else(|| "the property file is empty".into())
}

/// Formulas, without spaces, and what they mean.
const FORMULAS: [(&str, Property); 8] = [
    ("G!call(reach_error())", Property::UnreachCall),
    ("G!deadlock", Property::NoDeadlock),
    ("G!overflow", Property::NoOverflow),
    ("G!data-race", Property::NoDataRace),
    ("Fend", Property::Termination),
    ("Gvalid-free", Property::ValidMemsafety),
    ("Gvalid-deref", Property::ValidMemsafety),
    ("Gvalid-memtrack", Property::ValidMemsafety),
];

fn from_check(line: &str) -> Result<Property, String> {
    let dense: String = line.chars().filter(|c| !c.is_whitespace()).collect();
    let not_understood = || format!("`{line}` is no property that threadproof knows");
    let inner = dense.strip_prefix("CHECK(").and_then(|l| l.strip_suffix("))")).ok_or_else(not_understood)?;
    let (start, formula) = inner.split_once(",LTL(").ok_or_else(not_understood)?;
    if start != "init(main())" {
        return Err(format!("`{start}`: only programs that start in main have property files; use --entry"));
    }
    let known = FORMULAS.iter().find(|(f, _)| *f == formula);
    known.map(|(_, property)| *property).ok_or_else(not_understood)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(formula: &str, expected: Option<Property>) {
        let text = format!("CHECK( init(main()), LTL({formula}) )\n");
        assert_eq!(from_text(&text).ok(), expected, "{formula}");
    }

    #[test]
    fn formulas() {
        check("G ! call(reach_error())", Some(Property::UnreachCall));
        check("G ! overflow", Some(Property::NoOverflow));
        check("G ! data-race", Some(Property::NoDataRace));
        check("G ! deadlock", Some(Property::NoDeadlock));
        check("F end", Some(Property::Termination));
        check("G valid-free", Some(Property::ValidMemsafety));
        check("G valid-memcleanup", None);
        check("G ! call(__VERIFIER_error())", None);
        check("", None);
    }

    #[test]
    fn files() {
        let three = "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\n\n\
                     CHECK( init(main()), LTL(G valid-memtrack) )\n";
        assert_eq!(from_text(three), Ok(Property::ValidMemsafety));
        let mixed = "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(F end) )";
        assert!(from_text(mixed).is_err());
        assert!(from_text("").is_err());
        assert!(from_text("CHECK( init(start()), LTL(F end) )").is_err());
        assert!(parse("/nonexistent/x.prp").is_err());
    }

    #[test]
    fn names() {
        for (property, name) in Property::ALL {
            assert_eq!(parse(name), Ok(property));
        }
        assert!(parse("no-such").unwrap_err().contains("unreach-call"));
    }
}
