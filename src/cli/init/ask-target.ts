import { createInterface } from "node:readline/promises";
import { CliError } from "../cli-error.ts";
import { isEndpoint, ownAgent } from "../config/endpoint.ts";
import { exitCodes } from "../exit-codes.ts";

export interface Target {
  readonly endpoint?: string | undefined;
  readonly model?: string | undefined;
}

interface Terminal {
  readonly input?: NodeJS.ReadableStream;
  readonly output?: NodeJS.WritableStream;
}

/** Asks for what was not given, until it can be used. An empty endpoint takes the demo; Ctrl-C and Ctrl-D end the command. */
export async function askTarget(
  { endpoint, model }: Target,
  { input = process.stdin, output = process.stderr }: Terminal = {},
): Promise<Target> {
  const lines = createInterface({ input, output });
  async function ask(question: string, isUsable: (answer: string) => boolean): Promise<string> {
    const answer = (await lines.question(question)).trim();
    return isUsable(answer) ? answer : ask(question, isUsable);
  }
  try {
    const address =
      endpoint ??
      (await ask(
        "Model endpoint to test, such as https://api.example.com/v1 (empty: the built-in demo) ",
        (answer) => answer === "" || isEndpoint(answer),
      ));
    const isOwn = address === "" || address === ownAgent;
    const name = model ?? (address === "" ? "" : await ask("Model ", (answer) => isOwn || answer !== ""));
    return { endpoint: address || undefined, model: name || undefined };
  } catch (cause) {
    if ((cause as Error).name !== "AbortError") throw cause;
    output.write("\n");
    throw new CliError("interrupted; nothing was written", exitCodes.interrupted, { cause });
  } finally {
    lines.close();
  }
}
