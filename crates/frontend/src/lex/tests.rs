//! Tests of the lexer.

use super::*;

/// The tokens of a text, with `expected` as `Kind` or `Kind:text` words.
#[track_caller]
fn check(text: &str, expected: &str) {
    let lexed = lex(text, "t.i", &mut Files::default());
    assert_eq!(lexed.complaints, [], "{text:?}");
    assert_eq!(shown(text, &lexed.tokens), expected, "{text:?}");
}

fn shown(text: &str, tokens: &[Token]) -> String {
    let (end, tokens) = tokens.split_last().unwrap();
    assert_eq!((end.kind, end.at as usize), (Kind::Eof, text.len()));
    let show = |token: &Token| match token.kind {
        Kind::Ident | Kind::Number | Kind::Char | Kind::Str => {
            format!("{:?}:{}", token.kind, token.text(text))
        }
        kind => kind.name().to_owned(),
    };
    tokens.iter().map(show).collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn check_complaint(text: &str, expected: &str, tokens: &str) {
    let lexed = lex(text, "t.i", &mut Files::default());
    let found: Vec<_> =
        lexed.complaints.iter().map(|it| format!("{}+{}: {}", it.at, it.len, it.message)).collect();
    assert_eq!(found, [expected], "{text:?}");
    assert_eq!(shown(text, &lexed.tokens), tokens, "{text:?}");
}

#[test]
fn words() {
    check("a $b é_1 __const__ int", "Ident:a Ident:$b Ident:é_1 const int");
    check("\\u00e9x a\\U000000e9", "Ident:\\u00e9x Ident:a\\U000000e9");
    check("L u U u8 Lx", "Ident:L Ident:u Ident:U Ident:u8 Ident:Lx");
}

#[test]
fn numbers() {
    check(
        "0 1u 0x1fUL .5 1. 1e+5f 0x1p-3",
        "Number:0 Number:1u Number:0x1fUL Number:.5 Number:1. Number:1e+5f Number:0x1p-3",
    );
    check("0x1e+5 1+2 1...5", "Number:0x1e + Number:5 Number:1 + Number:2 Number:1 ... Number:5");
    check("1'000'000", "Number:1'000'000");
}

#[test]
fn literals() {
    check(r#""a\"b" L'\'' u8"é" '"'"#, r#"Str:"a\"b" Char:L'\'' Str:u8"é" Char:'"'"#);
    check("\"a\\\nb\"", "Str:\"a\\\nb\"");
    check(r#""\\""x""#, r#"Str:"\\" Str:"x""#);
    check_complaint("\"abc\nx", "0+4: missing closing `\"`", "Str:\"abc Ident:x");
    check_complaint("'\\", "0+2: missing closing `'`", "Char:'\\");
    check_complaint("''", "0+2: empty character constant", "Char:''");
}

#[test]
fn punctuators() {
    check("a<<=b>>=c...d", "Ident:a <<= Ident:b >>= Ident:c ... Ident:d");
    check("+++--->->=<", "++ + -- -> -> = <");
    check("<: :> <% %> a<:1:>", "[ ] { } Ident:a [ Number:1 ]");
    check_complaint("a ` b", "2+1: stray ``` in program", "Ident:a Ident:b");
    check_complaint("a\u{1}b", "1+1: stray `\\u{1}` in program", "Ident:a Ident:b");
}

#[test]
fn white_space_and_comments() {
    check("\u{feff}a\r\n\x0c\tb\\\nc\\\r\nd", "Ident:a Ident:b Ident:c Ident:d");
    check("a // b \\\n c\nd /* e\n * f **/ g/**/h/***/i", "Ident:a Ident:d Ident:g Ident:h Ident:i");
    check_complaint("a /* b", "2+2: unterminated comment", "Ident:a");
}

/// The presumed file and line of every token.
#[track_caller]
fn check_lines(text: &str, expected: &[(&str, &str, u32)]) {
    let mut files = Files::default();
    let lexed = lex(text, "t.i", &mut files);
    let unit = crate::source::Unit { text, lines: lexed.lines, library: false };
    let (_, tokens) = lexed.tokens.split_last().unwrap();
    let found: Vec<_> = tokens
        .iter()
        .map(|token| (*token, unit.span(token.at)))
        .map(|(token, span)| (token.text(text), files.name(span.file), span.line))
        .collect();
    assert_eq!(found, expected, "{text:?}");
}

#[test]
fn lines() {
    check_lines("a\nb\r\n\nc", &[("a", "t.i", 1), ("b", "t.i", 2), ("c", "t.i", 4)]);
    check_lines(
        "# 1 \"x.c\" 1\na\n b\n#line 9\nc\n # 3 \"y.h\"\nd",
        &[("a", "x.c", 1), ("b", "x.c", 2), ("c", "x.c", 9), ("d", "y.h", 3)],
    );
    check_lines(
        "/*\n*/ a \\\n b\n\"\\\n\" c // \\\n\nd",
        &[("a", "t.i", 2), ("b", "t.i", 3), ("\"\\\n\"", "t.i", 4), ("c", "t.i", 5), ("d", "t.i", 7)],
    );
    check_lines("# 4294967295 \"x\"\na\nb", &[("a", "x", u32::MAX), ("b", "x", 0)]);
}

#[test]
fn packs() {
    let text = "#pragma pack(1)\na\n#pragma pack(push)\n#pragma pack(push, 4)\nb\n#pragma pack(pop)\nc\n\
                #pragma pack(pop)\n#pragma pack(pop)\nd\n#pragma other\n";
    let lexed = lex(text, "t.i", &mut Files::default());
    let at = |token: usize| {
        lexed.packs.iter().rev().find(|(first, _)| *first <= token).and_then(|(_, pack)| *pack)
    };
    assert_eq!([at(0), at(1), at(2), at(3)], [Some(1), Some(4), Some(1), None]);
}

#[test]
fn directives_that_do_not_belong_here() {
    check_complaint("#if 1\na", "0+5: unexpected directive `#if` in preprocessed text", "Ident:a");
    check_complaint("#undef a\na", "0+8: ignored `#undef` in preprocessed text", "Ident:a");
    check("a\n#ident \"x\"\n#pragma omp\n#\nb", "Ident:a Ident:b");
    check_complaint("a #b", "2+1: stray `#` in program", "Ident:a Ident:b");
}
