import type { Command } from "commander";

/** The module of one command. It is loaded only when the command is named. */
interface CommandModule {
  /** Adds arguments, options and the action. `declareOnce` does the same for another command. */
  readonly declare: (command: Command, declareOnce: (other: Command) => Promise<void>) => void;
}

type CommandGroup = "Evaluate" | "Results" | "Files" | "Agent" | "Operate";

export interface CommandEntry {
  readonly group: CommandGroup;
  /** One word, or two for a command of a family: `runs list`. */
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<CommandModule>;
}

/** Families of commands, by their first word. */
export const families: Readonly<Record<string, string>> = {
  runs: "list, show, rescore, export, freeze, cancel or delete runs",
  store: "back up this machine's store, or copy it to PostgreSQL",
};

/** Every command, in the order of the help. A new one is a line here and a file in `commands/`. */
export const commands: readonly CommandEntry[] = [
  {
    group: "Evaluate",
    name: "init",
    summary: "write a configuration, two scenarios and a CI workflow to start from",
    load: () => import("./commands/evaluate/init.ts"),
  },
  {
    group: "Evaluate",
    name: "eval",
    summary: "run scenarios against a model and score every reply",
    load: () => import("./commands/evaluate/eval.ts"),
  },
  {
    group: "Evaluate",
    name: "probe",
    summary: "send one message to a target and show the request and the reply",
    load: () => import("./commands/evaluate/probe.ts"),
  },
  {
    group: "Evaluate",
    name: "world",
    summary: "serve a world as an MCP server, or record one from a real server",
    load: () => import("./commands/evaluate/world.ts"),
  },
  {
    group: "Evaluate",
    name: "validate",
    summary: "check scenario files and the configuration without calling anything",
    load: () => import("./commands/evaluate/validate.ts"),
  },
  {
    group: "Evaluate",
    name: "judge",
    summary: "list ready-made judges, add them, test them on labelled cases, tune one from people's verdicts",
    load: () => import("./commands/evaluate/judge.ts"),
  },
  {
    group: "Results",
    name: "runs list",
    summary: "list runs, newest first",
    load: () => import("./commands/results/list.ts"),
  },
  {
    group: "Results",
    name: "runs show",
    summary: "show one run: scores, scenarios, worst turns",
    load: () => import("./commands/results/show.ts"),
  },
  {
    group: "Results",
    name: "runs rescore",
    summary: "score a run again from its stored replies, by its own or other scorers",
    load: () => import("./commands/results/rescore.ts"),
  },
  {
    group: "Results",
    name: "runs export",
    summary: "write a run as HTML, Markdown, JUnit, CSV or JSON",
    load: () => import("./commands/results/report.ts"),
  },
  {
    group: "Results",
    name: "runs freeze",
    summary: "make a scripted scenario of a conversation with a simulated user",
    load: () => import("./commands/results/freeze.ts"),
  },
  {
    group: "Results",
    name: "runs cancel",
    summary: "stop an unfinished run; finished turns are kept",
    load: () => import("./commands/results/cancel.ts"),
  },
  {
    group: "Results",
    name: "runs delete",
    summary: "delete a run and everything stored with it",
    load: () => import("./commands/results/delete.ts"),
  },
  {
    group: "Results",
    name: "verdicts",
    summary: "export and import people's verdicts, and show what they say about the judge",
    load: () => import("./commands/results/verdicts.ts"),
  },
  {
    group: "Results",
    name: "compare",
    summary: "test whether one run is really better than another",
    load: () => import("./commands/results/compare.ts"),
  },
  {
    group: "Results",
    name: "experiment",
    summary: "show the variants of an experiment side by side",
    load: () => import("./commands/results/experiment.ts"),
  },
  {
    group: "Files",
    name: "import",
    summary: "turn other tools' files into scenarios",
    load: () => import("./commands/files/import.ts"),
  },
  {
    group: "Files",
    name: "export",
    summary: "turn scenarios into other tools' files",
    load: () => import("./commands/files/export.ts"),
  },
  {
    group: "Files",
    name: "schema",
    summary: "print the JSON schema of a request, a result, a scenario or the configuration",
    load: () => import("./commands/files/schema.ts"),
  },
  {
    group: "Agent",
    name: "chat",
    summary: "talk to a model through the agent backend",
    load: () => import("./commands/agent/chat.ts"),
  },
  {
    group: "Agent",
    name: "models",
    summary: "list the models that can be used",
    load: () => import("./commands/agent/models.ts"),
  },
  {
    group: "Agent",
    name: "mcp",
    summary: "offer runs and scenarios to an assistant over MCP",
    load: () => import("./commands/agent/mcp.ts"),
  },
  {
    group: "Operate",
    name: "serve",
    summary: "start the agent backend, the evaluation service and the page (the default command)",
    load: () => import("./commands/operate/serve.ts"),
  },
  {
    group: "Operate",
    name: "keys",
    summary: "make API keys for a service others can reach",
    load: () => import("./commands/operate/keys.ts"),
  },
  {
    group: "Operate",
    name: "store backup",
    summary: "copy this machine's store into a file while it is in use",
    load: () => import("./commands/operate/backup.ts"),
  },
  {
    group: "Operate",
    name: "store migrate",
    summary: "copy all runs from this machine's store to PostgreSQL",
    load: () => import("./commands/operate/migrate-to.ts"),
  },
  {
    group: "Operate",
    name: "doctor",
    summary: "check this machine and its settings",
    load: () => import("./commands/operate/doctor.ts"),
  },
  {
    group: "Operate",
    name: "completion",
    summary: "print a completion script for bash, zsh or fish",
    load: () => import("./commands/operate/completion.ts"),
  },
];

const ownOptions: ReadonlySet<string> = new Set(["-h", "--help", "-V", "--version"]);

/** The command's name; `serve` when none is given. */
export function namedCommand([first]: readonly string[]): string {
  return first === undefined || (first.startsWith("-") && !ownOptions.has(first)) ? "serve" : first;
}
