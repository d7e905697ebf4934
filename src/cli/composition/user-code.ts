import type { CodeRunner } from "../../evaluation/scorers/checks/user-code.ts";
import { createCheckCode } from "../../runs/user-code/check-code.ts";
import { createCodeHost, type CodeHost } from "../../runs/user-code/code-host.ts";
import { createWorldModules, ModuleError, type WorldModules } from "../../runs/user-code/world-modules.ts";
import { createScrubber } from "../../services/http/scrub.ts";
import type { Settings } from "../../settings.ts";
import { CliError } from "../cli-error.ts";
import { namedAsSecrets } from "./operator-secrets.ts";

interface UserCode {
  readonly modules: WorldModules;
  /** Runs the code of checks and transforms. */
  readonly checkCode: CodeRunner;
  /** Ends the processes. */
  readonly host: CodeHost;
}

/** Runs modules of users, in processes that are started when they are needed. */
export function createUserCode({
  userCode: limits,
  codeEnvironment: environment,
  python,
  logLevel,
}: Pick<Settings, "userCode" | "codeEnvironment" | "python" | "logLevel">): UserCode {
  const isShown = logLevel === "debug" || logLevel === "trace";
  const scrub = createScrubber(namedAsSecrets(environment));
  const host = createCodeHost({ limits, ...(isShown && { onOutput: (line) => process.stderr.write(`${line}\n`) }) });
  return {
    host,
    modules: createWorldModules({ host, limits, environment, scrub }),
    checkCode: createCheckCode({ host, limits, environment, python, scrub }),
  };
}

/** A module that cannot be used is a mistake of the person at the terminal. */
export function explainModuleError(error: unknown): never {
  if (!(error instanceof ModuleError)) throw error;
  throw new CliError(error.message, undefined, { cause: error });
}
