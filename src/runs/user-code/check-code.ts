import { existsSync } from "node:fs";
import { threadFile } from "../../base/thread-file.ts";
import type { RunSettings } from "../../contract/schemas/evaluation-request.ts";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import { singleChecks } from "../../contract/schemas/scores/score-names.ts";
import { usesCode, type ScorerSetting, type TurnCheck } from "../../contract/schemas/scores/scorer-setting.ts";
import type { CodeTransform } from "../../scoring/checks/check-fields.ts";
import type { CodeQuestion, CodeRunner } from "../../scoring/checks/define-check.ts";
import { CodeError, type CodeHost, type CodeLimits } from "./code-host.ts";
import { nodeArguments, type CodeProgram } from "./code-process.ts";
import type { RunCodeParams } from "./module-process.ts";
import { findCommand, notFound } from "./find-command.ts";
import { pythonProgramOf } from "./python-process.ts";

interface CheckCodeOptions {
  readonly host: CodeHost;
  readonly limits: Pick<CodeLimits, "memoryMb">;
  /** The environment of the code. */
  readonly environment: Readonly<Record<string, string>>;
  /** The user's Python: a command or a path. */
  readonly python: string;
  /** Removes secrets from messages, which are stored. */
  readonly scrub?: (text: string) => string;
}

const entry = threadFile("module-process", import.meta.url);

export interface CheckCode {
  readonly run: CodeRunner;
  readonly problem: (owner: CodeOwner) => string | null;
}

/** Runs the code of checks and transforms in processes: one kind for JavaScript, one for Python. */
export function createCheckCode({
  host,
  limits,
  environment,
  python,
  scrub = (text) => text,
}: CheckCodeOptions): CheckCode {
  const programs = new Map<CodeQuestion["language"], CodeProgram>();

  function programOf(language: CodeQuestion["language"]): CodeProgram {
    const known = programs.get(language);
    if (known) return known;
    const program: CodeProgram =
      language === "javascript"
        ? {
            command: process.execPath,
            arguments: nodeArguments(entry, limits.memoryMb),
            environment,
            start: {},
          }
        : pythonProgramOf(python, { environment });
    programs.set(language, program);
    return program;
  }

  const run: CodeRunner = async ({ language, ...params }, signal) => {
    try {
      const call = { method: "code.run", params: params satisfies RunCodeParams, signal };
      return { result: await host.call(programOf(language), call) };
    } catch (error) {
      if (!(error instanceof CodeError)) throw error;
      const { code } = error;
      if (code === "assertion" || code === "thrown") return { thrown: scrub(error.message), code };
      throw new Error(scrub(error.message), { cause: error });
    }
  };
  return { run, problem: (owner) => codeProblem(owner, python) };
}

/** Why the code of a run cannot be run on this machine, which has this Python; null when it can. */
export function codeProblem(owner: CodeOwner, python: string): string | null {
  const sources = codeSettings(owner);
  const missing = sources.find(({ file }) => file !== undefined && !existsSync(file));
  if (missing) return `${missing.file} does not exist: a check names it as its code`;
  if (!sources.some(({ language }) => language === "python") || findCommand(python) !== null) return null;
  return `checks are in Python, and ${notFound(python)}`;
}

interface CodeOwner {
  readonly settings: Pick<RunSettings, "scorers">;
  readonly scenarios: readonly Pick<Scenario, "interactions" | "expect">[];
}

/** The code in the scorers, turns and expectations of a run. */
export function codeSettings({ settings, scenarios }: CodeOwner): CodeTransform[] {
  const turns = scenarios.flatMap(({ interactions }) => interactions.flatMap(({ checks = [] }) => checks));
  const ofStates = scenarios.flatMap(({ expect }) => expect?.code ?? []);
  return [...[...(settings.scorers ?? []), ...turns].filter(usesCode).flatMap(sourcesOf), ...ofStates];
}

function sourcesOf(setting: ScorerSetting | TurnCheck): CodeTransform[] {
  if (typeof setting === "string") return [];
  return singleChecks([setting]).flatMap((check) => {
    const { transform = [] } = check;
    if (check.type !== "javascript" && check.type !== "python") return transform;
    const { type: language, code, file, function: name } = check;
    return [...transform, { language, code, file, function: name }];
  });
}
