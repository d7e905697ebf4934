import { createCheckCode, type CheckCode } from "../../runs/user-code/check-code.ts";
import { createCodeHost, type CodeHost } from "../../runs/user-code/code-host.ts";
import { createLocalTargets, type LocalTargets } from "../../runs/user-code/local-targets.ts";
import { createWorldModules, ModuleError, type WorldModules } from "../../runs/user-code/world-modules.ts";
import type { TokenCommandsOptions } from "../../runs/user-code/token-commands.ts";
import { createScrubber } from "../../services/http/environment/scrub.ts";
import type { Settings } from "../../settings.ts";
import { CliError } from "../terminal/cli-error.ts";
import { namedAsSecrets } from "./operator-secrets.ts";

interface UserCode {
  readonly modules: WorldModules;
  readonly targets: LocalTargets;
  /** Runs the code of checks and transforms. */
  readonly checkCode: CheckCode;
  /** Ends the processes of modules and checks. */
  readonly host: CodeHost;
  /** Ends the processes of targets. */
  readonly targetHost: CodeHost;
}

/** Runs modules of users, in processes that are started when they are needed. */
export function createUserCode({
  userCode: limits,
  codeEnvironment: environment,
  python,
  logLevel,
  upstream,
  concurrency,
  ownConcurrency,
}: Pick<
  Settings,
  "userCode" | "codeEnvironment" | "python" | "logLevel" | "upstream" | "concurrency" | "ownConcurrency"
>): UserCode {
  const isShown = logLevel === "debug" || logLevel === "trace";
  const output = isShown ? { onOutput: (line: string) => process.stderr.write(`${line}\n`) } : {};
  const host = createCodeHost({ limits, ...output });
  const scrub = createScrubber(namedAsSecrets(environment));
  // The agent under test may take as long as one behind HTTP, and has a process for each concurrent call.
  const targetLimits = {
    timeoutMs: upstream.totalTimeoutMs,
    memoryMb: limits.targetMemoryMb,
    processes: ownConcurrency ? concurrency.global : Math.min(limits.targetProcesses, concurrency.global),
  };
  const targetHost = createCodeHost({ limits: targetLimits, ...output });
  const secrets = namedAsSecrets(process.env);
  return {
    host,
    targetHost,
    modules: createWorldModules({ host, limits, environment, python, scrub }),
    checkCode: createCheckCode({ host, limits, environment, python, scrub }),
    targets: createLocalTargets({
      host: targetHost,
      limits: targetLimits,
      retry: { maximum: upstream.retries, baseMs: upstream.retryBaseMs },
      environment: { ...pickVariables(process.env, everyProcess), ...environment },
      python,
      variable: (name) => process.env[name],
      scrub: createScrubber(secrets),
      secrets,
    }),
  };
}

/** The commands of tokens get the environment of targets. */
export function tokenCommandOptions({ codeEnvironment }: Pick<Settings, "codeEnvironment">): TokenCommandsOptions {
  return {
    environment: { ...pickVariables(process.env, everyProcess), ...codeEnvironment },
    scrub: createScrubber(namedAsSecrets(process.env)),
  };
}

/** Programs need these to start at all; none is a secret. */
const everyProcess = [
  "PATH",
  "HOME",
  "LANG",
  "LC_ALL",
  "TMPDIR",
  "TZ",
  "VIRTUAL_ENV",
  "SystemRoot",
  "TEMP",
  "USERPROFILE",
];

function pickVariables(variables: NodeJS.ProcessEnv, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name): [string, string][] => {
      const value = variables[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** A module that cannot be used is a mistake of the person at the terminal. */
export function explainModuleError(error: unknown): never {
  if (!(error instanceof ModuleError)) throw error;
  throw new CliError(error.message, undefined, { cause: error });
}
