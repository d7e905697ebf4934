import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { PlugIn } from "../../agent/plug-in/plug-in.ts";
import { createPlugInRunner } from "../../agent/plug-in/plug-in-runner.ts";
import { errorLine } from "../../evaluation/error-line.ts";
import { SettingsError } from "../../settings/settings-error.ts";

/** The agent of another framework that the operator mounts instead of the built-in loop: the default export of a module. */
export async function readRunner(path: string | null): Promise<ReturnType<typeof createPlugInRunner> | undefined> {
  if (path === null) return undefined;
  const module = (await import(pathToFileURL(resolve(path)).href).catch((cause: unknown) => {
    throw new SettingsError("AGENT_RUNNER", `names ${path}, which cannot be loaded: ${errorLine(cause)}`, { cause });
  })) as Record<string, unknown>;
  const plugIn = module["default"];
  if (typeof plugIn === "function") return createPlugInRunner(plugIn as PlugIn);
  throw new SettingsError("AGENT_RUNNER", `names ${path}, whose default export is not a function`);
}
