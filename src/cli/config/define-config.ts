import type { z } from "zod";
import type { Config } from "./config.ts";

export type ConfigInput = z.input<typeof Config>;

/** For `rehearsal.ts`: the configuration with its types checked while it is written. */
export function defineConfig(config: ConfigInput | (() => ConfigInput | Promise<ConfigInput>)): typeof config {
  return config;
}
