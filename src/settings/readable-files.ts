import type { Variables } from "./environment.ts";
import { variables } from "./variables.ts";

const readableByOthers = 0o004;

/**
 * A line for each file with a secret in it that everybody on this machine may read. Only a warning: containers get their
 * secrets as such files, and are alone. `modeOf` is null where a file has no such rights.
 */
export function warnOfReadableFiles(
  environment: Variables,
  { alsoSecret, modeOf }: { alsoSecret: readonly string[]; modeOf: (path: string) => number | null },
): readonly string[] {
  const secrets = [...variables.filter(({ secret }) => secret).map(({ name }) => name), ...alsoSecret];
  return [...new Set(secrets)].flatMap((name) => {
    const path = environment[`${name}_FILE`]?.trim();
    const mode = path ? modeOf(path) : null;
    if (mode === null || (mode & readableByOthers) === 0) return [];
    return [`${name}_FILE names a file that everybody on this machine may read: chmod 600 keeps it yours`];
  });
}
