//! Compiles and links the user's program with the run-time, and finds out which line each call of a hook is in.

use super::script::{Anchor, Goal, Object, Script, line_name, symbol};
use crate::options::SourceOptions;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The parts of the run-time.
const RUNTIME: [(&str, &str); 4] = [
    ("schedule.h", include_str!("runtime/schedule.h")),
    ("schedule.c", include_str!("runtime/schedule.c")),
    ("accesses.c", include_str!("runtime/accesses.c")),
    ("calls.c", include_str!("runtime/calls.c")),
];

/// What the program is linked with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Build {
    /// The hooks are the run-time's.
    Plain,
    /// ThreadSanitizer is behind the hooks.
    ThreadSanitizer,
    /// AddressSanitizer has its own hooks; only calls are seen.
    AddressSanitizer,
}

/// Where everything is written.
pub struct Workshop<'a> {
    folder: &'a Path,
    compiler: (String, Vec<String>),
}

impl<'a> Workshop<'a> {
    /// A scratch folder, and the compiler that `$CC` names.
    pub fn new(folder: &'a Path) -> Self {
        let command = std::env::var("CC").unwrap_or_default();
        let mut words = command.split_whitespace().map(str::to_owned);
        let program = words.next().unwrap_or_else(|| "cc".to_owned());
        Self { folder, compiler: (program, words.collect()) }
    }

    /// Where the run-time says what happened.
    pub fn result(&self) -> PathBuf {
        self.folder.join("result")
    }

    /// The program; an error is what the compiler said.
    pub fn build(
        &self,
        files: &[PathBuf],
        source: &SourceOptions,
        script: &Script,
        build: Build,
    ) -> Result<PathBuf, String> {
        let mut objects = Vec::new();
        for (number, file) in files.iter().enumerate() {
            let object = self.folder.join(format!("unit{number}.o"));
            let mut arguments = flags(file, source);
            arguments.push(match build {
                Build::Plain | Build::ThreadSanitizer => "-fsanitize=thread".into(),
                Build::AddressSanitizer => "-fsanitize=address".into(),
            });
            arguments.extend(["-c".into(), file.into(), "-o".into(), object.clone().into()]);
            self.compile(&arguments)?;
            objects.push(object);
        }
        objects.extend(self.runtime(build)?);
        let program = self.folder.join("program");
        self.link(&objects, &program, build, script)?;
        let plan = self.plan(&program, script)?;
        std::fs::write(self.folder.join("plan"), plan).map_err(|error| error.to_string())?;
        Ok(program)
    }

    fn runtime(&self, build: Build) -> Result<Vec<PathBuf>, String> {
        let mut objects = Vec::new();
        for (name, text) in RUNTIME {
            let path = self.folder.join(name);
            std::fs::write(&path, text).map_err(|error| error.to_string())?;
            if name.ends_with(".h") || (name == "accesses.c" && build == Build::AddressSanitizer) {
                continue;
            }
            let object = path.with_extension("o");
            let define = |name: &str, value: &str| OsString::from(format!("-DTHREADPROOF_{name}={value}"));
            let quoted = |path: PathBuf| format!("\"{}\"", path.display());
            self.compile(&[
                "-O2".into(),
                "-w".into(),
                define("TSAN", if build == Build::ThreadSanitizer { "1" } else { "0" }),
                define("PLAN", &quoted(self.folder.join("plan"))),
                define("RESULT", &quoted(self.result())),
                "-c".into(),
                path.into(),
                "-o".into(),
                object.clone().into(),
            ])?;
            objects.push(object);
        }
        Ok(objects)
    }

    fn compile(&self, arguments: &[OsString]) -> Result<(), String> {
        let output = self.run(&self.compiler.0, &self.compiler.1, arguments)?;
        if output.status.success() { Ok(()) } else { Err(lossy(&output.stderr)) }
    }

    /// Links; functions that are defined nowhere give the inputs of the trace.
    fn link(&self, objects: &[PathBuf], program: &Path, build: Build, script: &Script) -> Result<(), String> {
        let mut arguments: Vec<OsString> = vec!["-no-pie".into(), "-pthread".into()];
        match build {
            Build::Plain => {}
            Build::ThreadSanitizer => arguments.push("-fsanitize=thread".into()),
            Build::AddressSanitizer => arguments.push("-fsanitize=address".into()),
        }
        let accesses = if build == Build::ThreadSanitizer { hooks() } else { Vec::new() };
        arguments.extend(calls().iter().chain(&accesses).map(|name| format!("-Wl,--wrap={name}").into()));
        arguments.extend(objects.iter().map(Into::into));
        let rest: [OsString; 4] = ["-lm".into(), "-ldl".into(), "-o".into(), program.into()];
        let first: Vec<OsString> = arguments.iter().chain(&rest).cloned().collect();
        let Err(message) = self.compile(&first) else { return Ok(()) };
        let undefined: BTreeSet<&str> = message
            .lines()
            .filter_map(|line| line.split_once("undefined reference to `"))
            .filter_map(|(_, rest)| rest.split_once('\'').map(|(name, _)| name))
            .collect();
        if undefined.is_empty() {
            return Err(message);
        }
        let stubs = self.folder.join("stubs.c");
        std::fs::write(&stubs, stub_text(&undefined, script)).map_err(|error| error.to_string())?;
        let object = self.folder.join("stubs.o");
        self.compile(&["-w".into(), "-c".into(), stubs.into(), "-o".into(), object.clone().into()])?;
        arguments.push(object.into());
        arguments.extend(rest);
        self.compile(&arguments)
    }

    /// What the run-time reads: numbers for lines and objects, the schedule, the inputs.
    fn plan(&self, program: &Path, script: &Script) -> Result<String, String> {
        let sites = self.sites(program)?;
        let mut lines: BTreeMap<&str, usize> = BTreeMap::new();
        let named = sites.iter().map(|(_, line)| line).chain(script.keys.iter().map(|key| &key.line));
        for line in named.chain(script.inputs.iter().map(|input| &input.line)) {
            let next = lines.len();
            lines.entry(line).or_insert(next);
        }
        let mut text = String::new();
        let _ = match script.goal {
            Goal::Fails(thread) => writeln!(text, "M A {thread} 0 0"),
            Goal::Deadlock => writeln!(text, "M D 0 0 0"),
            Goal::Race(left, right) => writeln!(text, "M R 0 {left} {right}"),
        };
        let by_number: BTreeMap<usize, &str> = lines.iter().map(|(line, number)| (*number, *line)).collect();
        by_number.values().for_each(|line| {
            let _ = writeln!(text, "L {line}");
        });
        script.threads.iter().for_each(|name| {
            let _ = writeln!(text, "T {name}");
        });
        let mut names: BTreeMap<&str, usize> = BTreeMap::new();
        for key in &script.keys {
            let object = match &key.object {
                Object::Elsewhere => 0,
                Object::OnAStack => 1,
                Object::Named(name) => {
                    let next = names.len() + 2;
                    *names.entry(name).or_insert(next)
                }
            };
            let _ = writeln!(text, "K {} {} {object}", key.kind, lines[&*key.line]);
        }
        for (from, to, name) in self.symbols(program)? {
            let known = names.get(&*symbol(&name)).copied();
            if let Some(number) = known {
                let _ = writeln!(text, "Y {from:x} {to:x} {number}");
            }
            if name == "reach_error" {
                let _ = writeln!(text, "E {from:x} {to:x}");
            }
        }
        let mut sorted: Vec<_> = sites.iter().collect();
        sorted.sort();
        for (pc, line) in sorted {
            let _ = writeln!(text, "P {pc:x} {}", lines[&**line]);
        }
        text.push_str(&forced(script, &lines));
        Ok(text)
    }

    /// Where calls return to, and the lines that they are in.
    fn sites(&self, program: &Path) -> Result<Vec<(u64, String)>, String> {
        let listing =
            self.run("objdump", &[], &["-d".into(), "--no-show-raw-insn".into(), program.into()])?;
        let listing = lossy(&listing.stdout);
        let mut returns = Vec::new();
        let mut follows_call = false;
        for line in listing.lines() {
            let Some((address, instruction)) = line.split_once(":\t") else { continue };
            let Ok(address) = u64::from_str_radix(address.trim(), 16) else { continue };
            if follows_call {
                returns.push(address);
            }
            follows_call = instruction.starts_with("call");
        }
        let asked: String = returns.iter().fold(String::new(), |mut text, pc| {
            let _ = writeln!(text, "{:x}", pc - 1);
            text
        });
        let mut child = Command::new("addr2line")
            .arg("-e")
            .arg(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("addr2line: {error}"))?;
        let mut stdin = child.stdin.take().ok_or("addr2line reads nothing")?;
        let writer = std::thread::spawn(move || stdin.write_all(asked.as_bytes()));
        let output = child.wait_with_output().map_err(|error| error.to_string())?;
        let _ = writer.join();
        let answers = lossy(&output.stdout);
        let place = |answer: &str| {
            let (file, line) = answer.split(" (").next()?.rsplit_once(':')?;
            Some(line_name(file, line.parse().ok().filter(|line| *line > 0)?))
        };
        Ok(returns
            .into_iter()
            .zip(answers.lines())
            .filter_map(|(pc, answer)| Some((pc, place(answer)?)))
            .collect())
    }

    /// All symbols with a size: from, to, name.
    fn symbols(&self, program: &Path) -> Result<Vec<(u64, u64, String)>, String> {
        let output = self.run("nm", &[], &["-S".into(), "--defined-only".into(), program.into()])?;
        let listing = lossy(&output.stdout);
        let mut found: Vec<(u64, u64, String)> = listing
            .lines()
            .filter_map(|line| {
                let words: Vec<&str> = line.split_whitespace().collect();
                let [from, size, _, name] = words[..] else { return None };
                let from = u64::from_str_radix(from, 16).ok()?;
                Some((from, from + u64::from_str_radix(size, 16).ok()?, name.to_owned()))
            })
            .collect();
        found.sort();
        Ok(found)
    }

    fn run(
        &self,
        program: &str,
        words: &[String],
        arguments: &[OsString],
    ) -> Result<std::process::Output, String> {
        let mut command = Command::new(program);
        command.args(words).args(arguments).env("LC_ALL", "C").stdin(Stdio::null());
        command.output().map_err(|error| format!("{program}: {error}"))
    }
}

/// The schedule, the signals and the inputs, as lines of the plan.
fn forced(script: &Script, lines: &BTreeMap<&str, usize>) -> String {
    let mut text = String::new();
    let anchor = |anchor: &Option<Anchor>| {
        anchor.as_ref().map_or("-1 0".to_owned(), |anchor| format!("{} {}", anchor.key, anchor.count))
    };
    for segment in &script.segments {
        let _ = writeln!(text, "S {} {} {}", segment.thread, anchor(&segment.last), anchor(&segment.next));
    }
    for signal in &script.signals {
        let _ = writeln!(text, "V {} {} {}", signal.thread, anchor(&signal.after), signal.number);
    }
    for input in &script.inputs {
        let function = input.function.as_deref().unwrap_or("-");
        let _ = writeln!(text, "I {} {} {:x} {function}", input.thread, lines[&*input.line], input.value);
    }
    text
}

/// How a unit is compiled: as it is read for verification, without optimisation.
fn flags(file: &Path, source: &SourceOptions) -> Vec<OsString> {
    let mut flags: Vec<OsString> =
        ["-std=gnu11", "-g", "-O0", "-w", "-fno-inline", "-fno-omit-frame-pointer", "-pthread"]
            .map(OsString::from)
            .to_vec();
    if file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("i")) {
        flags.extend(["-x", "cpp-output"].map(OsString::from));
    }
    flags.extend(source.flags.get(file).into_iter().flatten().cloned());
    flags.extend(
        ["-D__THREADPROOF__=1", "-U_FORTIFY_SOURCE", "-D__NO_CTYPE", "-D__CPROVER_bool=_Bool"]
            .map(OsString::from),
    );
    for folder in &source.include_dirs {
        flags.extend(["-I".into(), folder.into()]);
    }
    flags.extend(source.defines.iter().map(|define| format!("-D{define}").into()));
    flags
}

/// What is defined nowhere: functions give inputs, objects are zero.
fn stub_text(undefined: &BTreeSet<&str>, script: &Script) -> String {
    let mut text = "unsigned long long input(const char *, const void *);\n".to_owned();
    for name in undefined {
        let _ = match script.undefined_objects.iter().any(|object| object == name) {
            true => writeln!(text, "char {name}[4096];"),
            false => {
                writeln!(
                    text,
                    "long {name}(void) {{ return input(\"{name}\", __builtin_return_address(0)); }}"
                )
            }
        };
    }
    text
}

/// The functions that `calls.c` wraps.
fn calls() -> Vec<String> {
    let text = RUNTIME[3].1;
    let mut names: Vec<String> = text
        .lines()
        .flat_map(|line| ["WRAP(", "MUTEX(", "RWLOCK("].map(|macro_name| (line, macro_name)))
        .filter_map(|(line, macro_name)| line.strip_prefix(macro_name).map(|rest| (macro_name, rest)))
        .flat_map(|(macro_name, rest)| {
            let words: Vec<&str> = rest.split([',', ')', '(']).map(str::trim).collect();
            let range = match macro_name {
                "WRAP(" => 1..2,
                "MUTEX(" => 0..1,
                _ => 0..2,
            };
            words[range].iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()
        })
        .filter(|name| {
            name.contains('_') || ["sleep", "usleep", "nanosleep", "sigwait", "exit"].contains(&name.as_str())
        })
        .collect();
    names.sort();
    names
}

/// The hooks of ThreadSanitizer that `accesses.c` wraps.
fn hooks() -> Vec<String> {
    let mut names: Vec<String> = ["func_entry", "func_exit", "read_range", "write_range"]
        .into_iter()
        .chain(["atomic_thread_fence", "atomic_signal_fence"])
        .map(|name| format!("__tsan_{name}"))
        .collect();
    for size in [1, 2, 4, 8, 16] {
        for kind in ["read", "write"] {
            names.push(format!("__tsan_{kind}{size}"));
            names.push(format!("__tsan_volatile_{kind}{size}"));
            if size > 1 {
                names.push(format!("__tsan_unaligned_{kind}{size}"));
            }
        }
    }
    for bits in [8, 16, 32, 64] {
        let exchanges = ["compare_exchange_strong", "compare_exchange_weak", "compare_exchange_val"];
        let fetches = ["add", "sub", "and", "or", "xor", "nand"].map(|name| format!("fetch_{name}"));
        let plain = ["load", "store", "exchange"];
        let all = plain.into_iter().chain(exchanges).map(str::to_owned).chain(fetches);
        names.extend(all.map(|name| format!("__tsan_atomic{bits}_{name}")));
    }
    names
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_wrapped_call_is_given_to_the_linker() {
        let names = calls();
        let wrapped = RUNTIME[3].1.matches("\nWRAP(").count();
        assert!(names.len() >= wrapped, "{names:?}");
        for name in ["pthread_mutex_lock", "mtx_lock", "pthread_rwlock_tryrdlock", "sleep", "__assert_fail"] {
            assert!(names.iter().any(|known| known == name), "{name} is missing in {names:?}");
        }
    }
}
