//! A C function for each row that calls it with valid arguments, and checks what it does.

use super::arguments::{BY_TYPE, CALLS, DESCRIPTORS, DIRECTORIES, OBJECTS};
use frontend::library::row::{Bound, Effect, Extent, Factor, Row, Value};
use std::fmt::Write as _;

/// The texts of parameters; without their names where the row has none.
fn parameters<'t>(name: &str, prototype: &'t str) -> Vec<&'t str> {
    let Some(start) = prototype.find(&format!("{name}(")).map(|at| at + name.len() + 1) else {
        return Vec::new();
    };
    let inside = prototype[start..].strip_suffix(')').unwrap_or(&prototype[start..]);
    let mut depth = 0;
    let parts = inside.split(|c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    });
    parts.map(str::trim).filter(|p| !p.is_empty() && *p != "void").collect()
}

fn pointer_type(parameter: &str) -> Option<String> {
    match (parameter.rfind('*'), parameter.find('[')) {
        _ if parameter.contains('(') => None,
        (Some(star), None) => Some(parameter[..=star].to_owned()),
        (_, Some(bracket)) => {
            let element = parameter[..bracket].trim_end_matches(|c: char| c.is_alphanumeric() || c == '_');
            Some(if element.is_empty() {
                format!("{} *", &parameter[..bracket])
            } else {
                format!("{element} *")
            })
        }
        (None, None) => None,
    }
}

fn factor(f: &Factor, ty: &str) -> String {
    match f {
        Factor::Number(n) => n.to_string(),
        Factor::Arg(n) => format!("(size_t)v{n}"),
        Factor::Pointee(n) => format!("(size_t)*(unsigned *)c{n}"),
        Factor::Object => format!("sizeof(*({ty})0)"),
    }
}

/// The name of a parameter.
fn name_of(parameter: &str) -> &str {
    parameter.rsplit([' ', '*']).next().unwrap_or(parameter)
}

/// The value of a parameter that is no pointer.
fn scalar(function: &str, parameters: &[&str], n: usize) -> String {
    let (parameter, name) = (parameters[n], name_of(parameters[n]));
    let is_size = parameter.starts_with("size_t") || ["buflen", "len", "bufsize", "nbytes"].contains(&name);
    let earlier = parameters[..n].iter().any(|p| p.starts_with("size_t"));
    if parameter.contains("double") || parameter.contains("float") {
        "reals[k]".to_owned()
    } else if DESCRIPTORS.contains(&name) {
        "descriptor()".to_owned()
    } else if DIRECTORIES.contains(&name) {
        "AT_FDCWD".to_owned()
    } else if is_size && function.ends_with("_chk") && n + 1 == parameters.len() {
        "4000".to_owned()
    } else if is_size {
        if earlier { "counts[k]".to_owned() } else { "sizes[k]".to_owned() }
    } else {
        "k".to_owned()
    }
}

/// What a buffer is filled with, and how much of it may change; `None` if the row says nothing about it.
fn buffer(row: &Row<'_>, n: usize, ty: &str) -> Option<(String, String)> {
    let (mut fill, mut allowed, mut known) = (format!("memset(b{n}, 0, SIZE)"), "0".to_owned(), false);
    for effect in &row.effects {
        match effect {
            Effect::Access { arg, writes, extent, .. } if *arg == n => {
                known = true;
                match extent {
                    Extent::Text { wide: false, .. } => fill = format!("text(b{n}, k)"),
                    Extent::Text { wide: true, .. } => fill = format!("wtext(b{n}, k)"),
                    Extent::Deep if ty.contains("wchar_t *") => fill = format!("wtext(b{n}, k)"),
                    Extent::Deep if ty.contains("char *") && !ty.contains("**") => {
                        fill = format!("text(b{n}, k)")
                    }
                    Extent::Deep => {}
                    Extent::Bytes(factors) if *writes => {
                        allowed = factors.iter().map(|f| factor(f, ty)).collect::<Vec<_>>().join(" * ");
                    }
                    Extent::Bytes(_) => {}
                }
                if *writes && matches!(extent, Extent::Text { .. }) {
                    "SIZE".clone_into(&mut allowed);
                }
            }
            Effect::Set { arg, .. } if *arg == n => {
                fill = format!("memset(b{n}, 0, SIZE), memset(b{n}, 0x5a, 8)");
                (known, allowed) = (true, "SIZE".to_owned());
            }
            _ => {}
        }
    }
    known.then_some((fill, allowed))
}

fn format_text(row: &Row<'_>, n: usize) -> Option<&'static str> {
    row.effects.iter().find_map(|effect| match effect {
        Effect::Format { arg, wide, .. } if *arg == n => {
            Some(if *wide { "L\"%d %.1s\"" } else { "\"%d %s\"" })
        }
        _ => None,
    })
}

/// A C function that tries a row; `None` if arguments for it are not known.
pub fn trial(name: &str, row: &Row<'_>) -> Option<String> {
    let parameters = parameters(name, row.prototype);
    let special = CALLS.iter().find(|(of, _)| *of == name).map(|(_, texts)| *texts);
    let special: Option<Vec<&str>> =
        special.map(|texts| if texts.is_empty() { Vec::new() } else { split(texts) });
    let declaration = if name.ends_with("_chk") || name.ends_with("_2") {
        format!("{};\n", row.prototype)
    } else {
        String::new()
    };
    let mut code = format!(
        "#line 1 \"try_{name}\"\n{declaration}static void try_{name}(int k, ...) {{\n    va_list rest; va_start(rest, k);\n"
    );
    let (mut args, mut checks) = (Vec::new(), String::new());
    let count = special.as_ref().map_or(parameters.len(), Vec::len);
    for n in 1..=count {
        let parameter = parameters.get(n - 1).copied().unwrap_or("...");
        let given = special.as_ref().map(|texts| texts[n - 1]).filter(|text| *text != "_");
        args.push(argument(&mut code, &mut checks, (name, row), &parameters, (n, parameter), given)?);
    }
    let call = format!("{name}({})", args.join(", "));
    match &row.returns[..] {
        [Value::Void] => writeln!(code, "    errno = 77; {call};").ok()?,
        [Value::Never] => writeln!(code, "    errno = 77; {call}; bad(\"it returned\");").ok()?,
        _ if name == "static_assert" || name == "va_arg" => writeln!(code, "    errno = 77; {call};").ok()?,
        values => {
            writeln!(code, "    errno = 77; __auto_type r = {call};").ok()?;
            if let Some(condition) = condition(values, "r") {
                writeln!(checks, "    if (!({condition})) bad(\"result\");").ok()?;
            }
        }
    }
    if !row.flags.errno {
        checks = format!("    if (errno != 77) bad(\"errno\");\n{checks}");
    }
    Some(format!("{code}{checks}}}\n"))
}

/// Splits at semicolons outside of braces.
fn split(texts: &str) -> Vec<&str> {
    let mut depth = 0;
    let parts = texts.split(|c: char| {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        c == ';' && depth == 0
    });
    parts.map(str::trim).collect()
}

/// Declares what an argument needs, and returns it.
fn argument(
    code: &mut String,
    checks: &mut String,
    (name, row): (&str, &Row<'_>),
    parameters: &[&str],
    (n, parameter): (usize, &str),
    given: Option<&str>,
) -> Option<String> {
    let is_plain = |text: &&str| !text.contains("b1");
    if let Some(text) = given.filter(is_plain) {
        let refers = |values: &[Value<'_>]| {
            values.iter().any(|v| matches!(v, Value::Arg(m) | Value::Inside(m) if *m == n))
        };
        let bounds = |values: &[Value<'_>]| {
            values.iter().any(|v| matches!(v, Value::Range(_, Some(Bound::Arg(m, _))) if *m == n))
        };
        let sizes = row.effects.iter().any(|effect| {
            matches!(effect, Effect::Access { extent: Extent::Bytes(factors), .. }
                if factors.iter().any(|f| matches!(f, Factor::Arg(m) | Factor::Pointee(m) if *m == n)))
        });
        if refers(&row.returns) || bounds(&row.returns) || sizes {
            writeln!(code, "    __auto_type v{n} = {text}; unsigned char *b{n} = (unsigned char *)v{n}, *c{n} = b{n}; (void)b{n}; (void)c{n};").ok()?;
            return Some(format!("v{n}"));
        }
        return Some(text.to_owned());
    }
    if parameter == "..." {
        let wide = row.effects.iter().any(|effect| matches!(effect, Effect::Format { wide: true, .. }));
        return Some(if wide { "7, L\"ab\"" } else { "7, \"ab\"" }.to_owned());
    }
    if let Some(text) = format_text(row, n) {
        return Some(text.to_owned());
    }
    let by_type = BY_TYPE.iter().find(|(ty, _)| parameter.contains(ty)).map(|(_, text)| (*text).to_owned());
    let ty = pointer_type(parameter);
    if by_type.is_some()
        && (ty.is_none()
            || OBJECTS.iter().any(|o| parameter.contains(o))
            || parameter.contains("FILE *")
            || parameter.contains("DIR *"))
    {
        if parameter.contains("FILE *") && row.returns.contains(&Value::Arg(n)) {
            writeln!(code, "    FILE *v{n} = {}; unsigned char *b{n} = (unsigned char *)v{n};", by_type?)
                .ok()?;
            return Some(format!("v{n}"));
        }
        return by_type;
    }
    let Some(ty) = ty else {
        if parameter.contains('(') {
            return None;
        }
        let value = scalar(name, parameters, n - 1);
        let kind = if value == "reals[k]" { "double" } else { "long" };
        writeln!(code, "    {kind} v{n} = {value}; (void)v{n};").ok()?;
        if kind == "long" {
            writeln!(code, "    unsigned char *b{n} = (unsigned char *)v{n}; (void)b{n};").ok()?;
        }
        return Some(format!("v{n}"));
    };
    let Some((fill, allowed)) = buffer(row, n, &ty) else { return by_type };
    writeln!(code, "    static unsigned char b{n}[SIZE], c{n}[SIZE]; {fill}; memcpy(c{n}, b{n}, SIZE);")
        .ok()?;
    writeln!(checks, "    changed(b{n}, c{n}, {allowed}, \"argument {n} was written\");").ok()?;
    for effect in &row.effects {
        if let Effect::Set { arg, values, .. } = effect
            && *arg == n
            && let Some(condition) = condition(values, &format!("*(char **)b{n}"))
        {
            writeln!(checks, "    if (!({condition})) bad(\"what argument {n} points to\");").ok()?;
        }
    }
    Some(given.map_or_else(|| format!("({ty})b{n}"), str::to_owned))
}

/// That a value is one of some; `None` if that says nothing.
fn condition(values: &[Value<'_>], value: &str) -> Option<String> {
    let conditions = values.iter().map(|one| match one {
        Value::Range(low, high) => {
            let low = low.map_or("1".to_owned(), |low| format!("(long long){value} >= {low}LL"));
            let high = match high {
                Some(Bound::Number(high)) => format!("(long long){value} <= {high}LL"),
                Some(Bound::Arg(n, minus)) => format!("(long long){value} <= (long long)v{n} - {minus}"),
                None => "1".to_owned(),
            };
            Some(format!("({low} && {high})"))
        }
        Value::ErrorNumber => Some(format!("((long long){value} > 0 && (long long){value} < 4096)")),
        Value::Null => Some(format!("(long long){value} == 0")),
        Value::Arg(n) => Some(format!("(char *){value} == (char *)b{n}")),
        Value::Inside(n) => {
            Some(format!("((char *){value} >= (char *)b{n} && (char *){value} < (char *)b{n} + SIZE)"))
        }
        Value::Opaque(_) | Value::Text(_) | Value::Fresh(_) | Value::Static { .. } => {
            Some(format!("(long long){value} != 0"))
        }
        Value::Void | Value::Any | Value::Never => None,
    });
    conditions.collect::<Option<Vec<String>>>().map(|all| all.join(" || "))
}
