import { closestName } from "../base/text.ts";
import type { Variables } from "./environment.ts";
import { limitSettings } from "./numbers.ts";
import { SettingsError } from "./settings-error.ts";
import { variables } from "./variables.ts";

const secretNames = variables.filter(({ secret }) => secret).map(({ name }) => name);

/** Former variables that are constants now. */
const fixedValues: Readonly<Record<string, string>> = {
  REHEARSAL_AGENT_FETCH_MAX_BYTES: "2 MiB",
  REHEARSAL_BREAKER_FAILURE_RATIO: "0.5",
  REHEARSAL_BREAKER_MIN_CALLS: "20",
  REHEARSAL_BREAKER_OPEN_MS: "15 s",
  REHEARSAL_BREAKER_WINDOW_MS: "30 s",
  REHEARSAL_HEARTBEAT_MS: "5 s, and at most half of limits.lease_ms",
  REHEARSAL_HTTP_HEADERS_TIMEOUT_MS: "10 s, and at most limits.http_request_timeout_ms",
  REHEARSAL_HTTP_MAX_HEADERS: "100",
  REHEARSAL_HTTP_MAX_HEADER_BYTES: "16 KiB",
  REHEARSAL_IDEMPOTENCY_TTL_HOURS: "24 hours",
  REHEARSAL_MAX_JSON_DEPTH: "32",
  REHEARSAL_MAX_MODEL_ID_CHARS: "512",
  REHEARSAL_MAX_OBJECT_KEYS: "1000",
  REHEARSAL_UPSTREAM_CONNECT_TIMEOUT_MS: "5 s",
  REHEARSAL_UPSTREAM_MAX_SSE_LINE_BYTES: "1 MiB",
  REHEARSAL_UPSTREAM_RETRY_AFTER_MAX_MS: "60 s",
  REHEARSAL_UPSTREAM_RETRY_BUDGET: "0.2",
  REHEARSAL_UPSTREAM_RETRY_CAP_MS: "20 s",
};

/** Every key of `limits` was a variable of the same name: REHEARSAL_MAX_ATTEMPTS is `limits.max_attempts`. */
const movedKeys: ReadonlyMap<string, string> = new Map(
  limitSettings.map(({ key }) => [`REHEARSAL_${key.toUpperCase()}`, key]),
);

/** Throws when variables are set that are now keys of the configuration file: ignoring one would silently lift a limit. */
export function refuseMovedVariables(environment: Variables): void {
  const moved = [...movedKeys].flatMap(([name, key]) => {
    const value = environment[name]?.trim();
    // The value is repeated only if it is a number: anything else may be a secret in the wrong place.
    return value ? [{ name, line: `${key}: ${/^[\d.]+$/.test(value) ? value : "…"}` }] : [];
  });
  if (moved.length === 0) return;
  throw new SettingsError(
    moved.map(({ name }) => name).join(", "),
    `${moved.length === 1 ? "is" : "are"} no longer read from the environment: write limits: { ${moved.map(({ line }) => line).join(", ")} } in rehearsal.yaml, and name that file with --config if it is in another folder`,
  );
}

const ownPrefix = /^(REHEARSAL|EVAL|AGENT|HUB|STUDIO|JUDGE|LABELLER|SIMULATOR|EMBEDDINGS)_/;

/** Warns about variables that look like settings but are not read, with the closest name or the value that applies. */
export function warnOfUnknownVariables(environment: Variables, alsoKnown: readonly string[]): readonly string[] {
  const names = variables.map(({ name }) => name);
  const files = [...secretNames, ...alsoKnown].map((name) => `${name}_FILE`);
  const known = new Set([...names, ...movedKeys.keys(), ...files, ...alsoKnown]);
  return Object.keys(environment)
    .filter((name) => ownPrefix.test(name) && !known.has(name))
    .toSorted()
    .map((name) => {
      const fixed = fixedValues[name];
      if (fixed !== undefined) return `${name} is no longer a setting and is ignored: the value is always ${fixed}`;
      const nearest = closestName(name, names);
      return `${name} is not a setting and is ignored${nearest === undefined ? "" : `: did you mean ${nearest}?`}`;
    });
}

const readableByOthers = 0o004;

/**
 * Warns about secret files that every user of this machine can read. It is not an error because containers mount secrets
 * like this. `modeOf` returns null where files have no such permissions.
 */
export function warnOfReadableFiles(
  environment: Variables,
  { alsoSecret, modeOf }: { alsoSecret: readonly string[]; modeOf: (path: string) => number | null },
): readonly string[] {
  return [...new Set([...secretNames, ...alsoSecret])].flatMap((name) => {
    const path = environment[`${name}_FILE`]?.trim();
    const mode = path ? modeOf(path) : null;
    if (mode === null || (mode & readableByOthers) === 0) return [];
    return [`${name}_FILE names a file that every user of this machine can read: restrict it with chmod 600`];
  });
}
