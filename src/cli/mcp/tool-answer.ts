import { CliError } from "../cli-error.ts";

const expected = new Set(["FormatError", "ServiceFailure", "ServiceUnreachable"]);

/** What a tool found, as JSON text. A failure is a result that says so; what we did not foresee says nothing more. */
export async function answer(work: () => Promise<unknown>) {
  try {
    return { content: [{ type: "text" as const, text: JSON.stringify(await work()) }] };
  } catch (error) {
    const known = error instanceof CliError || (error instanceof Error && expected.has(error.name));
    const text = known ? (error as Error).message : "This could not be done.";
    return { content: [{ type: "text" as const, text }], isError: true };
  }
}
