import { ServiceFailure } from "../../client/service-failure.ts";
import { closestName } from "../../base/text.ts";
import { ServiceError } from "../../contract/errors.ts";
import { CliError } from "../cli-error.ts";

const unknown: ReadonlySet<string> = new Set(["model_id_invalid", "model_not_found"]);

/** The service speaks of headers and routes; whoever typed `--model` is told in the words of the command line. */
export function inOurWords(error: unknown, modelId: string, elsewhere = ""): unknown {
  const refusal = refusalOf(error);
  if (!refusal || !unknown.has(refusal.code)) return error;
  const near = closestName(modelId, refusal.suggestions ?? []);
  const meant = near === undefined ? "" : `: did you mean ${near}?`;
  const others = near === undefined ? `; HUB_BASE_URL or HUB_PROVIDERS adds others${elsewhere}` : "";
  return new CliError(`there is no model "${modelId}"${meant} (rehearsal models lists them${others})`, undefined, {
    cause: error,
  });
}

/** An agent backend in another process answers with a problem; ours throws. */
function refusalOf(error: unknown): { code: string; suggestions?: readonly string[] | undefined } | null {
  if (error instanceof ServiceError) return error;
  return error instanceof ServiceFailure ? error.problem : null;
}
