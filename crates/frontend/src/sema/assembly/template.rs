//! Reading the template of an `asm` statement: AT&T syntax, as far as the idioms of locks need it.

/// One instruction of a template, or a label before one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Line {
    /// `1:`
    Label(u32),
    Instruction(Instruction),
}

/// An instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Instruction {
    /// True if the prefix `lock` stands before it.
    pub(super) lock: bool,
    /// In lower case, with its suffix.
    pub(super) mnemonic: String,
    pub(super) operands: Vec<Operand>,
}

/// An operand of an instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Operand {
    /// `%0`, `%b0`: an operand of the statement, as a register of so many bytes if that is said.
    Given(Reference, Option<u64>),
    /// `(%0)`, `0(%0)`: what a register points to.
    At(Reference),
    /// `%%eax`: a register by the letter of its constraint, and so many bytes of it.
    Register(char, u64),
    /// `$1`
    Immediate(i128),
    /// `1b`, `1f`: a label before or after.
    Target(u32, bool),
    /// `0(%%rsp)`: the top of the stack.
    Stack,
}

/// An operand of the statement, by number or by name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Reference {
    Number(usize),
    Name(String),
}

/// The lines of a template; `None` if it cannot be read.
pub(super) fn parse(template: &str) -> Option<Vec<Line>> {
    let text = without_dialects(template)?;
    let mut lines = Vec::new();
    let mut lock = false;
    let mut elsewhere = false;
    for line in text.split([';', '\n']) {
        let mut rest = line.split('#').next().unwrap_or_default().trim();
        while let Some((number, after)) = label(rest) {
            lines.push(Line::Label(number));
            rest = after.trim();
        }
        if let Some(directive) = rest.strip_prefix('.') {
            // Tables beside the code, such as that of the places where Linux has `lock` prefixes.
            match directive.split_whitespace().next()? {
                "section" | "pushsection" => elsewhere = true,
                "previous" | "popsection" | "text" => elsewhere = false,
                "balign" | "align" | "p2align" => {}
                _ if elsewhere => {}
                _ => return None,
            }
            continue;
        }
        if rest.is_empty() || elsewhere {
            continue;
        }
        rest = without_prefixes(rest, &mut lock);
        if rest.is_empty() {
            continue;
        }
        lines.push(Line::Instruction(instruction(rest, std::mem::take(&mut lock))?));
    }
    (!lock).then_some(lines)
}

/// Takes the AT&T alternative of `{att|intel}`.
fn without_dialects(template: &str) -> Option<String> {
    let mut text = String::new();
    let mut rest = template.trim_end_matches('\0');
    while let Some((before, inside)) = rest.split_once('{') {
        let (choice, after) = inside.split_once('}')?;
        text += before;
        text += choice.split('|').next().unwrap_or_default();
        rest = after;
    }
    Some(text + rest)
}

/// `lock` and `rep`, which may also stand on lines of their own.
fn without_prefixes<'t>(mut text: &'t str, lock: &mut bool) -> &'t str {
    loop {
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        match word {
            "lock" => *lock = true,
            "rep" => {}
            _ => return text,
        }
        text = rest.trim();
    }
}

fn label(text: &str) -> Option<(u32, &str)> {
    let (number, after) = text.split_once(':')?;
    Some((number.trim().parse().ok()?, after))
}

fn instruction(text: &str, lock: bool) -> Option<Instruction> {
    let (mnemonic, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let mut operands = Vec::new();
    let mut depth = 0usize;
    let mut current = String::new();
    for c in rest.chars().chain([',']) {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => {
                let text = std::mem::take(&mut current);
                if !text.trim().is_empty() {
                    operands.push(operand(text.trim())?);
                }
                continue;
            }
            _ => {}
        }
        current.push(c);
    }
    Some(Instruction { lock, mnemonic: mnemonic.to_ascii_lowercase(), operands })
}

fn operand(text: &str) -> Option<Operand> {
    if let Some(number) = text.strip_prefix('$') {
        return integer(number).map(Operand::Immediate);
    }
    if let Some(register) = text.strip_prefix("%%") {
        let (letter, bytes) = register_name(register)?;
        return Some(Operand::Register(letter, bytes));
    }
    if let Some(at) = text.find('(') {
        let inner = text[at + 1..].strip_suffix(')')?.trim();
        let offset = text[..at].trim();
        if !offset.is_empty() && integer(offset)? != 0 {
            return None;
        }
        if matches!(inner, "%%rsp" | "%%esp") {
            return Some(Operand::Stack);
        }
        return match operand(inner)? {
            Operand::Given(reference, None | Some(4 | 8)) => Some(Operand::At(reference)),
            _ => None,
        };
    }
    if let Some(given) = text.strip_prefix('%') {
        let (bytes, rest) = match given.chars().next()? {
            'b' => (Some(1), &given[1..]),
            'w' => (Some(2), &given[1..]),
            'k' => (Some(4), &given[1..]),
            'q' => (Some(8), &given[1..]),
            _ => (None, given),
        };
        return Some(Operand::Given(reference(rest)?, bytes));
    }
    let (number, direction) = text.split_at(text.len().checked_sub(1)?);
    match direction {
        "b" => Some(Operand::Target(number.parse().ok()?, false)),
        "f" => Some(Operand::Target(number.parse().ok()?, true)),
        _ => None,
    }
}

fn reference(text: &str) -> Option<Reference> {
    match text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(name) => Some(Reference::Name(name.to_owned())),
        None => text.parse().ok().map(Reference::Number),
    }
}

fn integer(text: &str) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let value = match digits.strip_prefix("0x") {
        Some(hex) => i128::from_str_radix(hex, 16).ok()?,
        None => digits.parse().ok()?,
    };
    Some(if negative { -value } else { value })
}

/// The letter of the constraint that means a register, and how many bytes of it the name means.
fn register_name(name: &str) -> Option<(char, u64)> {
    const NAMES: [(char, [&str; 4]); 6] = [
        ('a', ["al", "ax", "eax", "rax"]),
        ('b', ["bl", "bx", "ebx", "rbx"]),
        ('c', ["cl", "cx", "ecx", "rcx"]),
        ('d', ["dl", "dx", "edx", "rdx"]),
        ('S', ["sil", "si", "esi", "rsi"]),
        ('D', ["dil", "di", "edi", "rdi"]),
    ];
    NAMES.iter().find_map(|(letter, names)| {
        let n = names.iter().position(|known| *known == name)?;
        Some((*letter, 1 << n))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(template: &str, expected: Option<&[(&str, bool, usize)]>) {
        let lines = parse(template);
        let shown: Option<Vec<_>> = lines.map(|lines| {
            let instructions = lines.iter().filter_map(|line| match line {
                Line::Instruction(i) => Some((i.mnemonic.clone(), i.lock, i.operands.len())),
                Line::Label(_) => None,
            });
            instructions.collect()
        });
        let expected: Option<Vec<_>> =
            expected.map(|all| all.iter().map(|(name, lock, n)| ((*name).to_owned(), *lock, *n)).collect());
        assert_eq!(shown, expected, "{template}");
    }

    #[test]
    fn templates() {
        check("", Some(&[]));
        check("lock; xaddl %0, %1", Some(&[("xaddl", true, 2)]));
        check(
            "lock\n\tcmpxchg %[new], (%[p])\n\tsete %b0",
            Some(&[("cmpxchg", true, 2), ("sete", false, 1)]),
        );
        check("rep; nop", Some(&[("nop", false, 0)]));
        check("1: cmpl $0, %0; jne 1b", Some(&[("cmpl", false, 2), ("jne", false, 1)]));
        check(
            ".section .smp_locks,\"a\"\n.balign 4\n.long 671f - .\n.previous\n671:\n\tlock; incl %0",
            Some(&[("incl", true, 1)]),
        );
        check("movl %{odd}", None);
        check("movl 4(%0), %1", None);
        check(".byte 0x0f", None);
    }
}
