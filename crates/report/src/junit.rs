//! Answers as JUnit's XML, the format that build servers show: a test case for each property. A violated one has failed, an open one was skipped, and a program that
//! cannot be read is an error.

use crate::summary::{Answer, Status, Summary};
use crate::{Level, TerminalStyle, lanes};
use std::fmt::Write;

/// The document.
pub fn render(summary: &Summary<'_>) -> String {
    let n = summary.answers.len();
    let count =
        |status| summary.answers.iter().filter(|answer| answer.status == status && !answer.known).count();
    let n_known = summary.answers.iter().filter(|answer| answer.known).count();
    let is_error = summary.diagnostics.iter().any(|diagnostic| diagnostic.level == Level::Error);
    let (failures, open) = (count(Status::Violated), count(Status::Open));
    let (errors, skipped) = if is_error { (open, n_known) } else { (0, open + n_known) };
    let counts = format!(
        "tests=\"{n}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\" time=\"{:.3}\"",
        summary.seconds
    );
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"threadproof\" {counts}>\n  <testsuite name=\"{}\" {counts}>\n",
        escape(&summary.name())
    );
    for answer in &summary.answers {
        let _ = writeln!(
            text,
            "    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3}\">",
            escape(&summary.name()),
            answer.property,
            answer.seconds
        );
        text += &outcome(answer, summary, is_error);
        text += "    </testcase>\n";
    }
    text + "  </testsuite>\n</testsuites>\n"
}

fn outcome(answer: &Answer<'_>, summary: &Summary<'_>, is_error: bool) -> String {
    match answer.status {
        Status::Proved => String::new(),
        Status::Violated if answer.known => {
            format!("      <skipped message=\"{}, known\"/>\n", escape(&answer.verdict))
        }
        Status::Violated => {
            let lanes = answer
                .counterexample
                .map(|it| lanes::render(it, TerminalStyle::plain(100)))
                .unwrap_or_default();
            let message = answer.counterexample.and_then(|lanes| lanes.ending.first());
            let message = message.map_or(answer.verdict.as_str(), String::as_str);
            format!(
                "      <failure message=\"{}\" type=\"{}\">{}</failure>\n",
                escape(message),
                answer.violated,
                escape(&lanes)
            )
        }
        Status::Open if is_error => {
            let messages: Vec<String> = summary.diagnostics.iter().map(|it| it.message.clone()).collect();
            format!("      <error message=\"{}\"/>\n", escape(&messages.join("; ")))
        }
        Status::Open => {
            let reason = answer.reason.as_deref().unwrap_or("no answer");
            format!("      <skipped message=\"{}\"/>\n", escape(reason))
        }
    }
}

/// Text as it may stand in an attribute or an element; characters that XML does not have are left out.
fn escape(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\t' | '\n' => out.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::tests::{race, summary};

    #[test]
    fn a_case_for_each_property() {
        let lanes = race(10);
        let files = ["src/a b.c".into()];
        let text = render(&summary(&lanes, &files));
        assert!(text.contains("<testsuites name=\"threadproof\" tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\" time=\"1.250\">"), "{text}");
        assert!(text.contains("<failure message=\"data race on x\" type=\"no-data-race\">"), "{text}");
        assert!(text.contains("write of &lt;4&gt; bytes &amp; more"), "{text}");
        assert!(text.contains("<skipped message=\"timeout\"/>"), "{text}");
    }

    #[test]
    fn what_xml_does_not_have_is_left_out() {
        assert_eq!(escape("a\u{1}\"<\n"), "a&quot;&lt;\n");
    }
}
