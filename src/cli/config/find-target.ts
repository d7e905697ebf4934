import { existsSync, statSync } from "node:fs";
import { basename, extname, resolve } from "node:path";
import { Secret } from "../../base/secret.ts";
import { closestName } from "../../base/text.ts";
import type { LocalTarget, Target } from "../../contract/schemas/acting/target.ts";
import { pythonModule } from "../../runs/user-code/python-process.ts";
import { callsOf } from "../../models/targets/target-calls.ts";
import { targetProblems } from "../../models/targets/template.ts";
import type { TargetSecret } from "../../settings/credentials.ts";
import { CliError } from "../terminal/cli-error.ts";
import type { Config } from "./config.ts";

export interface NamedTarget {
  /** The name in the configuration, or of the module or command. */
  readonly name: string;
  readonly target: Target | LocalTarget;
}

interface TargetChoice {
  readonly target?: string | undefined;
  readonly targetCommand?: string | undefined;
  readonly endpoint?: string | undefined;
}

/** The target of `--target`, `--target-command` or the configuration; undefined when an endpoint is tested. */
export function findTarget(
  { target: typed, targetCommand: command, endpoint }: TargetChoice,
  { targets = {}, target: configured, endpoint: configuredEndpoint }: Config,
): NamedTarget | undefined {
  const given = [typed && "--target", command && "--target-command", endpoint && "--endpoint"].filter(Boolean);
  if (given.length > 1) throw new CliError(`${given.join(" and ")} cannot be combined: each names what is tested`);
  if (command !== undefined) return { name: commandName(command), target: { command, folder: process.cwd() } };
  if (endpoint !== undefined) return undefined;
  const named = typed ?? configured;
  if (named === undefined) return undefined;
  if (typed === undefined && configuredEndpoint !== undefined) {
    throw new CliError("the configuration has both target and endpoint: keep one");
  }
  const known = Object.hasOwn(targets, named) ? targets[named] : undefined;
  if (known) return checked({ name: named, target: known });
  if (/^wss?:\/\//.test(named)) {
    throw new CliError("--target is the address of a WebSocket: declare under targets what is sent there");
  }
  if (/^https?:\/\//.test(named)) {
    throw new CliError(`--target is an address: use --endpoint ${named}, or declare under targets how it is asked`);
  }
  const { file = named } = pythonModule(named) ?? {};
  return { name: basename(file, extname(file)), target: { module: moduleFile(named, Object.keys(targets)) } };
}

/** The file of a module, which may be followed by the name of a function. */
const moduleOf = (named: string): string => pythonModule(named)?.file ?? named;

function moduleFile(named: string, names: readonly string[]): string {
  const file = moduleOf(named);
  const isModule = /\.(?:[cm]?[jt]s|py)$/.test(file);
  if (isModule && existsSync(file) && statSync(file).isFile()) return resolve(named);
  if (isModule) throw new CliError(`--target: ${file} does not exist`);
  const nearest = closestName(named, names);
  const hint =
    nearest !== undefined
      ? `did you mean ${nearest}?`
      : names.length > 0
        ? `there are ${names.join(", ")}`
        : "the configuration has no targets";
  throw new CliError(`there is no target "${named}": ${hint}`);
}

/** Refuses a target with a problem, and one whose secrets are not set. */
function checked(named: NamedTarget): NamedTarget {
  const { name, target } = named;
  if (!("url" in target)) return named;
  const [problem] = targetProblems(target);
  if (problem) {
    const place = problem.pointer.slice(1).replaceAll("/", ".");
    throw new CliError(`targets.${name}.${place} ${problem.message}`);
  }
  for (const header of callsOf(target).flatMap(({ headers }) => Object.values(headers))) {
    if (typeof header === "string" || !("env" in header) || process.env[header.env]) continue;
    throw new CliError(`the target ${name} needs the environment variable ${header.env}, which is not set`);
  }
  return named;
}

/** Problems of the configured targets, one line each. */
export function findTargetProblems({ targets = {}, target }: Config, file = "configuration"): string[] {
  const found = Object.entries(targets).flatMap(([name, declared]) => {
    if ("module" in declared && !existsSync(moduleOf(declared.module))) {
      return [`${file} /targets/${name}/module: ${moduleOf(declared.module)} does not exist`];
    }
    const problems = "url" in declared ? targetProblems(declared) : [];
    return problems.map(({ pointer, message }) => `${file} /targets/${name}${pointer} ${message}`);
  });
  const isMissing = target !== undefined && !Object.hasOwn(targets, target);
  return isMissing ? [...found, `${file} /target names no target: "${target}"`] : found;
}

/** The variables that targets of the configuration name in their headers, each bound to the calls that send them. */
export function configuredSecrets(targets: Config["targets"] = {}): readonly TargetSecret[] {
  return Object.values(targets).flatMap((target) => {
    if (!("url" in target)) return [];
    return callsOf(target).flatMap(({ url: address, method, headers }) =>
      Object.values(headers).flatMap((header) => {
        if (typeof header === "string" || !("env" in header)) return [];
        const value = process.env[header.env];
        return value ? [{ name: header.env, address, method, secret: new Secret(value) }] : [];
      }),
    );
  });
}

/** The file that a command runs, without its folder and extension; else its first word. */
function commandName(command: string): string {
  const words = command.trim().split(/\s+/);
  const file = words.find((word) => /\.\w+$/.test(word)) ?? words[0] ?? "command";
  return basename(file, extname(file)) || "command";
}
