import type { Command } from "commander";

/** The module of one command. It is loaded only when the command is named. */
interface CommandModule {
  /** Adds arguments, options and the action. */
  readonly declare: (command: Command) => void;
}

interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<CommandModule>;
}

/** Every command, in the order of the help. */
export const commands: readonly CommandEntry[] = [
  {
    name: "serve",
    summary: "start the agent backend, the evaluation service and the page (the default command)",
    load: () => import("./commands/serve.ts"),
  },
  {
    name: "init",
    summary: "write a configuration, two scenarios and a CI workflow to start from",
    load: () => import("./commands/init.ts"),
  },
  {
    name: "eval",
    summary: "run scenarios against a model and score every reply",
    load: () => import("./commands/eval.ts"),
  },
  {
    name: "watch",
    summary: "evaluate again whenever a scenario, the configuration or its system prompt changes",
    load: () => import("./commands/watch.ts"),
  },
  { name: "list", summary: "list runs, newest first", load: () => import("./commands/list.ts") },
  { name: "show", summary: "show one run: scores, scenarios, worst turns", load: () => import("./commands/show.ts") },
  {
    name: "compare",
    summary: "test whether one run is really better than another",
    load: () => import("./commands/compare.ts"),
  },
  {
    name: "report",
    summary: "write a run as HTML, Markdown, JUnit, CSV or JSON",
    load: () => import("./commands/report.ts"),
  },
  {
    name: "rescore",
    summary: "score a run again from its stored replies, by its own or other scorers",
    load: () => import("./commands/rescore.ts"),
  },
  {
    name: "freeze",
    summary: "make a scripted scenario of a conversation with a simulated user",
    load: () => import("./commands/freeze.ts"),
  },
  {
    name: "cancel",
    summary: "stop an unfinished run; finished turns are kept",
    load: () => import("./commands/cancel.ts"),
  },
  { name: "delete", summary: "delete a run and everything stored with it", load: () => import("./commands/delete.ts") },
  {
    name: "validate",
    summary: "check scenario files and the configuration without calling anything",
    load: () => import("./commands/validate.ts"),
  },
  {
    name: "import",
    summary: "turn other tools' files into scenarios",
    load: () => import("./commands/import.ts"),
  },
  {
    name: "export",
    summary: "turn scenarios into other tools' files",
    load: () => import("./commands/export.ts"),
  },
  { name: "chat", summary: "talk to a model through the agent backend", load: () => import("./commands/chat.ts") },
  { name: "models", summary: "list the models that can be used", load: () => import("./commands/models.ts") },
  { name: "keys", summary: "make API keys for a service others can reach", load: () => import("./commands/keys.ts") },
  {
    name: "worker",
    summary: "execute runs for services that share a database",
    load: () => import("./commands/worker.ts"),
  },
  {
    name: "backup",
    summary: "copy this machine's store into a file while it is in use",
    load: () => import("./commands/backup.ts"),
  },
  {
    name: "migrate-to",
    summary: "copy all runs from this machine's store to PostgreSQL",
    load: () => import("./commands/migrate-to.ts"),
  },
  {
    name: "mcp",
    summary: "offer runs and scenarios to an assistant over MCP",
    load: () => import("./commands/mcp.ts"),
  },
  { name: "doctor", summary: "check this machine and its settings", load: () => import("./commands/doctor.ts") },
  {
    name: "schema",
    summary: "print the JSON schema of a request, a result, a scenario or the configuration",
    load: () => import("./commands/schema.ts"),
  },
  {
    name: "completion",
    summary: "print a completion script for bash, zsh or fish",
    load: () => import("./commands/completion.ts"),
  },
];

const ownOptions: ReadonlySet<string> = new Set(["-h", "--help", "-V", "--version"]);

/** The command's name; `serve` when none is given. */
export function namedCommand([first]: readonly string[]): string {
  return first === undefined || (first.startsWith("-") && !ownOptions.has(first)) ? "serve" : first;
}
