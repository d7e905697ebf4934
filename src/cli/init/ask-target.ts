import { createInterface } from "node:readline/promises";

export interface Target {
  readonly endpoint?: string | undefined;
  readonly model?: string | undefined;
}

/** Asks for what was not given. An empty answer takes the demo. */
export async function askTarget({ endpoint, model }: Target): Promise<Target> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const address = endpoint ?? (await lines.question("Model endpoint to test (empty: the built-in demo) "));
    const name = model ?? (address.trim() === "" ? "" : await lines.question("Model "));
    return { endpoint: address.trim() || undefined, model: name.trim() || undefined };
  } finally {
    lines.close();
  }
}
