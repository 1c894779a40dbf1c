//! Findings as GitHub's workflow commands: a line each, which GitHub shows beside the source line.
//!
//! <https://docs.github.com/actions/reference/workflow-commands-for-github-actions>: `%`, line breaks, and in properties also `:` and `,`, are escaped.

use crate::summary::{Status, Summary, explained};
use crate::{Diagnostic, Level};

/// The lines.
pub fn render(summary: &Summary<'_>) -> String {
    let mut text = String::new();
    for diagnostic in summary.diagnostics {
        text += &of_diagnostic(diagnostic);
    }
    for finding in summary.findings() {
        let (file, line, column) = finding.place();
        let title = format!("threadproof: {} ({})", explained(finding.property).0, finding.property);
        let level = if finding.known { "notice" } else { "error" };
        text += &command(level, file, line, column, &title, &finding.text());
    }
    for answer in summary.answers.iter().filter(|answer| answer.status == Status::Open) {
        let reason = answer.reason.as_deref().unwrap_or("no answer");
        text += &command("warning", "", 0, 0, &format!("threadproof: {} is open", answer.property), reason);
    }
    text
}

fn of_diagnostic(diagnostic: &Diagnostic) -> String {
    let name = match diagnostic.level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "notice",
    };
    let span = diagnostic.span;
    command(name, &diagnostic.file, span.line, span.col, "threadproof", &diagnostic.message)
}

fn command(name: &str, file: &str, line: u32, column: u32, title: &str, message: &str) -> String {
    let mut properties = Vec::new();
    if !file.is_empty() {
        properties.push(format!("file={}", property(file)));
    }
    if line > 0 {
        properties.push(format!("line={line}"));
    }
    if column > 0 {
        properties.push(format!("col={column}"));
    }
    properties.push(format!("title={}", property(title)));
    format!("::{name} {}::{}\n", properties.join(","), value(message))
}

fn value(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    value(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::tests::{race, summary};

    #[test]
    fn a_line_for_each_finding() {
        let lanes = race(10);
        let files = ["src/a b.c".into()];
        let text = render(&summary(&lanes, &files));
        let expected = "::error file=src/a b.c,line=11,col=3,title=threadproof%3A No data race (no-data-race)::\
                        data race on x%0Awrite of <4> bytes & more\n\
                        ::warning title=threadproof%3A no-deadlock is open::timeout\n";
        assert_eq!(text, expected);
    }
}
