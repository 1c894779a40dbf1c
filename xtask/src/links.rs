//! Links of Markdown files lead somewhere: to files of the repository, and to headings that are there. The guide's table of contents has all of its chapters.
//!
//! Links to other sites are not followed: they change without us.

use std::collections::BTreeSet;
use std::path::Path;

/// What is wrong with the links of a Markdown file.
pub fn flaws_of(root: &Path, name: &str, text: &str) -> Vec<String> {
    let path = root.join(name);
    let folder = path.parent().unwrap_or(root);
    let mut flaws = Vec::new();
    for target in targets(text) {
        if target.contains("://") || target.starts_with("mailto:") {
            continue;
        }
        let (file, heading) = target.split_once('#').unwrap_or((target, ""));
        let file = if file.is_empty() { path.clone() } else { folder.join(file) };
        if !file.exists() {
            flaws.push(format!("{name}: the link to {target} leads nowhere"));
        } else if !heading.is_empty()
            && !std::fs::read_to_string(&file).is_ok_and(|text| headings(&text).contains(heading))
        {
            flaws.push(format!("{name}: there is no heading for the link to {target}"));
        }
    }
    if name.ends_with("/SUMMARY.md") {
        let listed: BTreeSet<&str> = targets(text).collect();
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let chapter = entry.file_name().to_string_lossy().into_owned();
            if chapter.ends_with(".md") && chapter != "SUMMARY.md" && !listed.contains(chapter.as_str()) {
                flaws.push(format!("{name}: the chapter {chapter} is not listed"));
            }
        }
    }
    flaws
}

/// The targets of all links outside of code.
fn targets(text: &str) -> impl Iterator<Item = &str> {
    let mut in_block = false;
    let lines = text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        in_block ^= is_fence;
        !in_block && !is_fence
    });
    lines.flat_map(|line| {
        // What stands between backquotes is no link.
        let mut parts = line.split("](");
        let mut before = parts.next().unwrap_or_default().matches('`').count();
        parts.filter_map(move |part| {
            let is_code = before % 2 == 1;
            before += part.matches('`').count();
            let (target, _) = part.split_once(')')?;
            (!is_code && !target.contains(' ')).then_some(target)
        })
    })
}

/// The names under which headings can be linked to.
fn headings(text: &str) -> BTreeSet<String> {
    let titles = text
        .lines()
        .filter_map(|line| line.strip_prefix('#'))
        .map(|line| line.trim_start_matches('#').trim());
    let name = |title: &str| {
        let kept = title.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.collect::<String>().to_lowercase().replace(' ', "-")
    };
    titles.map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_found() {
        let text = "[a](b.md) and `[c](d)` and [e](https://f)\n```\n[g](h)\n```\n[i](#j)\n";
        assert_eq!(targets(text).collect::<Vec<_>>(), ["b.md", "https://f", "#j"]);
    }

    #[test]
    fn headings_have_names() {
        let names = headings("# First steps\n## What `unknown` means, and why?\ntext\n");
        assert_eq!(names.into_iter().collect::<Vec<_>>(), ["first-steps", "what-unknown-means-and-why"]);
    }

    #[test]
    fn dead_links_are_flaws() {
        let folder = std::env::temp_dir().join(format!("threadproof-links-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join("a.md"), "# There\n").expect("a file");
        let check = |text: &str| flaws_of(&folder, "b.md", text).len();
        assert_eq!((check("[x](a.md) [y](a.md#there)"), check("[x](c.md) [y](a.md#here)")), (0, 2));
        assert_eq!(flaws_of(&folder, "./SUMMARY.md", "[x](b.md)").len(), 2);
        std::fs::remove_dir_all(&folder).expect("the folder");
    }
}
