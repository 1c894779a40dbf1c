//! The models of the C library against the system's library: the same calls give the same results, in our interpreter and natively.
//!
//! A program is a list of blocks made from templates ([`calls`]), each a few calls with random arguments that records what it gets: results,
//! `errno`, the bytes of buffers. Many blocks make one program, which is compiled and run, and interpreted. All are defined by C and
//! need no input, except those of `calls::open`, which leave a choice that must not matter. Without a C compiler the test says so and passes.
//!
//! `THREADPROOF_CALLS` sets how many blocks are made of each template, `THREADPROOF_SEED` the first one's seed, `THREADPROOF_TEMPLATE` a
//! text that the templates to try contain, `THREADPROOF_BATCH` how many blocks go into one program (with 1, every difference is reported).

mod calls;

use base::{Idx, Random};
use calls::PRELUDE;
use frontend::{Options, load, load_text};
use program::interp::{Choice, Chooser, Interp, NoObserver, StepResult, ThreadId};
use program::passes::Overflow;
use program::{DataModel, ObjectId, Program, Width};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program that takes longer does not terminate.
const MAX_STEPS: usize = 50_000_000;

/// What a program recorded: for each value, the block and the value.
type Results = Vec<(u64, u64)>;

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// A program of the given blocks.
fn program_text(blocks: &[String]) -> String {
    let mut text = PRELUDE.to_owned();
    let mut main = String::from("int main(void) {\n");
    for (n, block) in blocks.iter().enumerate() {
        text += &format!("static void block{n}(void) {{\n  {block}\n}}\n");
        main += &format!("  current = {n}; errno = 0; block{n}();\n");
    }
    main += "#ifdef NATIVE\n  for (unsigned i = 0; i < n_out; i++) printf(\"%u %llu\\n\", block_of[i], out[i]);\n#endif\n  return 0;\n}\n";
    text + &main
}

fn native(source: &Path) -> Results {
    let binary = source.with_extension("");
    let compiled = Command::new("cc")
        .args(["-std=gnu11", "-w", "-ffp-contract=off", "-fno-builtin", "-DNATIVE", "-o"])
        .args([&binary, source])
        .arg("-lm")
        .output()
        .expect("cc should start");
    assert!(compiled.status.success(), "{}: {}", source.display(), String::from_utf8_lossy(&compiled.stderr));
    let run = Command::new(&binary).env_clear().output().expect("a compiled program should start");
    assert!(run.status.success(), "{}: {}", source.display(), String::from_utf8_lossy(&run.stderr));
    let lines = String::from_utf8(run.stdout).expect("numbers should be text");
    let pair = |line: &str| -> Option<(u64, u64)> {
        let (block, value) = line.split_once(' ')?;
        Some((block.parse().ok()?, value.parse().ok()?))
    };
    lines.lines().map(|line| pair(line).expect("results should be pairs of numbers")).collect()
}

/// Indeterminate bytes are anything, and must not matter; inputs are anything, where they are allowed.
struct Anything {
    state: u128,
    inputs: bool,
}

impl Chooser for Anything {
    fn choose(&mut self, _width: Width, what: &Choice) -> Option<u128> {
        self.state = self.state.wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645).wrapping_add(1);
        let bits = self.state >> 7;
        match what {
            Choice::Indeterminate(_) => Some(bits),
            // Small numbers, and sometimes 1.0: most assumptions about them hold.
            _ if self.inputs => {
                Some([bits % 3, bits % 3, bits % 1000, 0x3ff0_0000_0000_0000][(bits >> 20) as usize % 4])
            }
            _ => None,
        }
    }
}

/// Our results, and why there are no more.
fn interpreted(source: &Path, inputs: bool, overflow: Overflow) -> (Results, Option<String>) {
    let loaded = load(&[source.to_owned()], &Options::default());
    let Some(program) = loaded.program else {
        return (Vec::new(), Some(format!("it is not accepted: {:?}", loaded.diagnostics)));
    };
    let program = program.with(overflow);
    let interp = Interp::new(&program).expect("the program should start");
    let mut state = interp.initial();
    let mut anything = Anything { state: 1, inputs };
    let mut end = Some("it does not terminate".to_owned());
    for _ in 0..MAX_STEPS {
        match interp.step(&mut state, ThreadId::MAIN, &mut anything, &mut NoObserver) {
            StepResult::Continue => {}
            // What the choices exclude ends early, and proves nothing.
            StepResult::Ended | StepResult::Pruned => {
                end = None;
                break;
            }
            other => {
                let place = interp.position(&state, ThreadId::MAIN);
                end = Some(format!("it ends with {other:?} at {place:?}"));
                break;
            }
        }
    }
    let read = |name, size| numbers(&interp.static_bytes(&state, object(&program, name)), size);
    let current = read("current", 4)[0];
    let n_out = read("n_out", 4)[0] as usize;
    let results = read("block_of", 4).into_iter().zip(read("out", 8)).take(n_out).collect();
    (results, end.map(|why| format!("block {current}: {why}")))
}

fn object(program: &Program, name: &str) -> ObjectId {
    let at = program.objects.iter().position(|o| o.name == name);
    ObjectId::new(at.expect("the results should be there"))
}

/// Little-endian numbers of `size` bytes; indeterminate bytes do not occur.
fn numbers(bytes: &[Option<u8>], size: usize) -> Vec<u64> {
    let byte = |b: &Option<u8>| u64::from(b.expect("results should be determinate"));
    bytes.chunks(size).map(|word| word.iter().rev().fold(0, |value, b| (value << 8) | byte(b))).collect()
}

/// Runs blocks both ways; says what differs, with the block.
fn compare(name: &str, blocks: &[String], inputs: bool, overflow: Overflow) -> Option<String> {
    let source = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.c"));
    std::fs::write(&source, program_text(blocks)).expect("the temporary directory should be writable");
    let theirs = native(&source);
    let (ours, end) = interpreted(&source, inputs, overflow);
    let differs = ours.iter().zip(&theirs).position(|(ours, theirs)| ours != theirs);
    match (differs, end) {
        (Some(at), _) => {
            let block = theirs[at].0 as usize;
            let before = theirs[..at].iter().filter(|(of, _)| *of == block as u64).count();
            Some(format!(
                "{}: result {before} is {:#x} in block {}, not {:#x} in block {block}: {}",
                source.display(),
                ours[at].1,
                ours[at].0,
                theirs[at].1,
                blocks[block]
            ))
        }
        (None, Some(why)) => {
            let block = why.split([' ', ':']).nth(1).and_then(|n| n.parse::<usize>().ok());
            let text = block.and_then(|n| blocks.get(n)).map_or("", String::as_str);
            Some(format!("{}: {why}: {text}", source.display()))
        }
        (None, None) if ours.len() != theirs.len() && !inputs => {
            Some(format!("{}: results are missing", source.display()))
        }
        (None, None) => None,
    }
}

fn has_compiler() -> bool {
    let found = Command::new("cc").arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        eprintln!("there is no cc: nothing is compared");
    }
    found
}

/// All blocks of all templates: every batch holds each template about once.
fn blocks(templates: &[&str], seed: u64) -> Vec<String> {
    let only = std::env::var("THREADPROOF_TEMPLATE").unwrap_or_default();
    let chosen: Vec<&&str> = templates.iter().filter(|t| t.contains(&only)).collect();
    (seed..seed + number("THREADPROOF_CALLS", 4))
        .flat_map(|round| {
            chosen.iter().enumerate().map(move |(n, template)| {
                calls::instance(template, &mut Random(round.wrapping_mul(1_000_003) + n as u64))
            })
        })
        .collect()
}

fn check(name: &str, templates: &[&str], inputs: bool) {
    if !has_compiler() {
        return;
    }
    let seed = number("THREADPROOF_SEED", 0);
    let failures: Vec<String> = blocks(templates, seed)
        .chunks(number("THREADPROOF_BATCH", 100) as usize)
        .enumerate()
        .filter_map(|(n, chunk)| {
            let overflow = if n % 2 == 1 { Overflow::IsError } else { Overflow::Wraps };
            compare(&format!("{name}{seed}_{n}"), chunk, inputs, overflow)
        })
        .collect();
    assert!(failures.is_empty(), "{} programs differ:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn calls_give_what_the_library_gives() {
    check("exact", &calls::exact(), false);
}

#[test]
fn open_choices_do_not_matter() {
    check("open", &calls::open(), true);
}

#[test]
fn channels_carry_what_is_written() {
    if !has_compiler() {
        return;
    }
    for (n, template) in calls::CHANNELS.iter().enumerate() {
        let block = calls::instance(template, &mut Random(n as u64));
        let differs = compare(&format!("channels{n}"), &[block], false, Overflow::Wraps);
        assert_eq!(differs, None);
    }
}

/// The names of functions that the models define.
fn defined_names() -> Vec<String> {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
    let mut names = Vec::new();
    for entry in std::fs::read_dir(models).expect("the models should be there") {
        let path = entry.expect("the models should be readable").path();
        if path.extension().is_none_or(|extension| extension != "c") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("the models should be readable");
        let is_definition = |line: &&str| {
            line.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                && !["static", "extern", "typedef", "enum", "struct {", "union"]
                    .iter()
                    .any(|word| line.starts_with(word))
        };
        let name = |line: &str| {
            let before = line.split_once('(')?.0;
            Some(before.rsplit([' ', '*']).next().unwrap_or(before).to_owned())
        };
        names.extend(text.lines().filter(is_definition).filter_map(name));
    }
    names
}

/// Models that are compared under another name, or cannot be compared with one run of the system's library.
const NOT_COMPARED: &[(&str, &[&str])] = &[
    (
        "glibc of later versions",
        &[
            "strlcpy",
            "strlcat",
            "__strlcpy_chk",
            "__strlcat_chk",
            "memset_explicit",
            "free_sized",
            "free_aligned_sized",
        ],
    ),
    (
        "no function of glibc",
        &[
            "strnstr",
            "__memcmpeq",
            "_tolower",
            "_toupper",
            "pthread_mutexattr_setkind_np",
            "pthread_mutexattr_getkind_np",
        ],
    ),
    (
        "old names",
        &[
            "pthread_mutexattr_setrobust_np",
            "pthread_mutexattr_getrobust_np",
            "pthread_mutex_consistent_np",
            "__sysv_signal",
            "__posix_getopt",
            "__getdelim",
            "_IO_getc",
            "_IO_putc",
            "open64",
            "openat64",
            "creat",
            "creat64",
            "fcntl64",
            "mmap64",
            "__ctype_get_mb_cur_max",
            "__errno_location",
            "__ctype_b_loc",
        ],
    ),
    (
        "end the process",
        &["__chk_fail", "__fortify_fail", "__stack_chk_fail", "fork", "__register_atfork", "pthread_atfork"],
    ),
    (
        "read input, which may be anything",
        &[
            "vscanf",
            "vfscanf",
            "scanf",
            "fscanf",
            "getchar",
            "fgetc",
            "getc",
            "getchar_unlocked",
            "getc_unlocked",
            "fgetc_unlocked",
            "getw",
            "fgets",
            "fgets_unlocked",
            "fgetwc",
            "fgetws",
            "getwc",
            "getwchar",
            "gets",
            "fread",
            "fread_unlocked",
            "getdelim",
            "getline",
            "__fgets_chk",
            "__fread_chk",
        ],
    ),
    (
        "have no exact model: what they do with descriptors that are no channels may be anything, with channels it is unsupported",
        &["readv", "writev", "recvmsg", "sendmsg", "shutdown", "epoll_ctl", "fdopen", "dprintf"],
    ),
    ("give what the system has chosen", &["pthread_getschedparam"]),
    (
        "write output, which may fail",
        &["fputc", "putc", "putchar", "fputc_unlocked", "putc_unlocked", "putchar_unlocked"],
    ),
    (
        "the state of streams: `tests/programs` has programs about it",
        &[
            "ungetc",
            "feof",
            "ferror",
            "clearerr",
            "feof_unlocked",
            "ferror_unlocked",
            "clearerr_unlocked",
            "fseek",
            "rewind",
            "flockfile",
            "ftrylockfile",
            "funlockfile",
        ],
    ),
    (
        "more than one thread or process: `tests/programs` has programs about it",
        &[
            "pthread_cancel",
            "pthread_timedjoin_np",
            "pthread_clockjoin_np",
            "pthread_sigqueue",
            "killpg",
            "pause",
            "sigsuspend",
            "setitimer",
            "setreuid",
            "setregid",
            "setresuid",
            "setresgid",
            "sem_close",
            "twalk_r",
            "__pthread_register_cancel",
            "__pthread_unregister_cancel",
        ],
    ),
];

/// Every function with an exact model occurs in a template, or there is a reason why not.
#[test]
fn every_model_is_compared() {
    let templates = [calls::exact(), calls::open(), calls::CHANNELS.to_vec()].concat().join(" ") + PRELUDE;
    let words: std::collections::BTreeSet<&str> =
        templates.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let bare = |name: &str| {
        ["__isoc99_", "__isoc23_", "__"].iter().find_map(|start| name.strip_prefix(start).map(str::to_owned))
    };
    let is_compared = |name: &str| {
        let bare = bare(name);
        let bare = bare.as_deref();
        let variants = [
            Some(name),
            bare,
            bare.and_then(|b| b.strip_suffix("_internal")),
            bare.and_then(|b| b.strip_suffix("_chk")),
        ];
        let by_class = name.strip_prefix("isw").or(name.strip_prefix("is"));
        let is_class = by_class.is_some_and(|rest| calls::CLASSES.contains(&rest.trim_end_matches("_l")));
        let is_arithmetic = name.ends_with("c3") && name.starts_with("__");
        is_class || is_arithmetic || variants.into_iter().flatten().any(|v| words.contains(v))
    };
    let has_reason = |name: &str| {
        name.starts_with("__threadproof_")
            || name.starts_with("__VERIFIER_")
            || NOT_COMPARED.iter().any(|(_, names)| {
                names.contains(&name) || bare(name).is_some_and(|bare| names.contains(&bare.as_str()))
            })
    };
    let missing: Vec<String> =
        defined_names().into_iter().filter(|name| !is_compared(name) && !has_reason(name)).collect();
    assert!(missing.is_empty(), "no template calls {missing:?}");
}

/// Each model is typed and lowered with either size of `long`, with and without checks; native runs need the host's.
#[test]
fn models_are_accepted_in_both_data_models() {
    let names = defined_names();
    assert!(names.len() > 400, "{} names", names.len());
    let uses: String = names.iter().map(|name| format!("  use(__builtin_{name});\n")).collect();
    let text = format!("static void use(void *function) {{}}\nint main(void) {{\n{uses}  return 0;\n}}\n");
    for data_model in [DataModel::Ilp32, DataModel::Lp64] {
        let loaded = load_text("all.c", &text, &Options { data_model, ..Options::default() });
        let raw = loaded.program.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
        for overflow in [Overflow::Wraps, Overflow::IsError] {
            let program = raw.clone().with(overflow);
            assert!(program.functions.len() > names.len(), "all models should be lowered");
        }
    }
}
