import { StoreFileError } from "../../storage/store-file-error.ts";
import { ListenError } from "../../services/http/listen.ts";
import { SettingsError } from "../../settings/settings-error.ts";
import { exitCodes } from "../exit-codes.ts";

/** Says in one line why the command cannot go on, and which kind of reason it is. Anything unforeseen is thrown on. */
export function failStart(error: unknown): void {
  const readable = [SettingsError, ListenError, StoreFileError].some((kind) => error instanceof kind);
  if (!readable) throw error;
  process.stderr.write(`rehearsal: ${(error as Error).message}\n`);
  process.exitCode = exitCodes.configuration;
}
