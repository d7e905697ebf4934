import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { errorLine } from "../../evaluation/format.ts";
import { SettingsError } from "../../settings/settings-error.ts";

/** A module of the operator's that a variable names. */
export async function importOperatorModule(variable: string, path: string): Promise<Record<string, unknown>> {
  const file = resolve(path);
  if (!existsSync(file)) throw new SettingsError(variable, `names ${path}, which does not exist`);
  try {
    return (await import(pathToFileURL(file).href)) as Record<string, unknown>;
  } catch (cause) {
    throw new SettingsError(variable, `names ${path}, which cannot be loaded: ${whyNot(cause, path)}`, { cause });
  }
}

/** Node reads `.js` and `.ts` by the nearest package.json, and `npm init` writes "commonjs" there. */
function whyNot(cause: unknown, path: string): string {
  const reason = errorLine(cause);
  const ending = /\.(?<language>[jt]s)$/.exec(path)?.groups?.["language"];
  const isModule = /outside a module|Unexpected token 'export'/.test(reason);
  return isModule && ending !== undefined ? `${reason}: let its name end in .m${ending}` : reason;
}
