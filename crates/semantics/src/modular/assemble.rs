//! Putting the threads' graphs together: positions of ended threads, simplification, and whose each variable is.

use super::build::{Found, Graph, handle_variable, position_variable};
use super::{FINISHED, Model, POSITION_WIDTH, PerTemplate, Target, Template, TemplateId, unsupported};
use crate::encoding::encode::Encoder;
use crate::encoding::names::Name;
use base::Inconclusive;
use logic::path::Cmd;
use logic::{Symbol, Terms};
use program::interp::{Identity, Interp, ThreadId};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};

/// The templates, simplified.
pub(super) fn assemble(
    encoder: &Encoder<'_>,
    terms: &mut Terms,
    found: &Found,
    graphs: Vec<Graph>,
    init: Vec<Cmd>,
) -> Result<Model, Inconclusive> {
    let mut templates: PerTemplate<Template> = PerTemplate::new();
    for ((thread, routine), graph) in found.threads.iter().zip(graphs) {
        let replicated = found.replicated.contains(thread);
        let pointer = encoder.program.data_model.pointer();
        let handle = match replicated {
            true => handle_variable(encoder.program, terms, *thread),
            false => terms.constant(Interp::handle(*thread), pointer.0),
        };
        let position = (!replicated).then(|| position_variable(terms, *thread));
        let name = format!("{routine}@{thread}{}", if replicated { "*" } else { "" });
        templates.push(Template {
            name,
            thread: *thread,
            replicated,
            handle,
            position,
            nodes: graph.nodes,
            locals: Vec::new(),
        });
    }
    let loose_joins = found.detaches || !found.replicated.is_empty();
    let mut model = Model { templates, init, globals: Vec::new(), links: Vec::new(), loose_joins };
    finish_positions(&mut model, terms);
    // Constants make variables irrelevant, and what is irrelevant is read by no thread: so twice.
    share_out(&mut model, encoder, terms)?;
    super::flow::constants(&mut model, terms);
    super::flow::statuses(&mut model, terms);
    super::ghosts::owners(&mut model, encoder, terms);
    slice(&mut model, terms);
    share_out(&mut model, encoder, terms)?;
    Ok(model)
}

/// The end of a thread that is created once shows in its position.
fn finish_positions(model: &mut Model, terms: &mut Terms) {
    let finished = terms.constant(FINISHED, POSITION_WIDTH);
    for template in &mut model.templates {
        let Some(position) = template.position else { continue };
        for edge in template.nodes.iter_mut().flat_map(|n| &mut n.edges) {
            if edge.target == Target::Finished {
                edge.block.push(Cmd::Assign(position, finished));
            }
        }
    }
}

/// Drops assignments that no condition depends on.
fn slice(model: &mut Model, terms: &Terms) {
    let mut relevant: FxHashSet<Symbol> = FxHashSet::default();
    let blocks = || model.templates.iter().flat_map(|c| &c.nodes).flat_map(|n| &n.edges).map(|e| &e.block);
    relevant.extend(model.templates.iter().filter_map(|c| c.position));
    for cmd in blocks().flatten() {
        if let Cmd::Assume(guard) = cmd {
            relevant.extend(terms.free_vars(*guard));
        }
    }
    loop {
        let before = relevant.len();
        for cmd in blocks().chain([&model.init]).flatten() {
            if let Cmd::Assign(x, value) = cmd
                && relevant.contains(x)
            {
                relevant.extend(terms.free_vars(*value));
            }
        }
        // An owner matters if its flag does.
        for link in &model.links {
            let both = terms.free_vars(*link);
            if both.iter().any(|x| relevant.contains(x)) {
                relevant.extend(both);
            }
        }
        if relevant.len() == before {
            break;
        }
    }
    let keep = |cmd: &Cmd| match cmd {
        Cmd::Assume(_) => true,
        Cmd::Assign(x, _) | Cmd::Havoc(x) => relevant.contains(x),
    };
    model.init.retain(keep);
    model.links.retain(|link| terms.free_vars(*link).iter().all(|x| relevant.contains(x)));
    for node in model.templates.iter_mut().flat_map(|c| &mut c.nodes) {
        node.live.retain(|x| relevant.contains(x));
        node.edges.iter_mut().for_each(|e| e.block.retain(keep));
    }
}

/// Decides which variables are a template's own.
fn share_out(model: &mut Model, encoder: &Encoder<'_>, terms: &mut Terms) -> Result<(), Inconclusive> {
    let owner_of = |x: Symbol| -> Option<ThreadId> {
        match encoder.names.name(x)? {
            Name::Register { thread, .. }
            | Name::Scratch { thread, .. }
            | Name::ScratchIsSet { thread, .. } => Some(thread),
            Name::Cell { object, .. }
            | Name::Elements { object, .. }
            | Name::Size(object)
            | Name::IsSet { object, .. }
            | Name::AreSet { object, .. }
            | Name::Alive(object) => object.owner(),
            Name::Result(_) | Name::Waiting(_) => None,
        }
    };
    model.globals.clear();
    model.templates.iter_mut().for_each(|c| c.locals.clear());
    let mut users: BTreeMap<Symbol, BTreeSet<TemplateId>> = BTreeMap::new();
    for (c, template) in model.templates.iter_enumerated() {
        for edge in template.nodes.iter().flat_map(|n| &n.edges) {
            let created: Vec<ThreadId> = edge.creates.iter().map(|k| model.templates[*k].thread).collect();
            for x in mentioned(terms, &edge.block) {
                // What a creator sets of a new thread is that thread's.
                let theirs = owner_of(x).filter(|t| created.contains(t));
                let user = theirs.and_then(|t| template_of(model, t)).unwrap_or(c);
                users.entry(x).or_default().insert(user);
            }
        }
    }
    for template in model.templates.iter_mut().filter(|c| c.replicated) {
        let handle = terms.as_var(template.handle).expect("a template's handle is a variable");
        users.remove(&handle);
        template.locals.push(handle);
        template.nodes.iter_mut().for_each(|n| n.live.push(handle));
    }
    let main = TemplateId::MAIN;
    for (x, by) in users {
        let owner = owner_of(x).and_then(|t| template_of(model, t));
        let alone = by.len() == 1;
        match owner {
            Some(owner) if by.iter().all(|c| *c == owner) => own(model, encoder, owner, x),
            Some(owner) if model.templates[owner].replicated => {
                return unsupported("memory of a thread that is created many times, used by others");
            }
            None if alone && by.contains(&main) && model.templates[main].position != Some(x) => {
                own(model, encoder, main, x)
            }
            _ => model.globals.push(x),
        }
    }
    model.globals.extend(model.templates.iter().filter_map(|c| c.position));
    sort(model);
    Ok(())
}

/// The template of a thread.
fn template_of(model: &Model, thread: ThreadId) -> Option<TemplateId> {
    model.templates.iter_enumerated().find(|(_, template)| template.thread == thread).map(|(c, _)| c)
}

/// Sorts the variables; none is both global and a template's own.
fn sort(model: &mut Model) {
    model.globals.sort_unstable();
    model.globals.dedup();
    let globals = &model.globals;
    for template in &mut model.templates {
        template.locals.retain(|x| !globals.contains(x));
        template.locals.sort_unstable();
        for node in &mut template.nodes {
            node.live.retain(|x| template.locals.binary_search(x).is_ok());
            node.live.sort_unstable();
            node.live.dedup();
        }
    }
}

/// Makes a variable a template's own; memory matters wherever its frame exists.
fn own(model: &mut Model, encoder: &Encoder<'_>, template: TemplateId, x: Symbol) {
    let template = &mut model.templates[template];
    template.locals.push(x);
    let name = encoder.names.name(x);
    for node in &mut template.nodes {
        let matters = match name {
            Some(Name::Register { .. } | Name::Scratch { .. } | Name::ScratchIsSet { .. }) => false,
            Some(
                Name::Cell { object, .. }
                | Name::Elements { object, .. }
                | Name::IsSet { object, .. }
                | Name::AreSet { object, .. },
            ) => match object {
                Identity::Local { depth, func, .. } => {
                    node.frames.get(depth as usize).is_some_and(|f| f.func == func)
                }
                _ => true,
            },
            _ => true,
        };
        if matters {
            node.live.push(x);
        }
    }
}

/// The variables of a block.
pub fn mentioned(terms: &Terms, block: &[Cmd]) -> Vec<Symbol> {
    let mut all = Vec::new();
    for cmd in block {
        match *cmd {
            Cmd::Assume(guard) => all.extend(terms.free_vars(guard)),
            Cmd::Assign(x, value) => {
                all.push(x);
                all.extend(terms.free_vars(value));
            }
            Cmd::Havoc(x) => all.push(x),
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}
