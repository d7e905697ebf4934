import type { PlugIn } from "../../agent/loop/plug-in.ts";
import { createPlugInRunner } from "../../agent/loop/plug-in.ts";
import { SettingsError } from "../../settings/settings-error.ts";
import { importOperatorModule } from "./import-operator-module.ts";

/** The agent of another framework that the operator mounts instead of the built-in loop: the default export of a module. */
export async function readRunner(path: string | null): Promise<ReturnType<typeof createPlugInRunner> | undefined> {
  if (path === null) return undefined;
  const { default: plugIn } = await importOperatorModule("AGENT_RUNNER", path);
  if (typeof plugIn === "function") return createPlugInRunner(plugIn as PlugIn);
  throw new SettingsError("AGENT_RUNNER", `names ${path}, whose default export is not a function`);
}
