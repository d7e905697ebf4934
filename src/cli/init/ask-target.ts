import { createInterface } from "node:readline/promises";

export interface Target {
  readonly endpoint?: string | undefined;
  readonly model?: string | undefined;
}

interface Terminal {
  readonly input?: NodeJS.ReadableStream;
  readonly output?: NodeJS.WritableStream;
}

/** Asks for what was not given. An empty answer takes the demo. */
export async function askTarget(
  { endpoint, model }: Target,
  { input = process.stdin, output = process.stderr }: Terminal = {},
): Promise<Target> {
  const lines = createInterface({ input, output });
  try {
    const address = endpoint ?? (await lines.question("Model endpoint to test (empty: the built-in demo) "));
    const name = model ?? (address.trim() === "" ? "" : await lines.question("Model "));
    return { endpoint: address.trim() || undefined, model: name.trim() || undefined };
  } finally {
    lines.close();
  }
}
