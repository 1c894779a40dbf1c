//! The families P1-n and P2-n of the RedComp paper (Popeea, Rybalchenko, Wilhelm, FMCAD 2014), for any n.
//!
//! The first thread holds `mx` throughout and takes `my` twice; each of the four blocks has n statements. The second thread
//! works under `mx`, the third under `my`. `x` ends as 7 + 2n (first before second) or 7 + 6n; 7 + 4n would need the second
//! thread in the middle of the first one's section. In P2-n the third thread also touches `y` without its lock. The programs of
//! `tests/programs/redcomp/` are members of the families.

use super::verify;
use crate::workspace::target;
use std::path::Path;

/// `cargo xtask redcomp FAMILY N [broken]`: prints a program.
pub fn print_program(arguments: &[&str]) -> Result<(), String> {
    let number = |at: usize| arguments.get(at).and_then(|n| n.parse::<u32>().ok());
    match (number(0), number(1), arguments.get(2)) {
        (Some(family @ (1 | 2)), Some(n), variant @ (None | Some(&"broken"))) => {
            print!("{}", program(family, n, variant.is_some()));
            Ok(())
        }
        _ => Err("redcomp 1|2 N [broken]".to_owned()),
    }
}

/// The text of a program: `family` is 1 or 2; a broken one asserts that the first thread is not the first.
pub fn program(family: u32, n: u32, broken: bool) -> String {
    let times = |line: &str| format!("    {line}\n").repeat(n as usize);
    let (add_a, add_x, add_y) = (times("y = y + a;"), times("x = x + 2;"), times("y = y + 2;"));
    let unlocked = if family == 2 { "    y = y + 1;\n" } else { "" };
    let never = if broken { 7 + 2 * n } else { 7 + 4 * n };
    format!(
        "#include <assert.h>
#include <pthread.h>

pthread_mutex_t mx = PTHREAD_MUTEX_INITIALIZER, my = PTHREAD_MUTEX_INITIALIZER;
int x = 2, y = 2;

void *first(void *arg)
{{
    pthread_mutex_lock(&mx);
    int a = x;
    pthread_mutex_lock(&my);
{add_a}    pthread_mutex_unlock(&my);
    a = a + 1;
    pthread_mutex_lock(&my);
{add_a}    pthread_mutex_unlock(&my);
    x = 2 * x + a;
    pthread_mutex_unlock(&mx);
    return 0;
}}

void *second(void *arg)
{{
    pthread_mutex_lock(&mx);
{add_x}    pthread_mutex_unlock(&mx);
    return 0;
}}

void *third(void *arg)
{{
    pthread_mutex_lock(&my);
{add_y}    pthread_mutex_unlock(&my);
{unlocked}    return 0;
}}

int main(void)
{{
    pthread_t a, b, c;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_create(&c, 0, third, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    assert(x != {never});
    return 0;
}}
"
    )
}

/// Times both families, with and without reduction; what takes longer than `seconds`, or is handed over to Impact, is `-`.
pub fn table(seconds: u32) -> Result<(), String> {
    let folder = target().join("redcomp-table");
    std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
    println!("| program | verdict | reduction on, s | off, s |");
    println!("|---|---|---|---|");
    for family in [1, 2] {
        for n in [1, 5, 10, 50, 100] {
            let file = folder.join(format!("p{family}_{n}.c"));
            std::fs::write(&file, program(family, n, false)).map_err(|e| e.to_string())?;
            let (verdict, on) = time(&file, "on", seconds)?;
            let (_, off) = time(&file, "off", seconds)?;
            println!("| P{family}-{n} | {verdict} | {on} | {off} |");
        }
    }
    Ok(())
}

fn time(file: &Path, reduction: &str, seconds: u32) -> Result<(String, String), String> {
    let answer = verify(file, &["--engine", "redcomp", "--reduction", reduction], seconds)?;
    // An answer of the engine that RedComp hands over to is none of RedComp's.
    let other = answer.stats["answered_by"] == "impact";
    let none = answer.verdict.starts_with("unknown") || other;
    let time = if none { "-".to_owned() } else { format!("{:.2}", answer.seconds) };
    Ok((answer.verdict, time))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_programs_of_the_repository_are_members() {
        for (family, n, broken) in
            [(1, 1, false), (1, 2, false), (1, 2, true), (2, 1, false), (2, 2, false), (2, 2, true)]
        {
            let variant = if broken { "_broken" } else { "" };
            let name = format!("tests/programs/redcomp/p{family}_{n}{variant}.c");
            let text = std::fs::read_to_string(crate::workspace::root().join(&name))
                .expect("the program should be there");
            let code: String =
                text.lines().filter(|l| !l.starts_with("//")).map(|l| format!("{l}\n")).collect();
            assert_eq!(code, program(family, n, broken), "{name}");
        }
    }
}
