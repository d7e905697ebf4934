import type { Command } from "commander";
import { createAgentClient } from "../../client/create-agent-client.ts";
import { serverOption, withAgent, type AgentOptions } from "../chat/agent-options.ts";
import { openAgent } from "../chat/open-agent.ts";
import { note, outputWidth, printJson, tell } from "../terminal/output.ts";
import { lengthWithin, plainLine } from "../terminal/plain-line.ts";
import { table } from "../terminal/table.ts";

/** `rehearsal models` */
export function declare(command: Command): void {
  withAgent(command).option("--json", "print the models as one JSON object").action(models);
}

async function models({ json, ...where }: AgentOptions & { json?: boolean }): Promise<void> {
  await using agent = await openAgent(where, { onlyLooks: true });
  const found = await createAgentClient(agent).models();
  if (json) return printJson({ models: found });
  if (found.length === 0) {
    return note(
      "No models. HUB_BASE_URL and STUDIO_BASE_URL say where they are, and rehearsal doctor whether that can be reached; " +
        `${serverOption} asks a running agent backend.`,
    );
  }
  const width = outputWidth();
  const rows = found.map(({ id, owned_by, name }) => [
    plainLine(id, lengthWithin(width, 80)),
    owned_by,
    plainLine(name ?? "", lengthWithin(width, 60)),
  ]);
  tell(table([{ title: "MODEL" }, { title: "FROM" }, { title: "NAME" }], rows, width));
}
