//! `threadproof lsp`: a language server, so that editors show findings where they happen.
//!
//! ```text
//! editor ─▶ reader ─▶ server ─▶ worker ─▶ server ─▶ editor
//!            (rpc)    (here)    (work)    (findings)
//! ```
//!
//! | module | does |
//! |---|---|
//! | [`rpc`] | messages in and out |
//! | [`work`] | decides, in a thread of its own; keeps results in memory |
//! | [`findings`] | diagnostics, related places, traces, hints and lenses of a result |
//! | [`text`] | positions and URIs |
//!
//! One thread reads messages, one decides, and this one answers: it never waits for a decision. A file is looked at when it is opened and
//! saved, for a short time and with all engines; an edit ends that work. Whole programs and single functions are verified, with the full time limit, when a
//! lens is clicked. Of two questions about the same file only the later one counts.
//!
//! # Direction of error
//! Only violations that were replayed become errors. That a file has none after a short look says nothing; the lens above `main` says what is proved.

mod findings;
mod rpc;
mod text;
mod work;

use crate::args::LspArgs;
use crate::output::{self, Exit};
use findings::COMMANDS;
use rpc::ErrorCode;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::{BufReader, Stdout};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;
use text::{path_of, uri_of};
use threadproof::Options;
use threadproof::project::{Inputs, database_below};
use work::{Job, Known, Memory, Question, work};

/// What does not change while the server runs.
#[derive(Clone, Debug)]
struct Settings {
    options: Options,
    inputs: Inputs,
    /// How long a file is looked at after it was opened or saved.
    time_on_save: Duration,
}

/// What the server waits for.
enum Event {
    Message(Value),
    /// There are no more messages.
    Closed,
    /// The job that was worked on is done.
    Done(Option<Arc<Known>>),
}

/// Serves an editor on standard input and output.
pub fn lsp(args: LspArgs) -> Exit {
    let (sender, receiver) = channel();
    let to_server = sender.clone();
    std::thread::spawn(move || {
        let mut input = BufReader::new(std::io::stdin());
        loop {
            match rpc::read(&mut input) {
                Ok(Some(message)) => drop(to_server.send(Event::Message(message))),
                Ok(None) => break drop(to_server.send(Event::Closed)),
                Err(error) => {
                    output::err(&format!("error: {error}\n"));
                    break drop(to_server.send(Event::Closed));
                }
            }
        }
    });
    let settings = Settings { options: args.options, inputs: args.inputs, time_on_save: args.time_on_save };
    let server = Server {
        settings,
        events: sender,
        output: std::io::stdout(),
        documents: BTreeMap::new(),
        known: BTreeMap::new(),
        published: BTreeMap::new(),
        memory: Memory::default(),
        running: None,
        waiting: VecDeque::new(),
        refreshes_lenses: false,
        n_requests: 0,
        state: State::New,
    };
    server.serve(&receiver)
}

/// How far the conversation is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    New,
    Ready,
    ShutDown,
}

/// A job, and the request that waits for its result.
struct Turn {
    job: Job,
    request: Option<Value>,
}

struct Server {
    settings: Settings,
    events: Sender<Event>,
    output: Stdout,
    /// The texts of open files, by URI.
    documents: BTreeMap<String, String>,
    /// What is known of files that were looked at.
    known: BTreeMap<PathBuf, Arc<Known>>,
    /// The diagnostics of each program, named by its files, by URI.
    published: BTreeMap<Vec<PathBuf>, BTreeMap<String, Vec<Value>>>,
    memory: Memory,
    running: Option<Turn>,
    waiting: VecDeque<Turn>,
    refreshes_lenses: bool,
    n_requests: u64,
    state: State,
}

impl Server {
    fn serve(mut self, events: &Receiver<Event>) -> Exit {
        while let Ok(event) = events.recv() {
            match event {
                Event::Message(message) if message["method"] == "exit" => break,
                Event::Message(message) => self.handle(&message),
                Event::Done(result) => self.finish(result),
                Event::Closed => break,
            }
        }
        // The work that may still go on ends with the process.
        if self.state == State::ShutDown { Exit::Fine } else { Exit::Violated }
    }

    fn handle(&mut self, message: &Value) {
        let Some(method) = message["method"].as_str() else { return };
        let params = &message["params"];
        let Some(id) = message.get("id") else { return self.notified(method, params) };
        let result = match (self.state, method) {
            (State::New, "initialize") => Ok(self.initialize(params)),
            (State::New, _) => Err((ErrorCode::InvalidRequest, "not initialized yet".to_owned())),
            (State::ShutDown, _) => Err((ErrorCode::InvalidRequest, "shut down".to_owned())),
            (State::Ready, "shutdown") => {
                self.state = State::ShutDown;
                self.running.iter().for_each(|turn| turn.job.cancel());
                Ok(Value::Null)
            }
            (State::Ready, "textDocument/hover") => Ok(self.hover(params).unwrap_or_default()),
            (State::Ready, "textDocument/codeLens") => Ok(self.lenses(params).unwrap_or_default()),
            (State::Ready, "textDocument/codeAction") => Ok(actions(params)),
            (State::Ready, "workspace/executeCommand") => match self.execute(id, params) {
                Some(result) => result,
                None => return,
            },
            (State::Ready, _) => Err((ErrorCode::MethodNotFound, format!("no method `{method}`"))),
        };
        self.send(&rpc::response(id, result));
    }

    fn notified(&mut self, method: &str, params: &Value) {
        let document = &params["textDocument"];
        let uri = document["uri"].as_str().unwrap_or_default();
        match method {
            "textDocument/didOpen" => {
                let text = document["text"].as_str().unwrap_or_default();
                self.documents.insert(uri.to_owned(), text.to_owned());
                self.look(uri);
            }
            "textDocument/didChange" => {
                if let Some(text) = params["contentChanges"][0]["text"].as_str() {
                    self.documents.insert(uri.to_owned(), text.to_owned());
                }
                path_of(uri).iter().for_each(|path| self.give_up(path));
            }
            "textDocument/didSave" => self.look(uri),
            "textDocument/didClose" => {
                self.documents.remove(uri);
                if let Some(path) = path_of(uri) {
                    self.give_up(&path);
                    self.forget(&path);
                }
            }
            "$/cancelRequest" => self.cancel(&params["id"]),
            _ => {}
        }
    }

    fn initialize(&mut self, params: &Value) -> Value {
        self.state = State::Ready;
        self.refreshes_lenses =
            params["capabilities"]["workspace"]["codeLens"]["refreshSupport"] == Value::Bool(true);
        let root = params["workspaceFolders"][0]["uri"].as_str().or(params["rootUri"].as_str());
        if self.settings.inputs.is_empty()
            && let Some(root) = root.and_then(path_of)
        {
            self.settings.inputs.project = database_below(&root);
        }
        json!({
            "capabilities": {
                // Whole texts: they are small, and read again from the disk when they are saved.
                "textDocumentSync": { "openClose": true, "change": 1, "save": {} },
                "hoverProvider": true,
                "codeLensProvider": {},
                "codeActionProvider": { "codeActionKinds": ["quickfix"] },
                "executeCommandProvider": { "commands": COMMANDS },
            },
            "serverInfo": { "name": "threadproof", "version": env!("CARGO_PKG_VERSION") },
        })
    }

    /// Looks at a file that was opened or saved.
    fn look(&mut self, uri: &str) {
        let is_c = |path: &PathBuf| {
            path.extension().is_some_and(|extension| ["c", "i", "h"].iter().any(|known| extension == *known))
        };
        let Some(file) = path_of(uri).filter(is_c) else { return };
        if file.extension().is_some_and(|extension| extension == "h") {
            // A header means something only as a part of units.
            let users: BTreeSet<PathBuf> = self.known.keys().cloned().collect();
            return users.into_iter().for_each(|file| self.enqueue(file, Question::Look, None));
        }
        self.enqueue(file, Question::Look, None);
    }

    fn enqueue(&mut self, file: PathBuf, question: Question, request: Option<Value>) {
        self.give_up(&file);
        self.waiting.push_back(Turn { job: Job { file, question, cancelled: Arc::default() }, request });
        self.begin();
    }

    /// Ends what is being done about a file, or is to be done.
    fn give_up(&mut self, file: &Path) {
        let is_meant = |turn: &Turn| turn.job.file == file;
        self.running.iter().filter(|turn| is_meant(turn)).for_each(|turn| turn.job.cancel());
        let (given_up, kept): (Vec<Turn>, Vec<Turn>) = self.waiting.drain(..).partition(is_meant);
        self.waiting = kept.into();
        given_up.iter().for_each(|turn| self.say_cancelled(turn));
    }

    /// Ends what was done for a request.
    fn cancel(&mut self, id: &Value) {
        let is_meant = |turn: &Turn| turn.request.as_ref() == Some(id);
        self.running.iter().filter(|turn| is_meant(turn)).for_each(|turn| turn.job.cancel());
        let (given_up, kept): (Vec<Turn>, Vec<Turn>) = self.waiting.drain(..).partition(is_meant);
        self.waiting = kept.into();
        given_up.iter().for_each(|turn| self.say_cancelled(turn));
    }

    fn say_cancelled(&mut self, turn: &Turn) {
        if let Some(id) = &turn.request {
            self.send(&rpc::response(id, Err((ErrorCode::RequestCancelled, "cancelled".to_owned()))));
        }
    }

    /// Begins the next job, unless there is one that goes on.
    fn begin(&mut self) {
        if self.running.is_some() {
            return;
        }
        let Some(turn) = self.waiting.pop_front() else { return };
        let (job, settings) = (turn.job.clone(), self.settings.clone());
        let (memory, events) = (self.memory.clone(), self.events.clone());
        std::thread::spawn(move || {
            // A bug costs an answer, not the server.
            let done = catch_unwind(AssertUnwindSafe(|| work(&job, &settings, &memory)));
            drop(events.send(Event::Done(done.ok().flatten())));
        });
        self.running = Some(turn);
    }

    fn finish(&mut self, result: Option<Arc<Known>>) {
        let Some(turn) = self.running.take() else { return };
        match result {
            Some(known) if !turn.job.is_cancelled() => self.show(&turn, known),
            _ => self.say_cancelled(&turn),
        }
        self.begin();
    }

    fn show(&mut self, turn: &Turn, known: Arc<Known>) {
        let file = &turn.job.file;
        let diagnostics = findings::diagnostics(&known, &|path| self.text_of(path));
        if self.known.get(file).is_some_and(|before| before.files != known.files) {
            // It is a part of another program now.
            self.forget(file);
        }
        self.publish(&known.files, diagnostics);
        if let Some(id) = &turn.request {
            let answer = findings::answer(&known, &|path| self.text_of(path));
            self.send(&rpc::response(id, Ok(answer)));
        }
        if !matches!(turn.job.question, Question::Function(_)) {
            for part in self.known.values_mut().filter(|part| part.files == known.files) {
                *part = Arc::clone(&known);
            }
            self.known.insert(file.clone(), known);
        }
        if self.refreshes_lenses {
            self.n_requests += 1;
            let id = format!("threadproof-{}", self.n_requests);
            self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": "workspace/codeLens/refresh" }));
        }
    }

    /// Forgets what is known because of a file; what only it was a reason to show is shown no longer.
    fn forget(&mut self, file: &Path) {
        let Some(known) = self.known.remove(file) else { return };
        if !self.known.values().any(|other| other.files == known.files) {
            self.publish(&known.files, BTreeMap::new());
        }
    }

    /// Shows the diagnostics of a program, and no others that it had.
    fn publish(&mut self, program: &[PathBuf], diagnostics: BTreeMap<String, Vec<Value>>) {
        let mut changed: BTreeSet<String> = diagnostics.keys().cloned().collect();
        let before = self.published.insert(program.to_vec(), diagnostics);
        changed.extend(before.unwrap_or_default().into_keys());
        for uri in changed {
            let mut all: Vec<&Value> = Vec::new();
            for diagnostic in self.published.values().filter_map(|by_uri| by_uri.get(&uri)).flatten() {
                // Two programs with a common file find the same.
                if !all.contains(&diagnostic) {
                    all.push(diagnostic);
                }
            }
            let params = json!({ "uri": uri, "diagnostics": all });
            self.send(&rpc::notification("textDocument/publishDiagnostics", params));
        }
    }

    fn hover(&self, params: &Value) -> Option<Value> {
        let uri = params["textDocument"]["uri"].as_str()?;
        let (line, character) =
            (params["position"]["line"].as_u64()?, params["position"]["character"].as_u64()?);
        let file = path_of(uri)?;
        let hover = |known: &Arc<Known>| findings::hover(known, &self.text_of(&file), line, character);
        self.known.get(&file).and_then(hover).or_else(|| self.users(&file).find_map(hover))
    }

    /// What is known of programs that have a file as a part.
    fn users<'s>(&'s self, file: &'s Path) -> impl Iterator<Item = &'s Arc<Known>> {
        self.known.values().filter(|known| known.files.iter().any(|part| work::is_same(part, file)))
    }

    fn lenses(&self, params: &Value) -> Option<Value> {
        let uri = params["textDocument"]["uri"].as_str()?;
        let file = path_of(uri)?;
        let known = self.known.get(&file).or_else(|| self.users(&file).next())?;
        let first = self.settings.options.source.first_function();
        Some(Value::Array(findings::lenses(known, &file, uri, &self.text_of(&file), first)))
    }

    /// The result of a command, unless that has to be waited for.
    fn execute(&mut self, id: &Value, params: &Value) -> Option<Result<Value, (ErrorCode, String)>> {
        let argument = |n: usize| params["arguments"][n].as_str();
        let invalid = |what: &str| Some(Err((ErrorCode::InvalidParams, what.to_owned())));
        let Some(file) = argument(0).and_then(path_of) else {
            return invalid("the first argument should be the URI of a file");
        };
        match (params["command"].as_str().unwrap_or_default(), argument(1)) {
            ("threadproof.verify", _) => self.enqueue(file, Question::Program, Some(id.clone())),
            ("threadproof.verifyFunction", Some(name)) => {
                self.enqueue(file, Question::Function(name.to_owned()), Some(id.clone()));
            }
            ("threadproof.verifyFunction", None) => {
                return invalid("the second argument should be the name of a function");
            }
            ("threadproof.trace", property) => {
                let known = self.known.get(&file).or_else(|| self.users(&file).next());
                let trace = |known: &Arc<Known>| findings::trace(known, property, &|path| self.text_of(path));
                return Some(Ok(known.map(trace).unwrap_or_default()));
            }
            (other, _) => return invalid(&format!("no command `{other}`")),
        }
        None
    }

    /// The text of a file as the editor shows it, or as it is on the disk.
    fn text_of(&self, path: &Path) -> String {
        let open = self.documents.get(&uri_of(path)).cloned();
        open.or_else(|| std::fs::read_to_string(path).ok()).unwrap_or_default()
    }

    fn send(&mut self, message: &Value) {
        // An editor that has gone away closes the input, too.
        let _ = rpc::write(&mut self.output, message);
    }
}

fn actions(params: &Value) -> Value {
    let uri = params["textDocument"]["uri"].as_str().unwrap_or_default();
    let diagnostics = params["context"]["diagnostics"].as_array().map_or(&[][..], Vec::as_slice);
    Value::Array(findings::actions(uri, diagnostics))
}
