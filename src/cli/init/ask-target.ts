import { createInterface } from "node:readline/promises";
import { CliError } from "../cli-error.ts";
import { exitCodes } from "../exit-codes.ts";

export interface Target {
  readonly endpoint?: string | undefined;
  readonly model?: string | undefined;
}

interface Terminal {
  readonly input?: NodeJS.ReadableStream;
  readonly output?: NodeJS.WritableStream;
}

/** Asks for what was not given. An empty answer takes the demo; Ctrl-C and Ctrl-D end the command. */
export async function askTarget(
  { endpoint, model }: Target,
  { input = process.stdin, output = process.stderr }: Terminal = {},
): Promise<Target> {
  const lines = createInterface({ input, output });
  try {
    const address = endpoint ?? (await lines.question("Model endpoint to test (empty: the built-in demo) "));
    const name = model ?? (address.trim() === "" ? "" : await lines.question("Model "));
    return { endpoint: address.trim() || undefined, model: name.trim() || undefined };
  } catch (cause) {
    if ((cause as Error).name !== "AbortError") throw cause;
    output.write("\n");
    throw new CliError("interrupted; nothing was written", exitCodes.interrupted, { cause });
  } finally {
    lines.close();
  }
}
