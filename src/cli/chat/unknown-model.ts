import { ServiceFailure } from "../../client/service-failure.ts";
import { CliError } from "../cli-error.ts";

const unknown: ReadonlySet<string> = new Set(["model_id_invalid", "model_not_found"]);

/** The service speaks of headers and routes; whoever typed `--model` is told in the words of the command line. */
export function inOurWords(error: unknown, modelId: string): unknown {
  if (!(error instanceof ServiceFailure) || !error.problem || !unknown.has(error.problem.code)) return error;
  const [near] = error.problem.suggestions ?? [];
  const others = near === undefined ? "rehearsal models lists them" : `such as ${near}; rehearsal models lists them`;
  return new CliError(`there is no model "${modelId}" (${others})`, undefined, { cause: error });
}
