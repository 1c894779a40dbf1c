// Starts `threadproof lsp` for C files, and shows traces as a list in the explorer.
//
// All knowledge is in the server: diagnostics, hovers and lenses come by the protocol. What is here is what the protocol has no place
// for: the results of the commands.

"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");
const { item } = require("./trace");

let client;

/** The steps of the last trace. */
class Trace {
  constructor() {
    this.changed = new vscode.EventEmitter();
    this.onDidChangeTreeData = this.changed.event;
    this.steps = [];
  }

  show(trace) {
    this.steps = trace ? trace.steps : [];
    vscode.commands.executeCommand("setContext", "threadproof.hasTrace", this.steps.length > 0);
    this.changed.fire();
  }

  getChildren(step) {
    return step ? [] : this.steps;
  }

  getTreeItem(step) {
    const { label, description, tooltip } = item(step);
    const shown = new vscode.TreeItem(label);
    shown.description = description;
    shown.tooltip = tooltip;
    const { start, end } = step.range;
    const selection = new vscode.Range(start.line, start.character, end.line, end.character);
    shown.command = {
      command: "vscode.open",
      title: "Show",
      arguments: [vscode.Uri.parse(step.uri), { selection, preserveFocus: true }],
    };
    return shown;
  }
}

/** Asks the server and shows that it works; who cancels the progress cancels the work. */
function ask(command, args, title) {
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  return vscode.window.withProgress(options, (_, token) =>
    client.sendRequest("workspace/executeCommand", { command, arguments: args }, token));
}

function say(answer) {
  const text = answer.properties.map((it) => `${it.property}: ${it.verdict}`).join(", ");
  const show = answer.verdict.startsWith("false")
    ? vscode.window.showErrorMessage
    : vscode.window.showInformationMessage;
  show(`threadproof: ${answer.verdict}${text ? ` (${text})` : ""}`);
}

async function start() {
  const settings = vscode.workspace.getConfiguration("threadproof");
  const run = { command: settings.get("path"), args: ["lsp", ...settings.get("arguments")] };
  const trace = new Trace();
  view = vscode.window.registerTreeDataProvider("threadproof.trace", trace);
  const commands = {
    "threadproof.verify": "Verifying the program",
    "threadproof.verifyFunction": "Verifying the function with any callers",
    "threadproof.trace": "Reading the trace",
  };
  const middleware = {
    executeCommand: async (command, args, next) => {
      if (!(command in commands)) {
        return next(command, args);
      }
      try {
        const answer = await ask(command, args, commands[command]);
        if (command === "threadproof.trace") {
          trace.show(answer);
        } else {
          say(answer);
          trace.show(answer.trace);
        }
        return answer;
      } catch (error) {
        // Cancelled, by the user or by an edit.
        return undefined;
      }
    },
  };
  const documentSelector = [{ scheme: "file", language: "c" }];
  client = new LanguageClient("threadproof", "threadproof", { run, debug: run }, { documentSelector, middleware });
  await client.start();
}

let view;

async function stop() {
  if (view) {
    view.dispose();
  }
  if (client) {
    await client.stop();
  }
}

function here(command) {
  const editor = vscode.window.activeTextEditor;
  return editor && vscode.commands.executeCommand(command, editor.document.uri.toString());
}

exports.activate = async (context) => {
  const register = (name, run) => context.subscriptions.push(vscode.commands.registerCommand(name, run));
  register("threadproof.restart", async () => { await stop(); await start(); });
  register("threadproof.verifyThis", () => here("threadproof.verify"));
  register("threadproof.showTrace", () => here("threadproof.trace"));
  await start();
};

exports.deactivate = stop;
