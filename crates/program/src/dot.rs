//! Control-flow automata as Graphviz graphs: a node per location with its action and source line, an edge per
//! successor. Locations that no entry leads to are drawn, too, since what lowering left behind is worth seeing.

use crate::text::print_action;
use crate::{Action, FuncId, Location, Program};
use base::Span;
use std::fmt::Write;

/// Approximate number of characters after which labels are broken.
const LINE: usize = 60;

/// The automaton of `func` as a graph.
pub fn function(program: &Program, func: FuncId) -> String {
    let mut out = String::from("digraph program {\n");
    style(&mut out);
    nodes_and_edges(&mut out, program, func);
    out.push_str("}\n");
    out
}

/// All automata as one graph, with a cluster for each function.
pub fn program(program: &Program) -> String {
    let mut out = String::from("digraph program {\n");
    style(&mut out);
    for (func, function) in program.functions.iter_enumerated() {
        line(&mut out, format_args!("  subgraph cluster_{func} {{"));
        line(&mut out, format_args!("    label = \"{}\";", escape(&function.name, "\\n")));
        nodes_and_edges(&mut out, program, func);
        out.push_str("  }\n");
    }
    out.push_str("}\n");
    out
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("a String should accept all writes");
    out.push('\n');
}

fn style(out: &mut String) {
    out.push_str("  node [shape = box, fontname = \"monospace\"];\n");
    out.push_str("  edge [fontname = \"monospace\"];\n");
}

fn nodes_and_edges(out: &mut String, program: &Program, func: FuncId) {
    let Some(function) = program.functions.get(func) else { return };
    for (loc, location) in function.locations.iter_enumerated() {
        let text = format!("{loc}: {}", without_successors(program, func, location));
        let mut label = escape(&wrap(&text), "\\l") + "\\l";
        if location.span.is_somewhere() {
            label += &(escape(&place(program, location.span), "\\l") + "\\l");
        }
        let border = if loc == function.entry { ", penwidth = 2" } else { "" };
        line(
            out,
            format_args!("    {func}_{loc} [label = \"{label}\"{border}{}];", colour(&location.action)),
        );
    }
    for (loc, location) in function.locations.iter_enumerated() {
        match &location.action {
            Action::Branch { yes, no, .. } => {
                line(out, format_args!("    {func}_{loc} -> {func}_{yes} [label = \"yes\"];"));
                line(out, format_args!("    {func}_{loc} -> {func}_{no} [label = \"no\"];"));
            }
            other => {
                for next in other.successors() {
                    line(out, format_args!("    {func}_{loc} -> {func}_{next};"));
                }
            }
        }
    }
}

/// The action as text, without the labels that the edges show.
fn without_successors(program: &Program, func: FuncId, location: &Location) -> String {
    let text = print_action(program, func, &location.action);
    let tail = match &location.action {
        Action::Ops { next, .. } | Action::Call { next, .. } => format!(" -> {next}"),
        Action::Branch { yes, no, .. } => format!(" then {yes} else {no}"),
        _ => String::new(),
    };
    text.strip_suffix(tail.as_str()).unwrap_or(&text).to_string()
}

fn place(program: &Program, span: Span) -> String {
    let file = program.files.get(span.file).map_or("?", String::as_str);
    format!("{file}:{}:{}", span.line, span.col)
}

fn colour(action: &Action) -> &'static str {
    match action {
        Action::Error { .. } => ", color = red",
        Action::Unsupported(_) | Action::Undefined(_) => ", color = orange",
        Action::Ops { sync: Some(_), .. } => ", color = blue",
        Action::Ops { .. }
        | Action::Branch { .. }
        | Action::Call { .. }
        | Action::Return(_)
        | Action::ThreadExit(_)
        | Action::Exit => "",
    }
}

/// Breaks long lines at spaces.
fn wrap(text: &str) -> String {
    let mut out = String::new();
    let mut length = 0;
    for word in text.split(' ') {
        if length > 0 {
            let full = length + word.len() > LINE;
            out.push_str(if full { "\n    " } else { " " });
            length = if full { 4 } else { length + 1 };
        }
        out.push_str(word);
        length += word.len();
    }
    out
}

/// `text` between the quotes of a label; lines end with `line_end`.
fn escape(text: &str, line_end: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str(line_end),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
        file "a\"b.c"
        object `x"y`: 4
        function main() -> 32 {
            reg t: 32
                t = [&`x"y`]:32 @0:3:7
                if t <s 0 then bad else good
          bad:  error unreach-call "back\\slash"
          good: call `f\n`(t)
                return 0
        }
        function `f\n`(p: 32) { return }
    "#;

    #[test]
    fn one_function() {
        let program = crate::text::parse(TEXT).unwrap();
        let expect = r#"digraph program {
  node [shape = box, fontname = "monospace"];
  edge [fontname = "monospace"];
    f0_L0 [label = "L0: t = [&`x\"y`]:32\la\"b.c:3:7\l", penwidth = 2];
    f0_L1 [label = "L1: if t <s 0\l"];
    f0_L2 [label = "L2: error unreach-call \"back\\\\slash\"\l", color = red];
    f0_L3 [label = "L3: call `f\\n`(t)\l"];
    f0_L4 [label = "L4: return 0\l"];
    f0_L0 -> f0_L1;
    f0_L1 -> f0_L2 [label = "yes"];
    f0_L1 -> f0_L3 [label = "no"];
    f0_L3 -> f0_L4;
}
"#;
        assert_eq!(function(&program, FuncId(0)), expect);
    }

    #[test]
    fn a_cluster_for_each_function() {
        let text = program(&crate::text::parse(TEXT).unwrap());
        assert!(text.contains("subgraph cluster_f0 {\n    label = \"main\";"), "{text}");
        assert!(text.contains("subgraph cluster_f1 {\n    label = \"f\\n\";"), "{text}");
        assert_eq!(text.matches('{').count(), text.matches('}').count());
    }

    #[test]
    fn long_actions_are_wrapped() {
        let text = wrap(&"word ".repeat(30));
        assert!(text.lines().count() > 2 && text.lines().all(|l| l.len() <= LINE + 5), "{text}");
    }
}
