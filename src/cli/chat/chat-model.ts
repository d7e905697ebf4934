import type { AgentClient } from "../../client/create-agent-client.ts";
import { CliError } from "../cli-error.ts";

/** The model to talk to when none was named: a demo model where there are only those, else the person has to choose. */
export async function chatModel(client: AgentClient): Promise<string> {
  const ids = (await client.models()).map(({ id }) => id);
  const demo = ids.find((id) => id === "demo/retrieval");
  if (demo !== undefined) return demo;
  const [only] = ids;
  if (ids.length === 1 && only !== undefined) return only;
  throw new CliError(`which model? Give --model: ${ids.slice(0, 10).join(", ") || "rehearsal models lists them"}`);
}
