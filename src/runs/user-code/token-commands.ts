import { execFile } from "node:child_process";
import { Secret } from "../../base/secret.ts";
import type { SecretOfCommand } from "../../models/targets/target-chat.ts";

const defaultTtlSeconds = 600;
const longestRunMs = 30_000;
const longestToken = 16_384;

export interface TokenCommandsOptions {
  /** The whole environment of the commands. */
  readonly environment: Readonly<Record<string, string>>;
  /** Removes secrets from messages, which are stored. */
  readonly scrub: (text: string) => string;
}

/** Runs the commands that print tokens, each once for as long as its token is good, however many attempts ask. */
export function createTokenCommands({ environment, scrub }: TokenCommandsOptions): SecretOfCommand {
  const known = new Map<string, { readonly token: Promise<Secret>; readonly until: number; secret?: Secret }>();
  return async ({ command, ttl = defaultTtlSeconds }, { refresh } = {}) => {
    const last = known.get(command);
    const isRefused = refresh !== undefined && last?.secret === refresh;
    if (last && !isRefused && performance.now() < last.until) return last.token;
    const token = run(command, environment).catch((error: unknown) => {
      if (known.get(command)?.token === token) known.delete(command);
      throw new Error(scrub(error instanceof Error ? error.message : String(error)), { cause: error });
    });
    const entry: { token: Promise<Secret>; until: number; secret?: Secret } = {
      token,
      until: performance.now() + ttl * 1_000,
    };
    known.set(command, entry);
    const secret = await token;
    entry.secret = secret;
    return secret;
  };
}

function run(command: string, environment: Readonly<Record<string, string>>): Promise<Secret> {
  const isWindows = process.platform === "win32";
  const [shell, args] = isWindows ? ["cmd.exe", ["/d", "/s", "/c", command]] : ["/bin/sh", ["-c", command]];
  return new Promise((resolve, reject) => {
    const options = { env: { ...environment }, timeout: longestRunMs, maxBuffer: longestToken, windowsHide: true };
    execFile(shell, args, options, (error, stdout, stderr) => {
      const token = stdout.trim();
      if (error) {
        const last = stderr.trim().split("\n").at(-1)?.slice(0, 300) ?? "";
        const how = error.killed ? `took longer than ${longestRunMs / 1_000} s, or printed too much` : "failed";
        reject(new Error(`the command ${how}${last === "" ? "" : `: ${last}`}`));
      } else if (token === "") reject(new Error("the command printed nothing"));
      else if (/[^\x21-\x7e]/.test(token))
        reject(new Error("the command printed more than a token: one word is expected"));
      else resolve(new Secret(token));
    });
  });
}
