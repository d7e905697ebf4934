import { loadEnvFile } from "node:process";
import { readSettings, type Settings } from "../../settings.ts";

/** The settings from the environment and `.env` of this folder. What the environment says outranks the file. */
export function loadSettings(): { settings: Settings; warnings: readonly string[] } {
  try {
    loadEnvFile();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  return readSettings(process.env);
}
