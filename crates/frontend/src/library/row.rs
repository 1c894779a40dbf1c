//! Rows of a table: what a line says, and how it is read.
//!
//! ```text
//! row      = NAME "=" OTHER                                       the same function under another name
//!          | NAME ":" PROTOTYPE ";" effects ";" returns ";" flags
//! effects  = "-" | effect { " " effect }
//! effect   = ("r" | "w" | "rw") ARG "[" extent "]" ["?"]          reads, writes; "?": a null pointer is no access
//!          | "set" ARG "(" returns ")" ["?"]                      stores a value through a pointer to it
//!          | "free" ARG ["?"] | "keep" ARG | "call" ARG ["?"]     frees; keeps the pointer; calls the function
//!          | ("fmt" | "wfmt" | "scan" | "wscan") ARG ["?"]        a format, whose arguments follow
//!          | "sync" ARG                                           a synchronisation object
//!          | "exit" ARG                                           the program ends if the argument is not zero
//!          | "unmodelled" [ARG ["?"]] "(" TEXT ")"                something that no summary says
//! extent   = ["<="] factor { "*" factor }                         that many bytes, or at most
//!          | ("str" | "wstr") ["<=" factor] | "deep"              up to the terminating zero; whatever it leads to
//! factor   = NUMBER | "a" ARG | "*a" ARG | "obj"                  an argument, what it points to, the size of the pointee
//! returns  = value { "|" value }
//! value    = "void" | "any" | "null" | "errno" | "opaque" | "string" | "noreturn" | "a" ARG | "in a" ARG
//!          | "fresh[" extent "]" | "static" NAME ["thread"] ("obj" | "str")
//!          | NUMBER | NUMBER ".." NUMBER | NUMBER ".." "a" ARG ["-1"] | (">=" | ">" | "<" | "<=") NUMBER
//! flags    = "-" | flag { " " flag }
//! flag     = "errno" | "io" | "blocks" | "cancel" | "signal_safe" | "doubtful" | "caller_locks"
//!          | "unsafe(" NAME ")" | "sync(" TEXT ")"
//! ```

/// A line of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Line<'t> {
    /// A function.
    Row(Row<'t>),
    /// Another name of a function.
    Alias(&'t str),
}

/// What a table says about a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row<'t> {
    /// The declaration in C.
    pub prototype: &'t str,
    /// What it does through its arguments.
    pub effects: Vec<Effect<'t>>,
    /// What it returns: one of these.
    pub returns: Vec<Value<'t>>,
    /// All else.
    pub flags: Flags<'t>,
}

/// What a function does through an argument. Arguments are numbered from 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Effect<'t> {
    /// It accesses memory.
    Access {
        /// Which argument leads there.
        arg: usize,
        /// True if it is read.
        reads: bool,
        /// True if it is written: it gets any values.
        writes: bool,
        /// How much.
        extent: Extent,
        /// True if a null pointer means no access.
        nullable: bool,
    },
    /// It stores one of some values into what the argument points to.
    Set {
        /// The argument.
        arg: usize,
        /// The values.
        values: Vec<Value<'t>>,
        /// True if a null pointer means no access.
        nullable: bool,
    },
    /// It frees what the argument points to.
    Free(usize),
    /// It keeps the pointer: the library may read through it later.
    Keep(usize),
    /// It calls the argument.
    Call {
        /// The argument.
        arg: usize,
        /// True if a null pointer means no call.
        nullable: bool,
    },
    /// The argument is a format; what follows the last fixed argument is converted.
    Format {
        /// The argument.
        arg: usize,
        /// True if it is read like that of `scanf`, which writes through the arguments.
        scans: bool,
        /// True if it is made of wide characters.
        wide: bool,
    },
    /// A synchronisation object: only an exact model says enough.
    Sync(usize),
    /// The program ends if the argument is not zero.
    ExitIf(usize),
    /// Something that a summary does not say.
    Unmodelled {
        /// Through this argument.
        arg: Option<usize>,
        /// True if a null pointer makes it nothing.
        nullable: bool,
        /// What it is.
        why: &'t str,
    },
}

/// How much memory is accessed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Extent {
    /// The product of factors, in bytes; the whole may be touched.
    Bytes(Vec<Factor>),
    /// Up to and including the terminating zero.
    Text {
        /// True if of wide characters.
        wide: bool,
        /// Maximum number of characters.
        limit: Option<Factor>,
    },
    /// An object and what it leads to.
    Deep,
}

/// A factor of a size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Factor {
    /// A number.
    Number(u64),
    /// The value of an argument.
    Arg(usize),
    /// What an argument points to.
    Pointee(usize),
    /// The size of the object that the argument in question points to.
    Object,
}

/// What a function returns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value<'t> {
    /// Nothing.
    Void,
    /// Any value of the type.
    Any,
    /// A null pointer.
    Null,
    /// An error number.
    ErrorNumber,
    /// A fresh object of the library, which the program cannot look into.
    Opaque(Owner),
    /// A fresh string of any contents, which the program does not write.
    Text(Owner),
    /// It does not return.
    Never,
    /// An argument.
    Arg(usize),
    /// An address inside the string that an argument points to.
    Inside(usize),
    /// A fresh object of so many bytes.
    Fresh(Vec<Factor>),
    /// A hidden object, overwritten by every call.
    Static {
        /// Its name; functions with the same name share it.
        name: &'t str,
        /// True if each thread has its own.
        per_thread: bool,
        /// True if it is a string, else it has the size of what is returned.
        text: bool,
    },
    /// A number in a range; without bound, any.
    Range(Option<i64>, Option<Bound>),
}

/// Whose a fresh object is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner {
    /// The program cannot free it, and it is no leak.
    Library,
    /// The caller frees it.
    Caller,
}

/// An upper bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// A number.
    Number(i64),
    /// An argument, minus a number.
    Arg(usize, u64),
}

/// Marks of a row.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Flags<'t> {
    /// It may set `errno`.
    pub errno: bool,
    /// It may wait without bound, or for input and output.
    pub blocks: bool,
    /// The effects were never checked: the function is treated as an undefined one.
    pub doubtful: bool,
    /// The row allows more than the function does: a counterexample that rests on its result, or on what it writes, is none.
    pub inexact: bool,
    /// The caller must hold the lock of the stream it is given.
    pub caller_locks: bool,
    /// It orders threads or makes them wait for each other: only an exact model says enough.
    pub synchronises: bool,
    /// POSIX lets two concurrent calls corrupt this hidden state.
    pub hidden_state: Option<&'t str>,
}

/// The name that a line is about.
pub fn name_of(line: &str) -> &str {
    line.split([':', ' ']).next().unwrap_or_default()
}

/// Reads a line.
pub fn parse(line: &str) -> Result<Line<'_>, String> {
    let name = name_of(line);
    if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
        return Err("a row begins with the name of a function".to_owned());
    }
    let rest = &line[name.len()..];
    if let Some(other) = rest.strip_prefix(" = ") {
        return Ok(Line::Alias(other.trim()));
    }
    let rest = rest.strip_prefix(':').ok_or("after the name stands `:` or ` =`")?;
    let fields: Vec<&str> = rest.split(';').map(str::trim).collect();
    let [prototype, effects, returns, flags] = fields[..] else {
        return Err(format!("a row has 4 fields between semicolons, not {}", fields.len()));
    };
    Ok(Line::Row(Row {
        prototype,
        effects: words(effects).map(effect).collect::<Result<_, _>>()?,
        returns: values(returns)?,
        flags: parse_flags(flags)?,
    }))
}

/// Words between spaces that stand in no parentheses; a dash is none.
fn words(field: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0u32;
    field
        .split(move |c: char| {
            match c {
                '(' | '[' => depth += 1,
                ')' | ']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            c == ' ' && depth == 0
        })
        .filter(|word| !word.is_empty() && *word != "-")
}

fn effect(word: &str) -> Result<Effect<'_>, String> {
    let wrong = || format!("`{word}` is no effect");
    let letters = word.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(word.len());
    let (kind, rest) = word.split_at(letters);
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (number, rest) = rest.split_at(digits);
    let arg: Option<usize> = number.parse().ok();
    let nullable = rest.starts_with('?') || rest.ends_with('?');
    let rest = rest.trim_start_matches('?').trim_end_matches('?');
    let needed = || arg.filter(|n| *n > 0).ok_or_else(wrong);
    Ok(match kind {
        "r" | "w" | "rw" => {
            let inside = rest.strip_prefix('[').and_then(|r| r.strip_suffix(']')).ok_or_else(wrong)?;
            let (reads, writes) = (kind != "w", kind != "r");
            Effect::Access {
                arg: needed()?,
                reads,
                writes,
                extent: extent(inside).ok_or_else(wrong)?,
                nullable,
            }
        }
        "set" => {
            let inside = rest.strip_prefix('(').and_then(|r| r.strip_suffix(')')).ok_or_else(wrong)?;
            Effect::Set { arg: needed()?, values: values(inside)?, nullable }
        }
        "free" => Effect::Free(needed()?),
        "keep" => Effect::Keep(needed()?),
        "call" => Effect::Call { arg: needed()?, nullable },
        "fmt" | "wfmt" => Effect::Format { arg: needed()?, scans: false, wide: kind == "wfmt" },
        "scan" | "wscan" => Effect::Format { arg: needed()?, scans: true, wide: kind == "wscan" },
        "sync" => Effect::Sync(needed()?),
        "exit" => Effect::ExitIf(needed()?),
        "unmodelled" => {
            let why = rest.strip_prefix('(').and_then(|r| r.strip_suffix(')')).ok_or_else(wrong)?;
            Effect::Unmodelled { arg: arg.filter(|n| *n > 0), nullable, why }
        }
        _ => return Err(wrong()),
    })
}

fn extent(text: &str) -> Option<Extent> {
    if text == "deep" {
        return Some(Extent::Deep);
    }
    for (prefix, wide) in [("str", false), ("wstr", true)] {
        if let Some(rest) = text.strip_prefix(prefix) {
            let limit = match rest.strip_prefix("<=") {
                Some(limit) => Some(factor(limit)?),
                None if rest.is_empty() => None,
                None => return None,
            };
            return Some(Extent::Text { wide, limit });
        }
    }
    factors(text.strip_prefix("<=").unwrap_or(text)).map(Extent::Bytes)
}

fn factors(text: &str) -> Option<Vec<Factor>> {
    let pointee = text.starts_with('*');
    let parts = text[usize::from(pointee)..].split('*');
    parts
        .enumerate()
        .map(|(n, part)| if n == 0 && pointee { factor(&text[..part.len() + 1]) } else { factor(part) })
        .collect()
}

fn factor(text: &str) -> Option<Factor> {
    if text == "obj" {
        return Some(Factor::Object);
    }
    if let Some(arg) = text.strip_prefix("*a") {
        return arg.parse().ok().map(Factor::Pointee);
    }
    match text.strip_prefix('a') {
        Some(arg) => arg.parse().ok().map(Factor::Arg),
        None => text.parse().ok().map(Factor::Number),
    }
}

fn values(text: &str) -> Result<Vec<Value<'_>>, String> {
    text.split('|').map(|part| value(part.trim()).ok_or_else(|| format!("`{part}` is no value"))).collect()
}

fn value(text: &str) -> Option<Value<'_>> {
    let words: Vec<&str> = text.split(' ').collect();
    Some(match words[..] {
        ["void"] => Value::Void,
        ["any"] => Value::Any,
        ["null"] => Value::Null,
        ["errno"] => Value::ErrorNumber,
        ["opaque"] => Value::Opaque(Owner::Library),
        ["string"] => Value::Text(Owner::Library),
        ["fresh", "opaque"] => Value::Opaque(Owner::Caller),
        ["fresh", "string"] => Value::Text(Owner::Caller),
        ["noreturn"] => Value::Never,
        ["in", arg] => Value::Inside(arg.strip_prefix('a')?.parse().ok()?),
        ["static", name, kind @ ("obj" | "str")] => {
            Value::Static { name, per_thread: false, text: kind == "str" }
        }
        ["static", name, "thread", kind @ ("obj" | "str")] => {
            Value::Static { name, per_thread: true, text: kind == "str" }
        }
        [word] => match word.strip_prefix("fresh[").and_then(|rest| rest.strip_suffix(']')) {
            Some(size) => Value::Fresh(factors(size)?),
            None => number_or_argument(word)?,
        },
        _ => return None,
    })
}

fn number_or_argument(word: &str) -> Option<Value<'_>> {
    let number = |text: &str| text.parse::<i64>().ok();
    if let Some(arg) = word.strip_prefix('a') {
        return arg.parse().ok().map(Value::Arg);
    }
    if let Some(low) = word.strip_prefix(">=") {
        return Some(Value::Range(Some(number(low)?), None));
    }
    if let Some(low) = word.strip_prefix('>') {
        return Some(Value::Range(Some(number(low)?.checked_add(1)?), None));
    }
    if let Some(high) = word.strip_prefix("<=") {
        return Some(Value::Range(None, Some(Bound::Number(number(high)?))));
    }
    if let Some(high) = word.strip_prefix('<') {
        return Some(Value::Range(None, Some(Bound::Number(number(high)?.checked_sub(1)?))));
    }
    let Some((low, high)) = word.split_once("..") else {
        let n = number(word)?;
        return Some(Value::Range(Some(n), Some(Bound::Number(n))));
    };
    let bound = match high.strip_prefix('a') {
        Some(arg) => match arg.strip_suffix("-1") {
            Some(arg) => Bound::Arg(arg.parse().ok()?, 1),
            None => Bound::Arg(arg.parse().ok()?, 0),
        },
        None => Bound::Number(number(high)?),
    };
    Some(Value::Range(Some(number(low)?), Some(bound)))
}

fn parse_flags(field: &str) -> Result<Flags<'_>, String> {
    let mut flags = Flags::default();
    for word in words(field) {
        match word {
            "errno" => flags.errno = true,
            "io" | "blocks" => flags.blocks = true,
            "doubtful" => flags.doubtful = true,
            "inexact" => flags.inexact = true,
            "caller_locks" => flags.caller_locks = true,
            "cancel" | "signal_safe" => {}
            _ if word.starts_with("sync(") => {
                let what = &word["sync(".len()..];
                flags.synchronises =
                    !["fence", "signal-fence", "yield"].iter().any(|kind| what.starts_with(kind));
            }
            _ => match word.strip_prefix("unsafe(").and_then(|rest| rest.strip_suffix(')')) {
                Some(state) => flags.hidden_state = Some(state),
                None => return Err(format!("`{word}` is no flag")),
            },
        }
    }
    Ok(flags)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(line: &str) -> Row<'_> {
        match parse(line).expect("the row should parse") {
            Line::Row(row) => row,
            Line::Alias(_) => panic!("it is no alias"),
        }
    }

    #[test]
    fn effects_and_values() {
        let read = row(
            "read: ssize_t read(int, void *, size_t); w2[<=a3] r1[str<=a3]?; -1|0..a3|null; errno blocks",
        );
        let bytes = Extent::Bytes(vec![Factor::Arg(3)]);
        let write = Effect::Access { arg: 2, reads: false, writes: true, extent: bytes, nullable: false };
        assert_eq!(read.effects[0], write);
        let text = Extent::Text { wide: false, limit: Some(Factor::Arg(3)) };
        assert!(matches!(&read.effects[1], Effect::Access { extent, nullable: true, .. } if *extent == text));
        let range = Value::Range(Some(0), Some(Bound::Arg(3, 0)));
        assert_eq!(read.returns[1..], [range, Value::Null]);
        assert!(read.flags.errno && read.flags.blocks);
        let odd =
            row("f: x; w1[*a2*obj] unmodelled2?(a b) set3(in a1|null)?; static s thread str; unsafe(s)");
        let factors = vec![Factor::Pointee(2), Factor::Object];
        assert!(matches!(&odd.effects[0], Effect::Access { extent: Extent::Bytes(f), .. } if *f == factors));
        assert_eq!(odd.effects[1], Effect::Unmodelled { arg: Some(2), nullable: true, why: "a b" });
        assert!(matches!(&odd.effects[2], Effect::Set { arg: 3, nullable: true, .. }));
        assert_eq!(odd.flags.hidden_state, Some("s"));
    }

    #[test]
    fn wrong_rows() {
        for line in [
            "f",
            "f: x; -; any",
            "f: x; q1; any; -",
            "f: x; w1; any; -",
            "f: x; -; what; -",
            "f: x; -; any; odd",
            "1-: x",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
