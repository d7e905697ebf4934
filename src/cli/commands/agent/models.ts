import type { Command } from "commander";
import { createAgentClient } from "../../../client/agent-client.ts";
import { withAgent, type AgentOptions } from "../../options/shared-options.ts";
import { openAgent } from "../../sources/open-session.ts";
import { note, outputWidth, printJson, printMessage } from "../../terminal/output.ts";
import { lengthWithin, plainLine } from "../../terminal/text.ts";
import { table } from "../../terminal/table.ts";

/** `rehearsal models` */
export function declare(command: Command): void {
  withAgent(command).option("--json", "print the models as one JSON object").action(models);
}

async function models({ json, ...where }: AgentOptions & { json?: boolean }): Promise<void> {
  await using agent = await openAgent(where, { readOnly: true });
  const found = await createAgentClient(agent).models();
  if (json) return printJson({ models: found });
  if (found.length === 0) {
    return note(
      "No models. Set HUB_BASE_URL or STUDIO_BASE_URL and check them with rehearsal doctor, " +
        "or name a running agent backend with --agent.",
    );
  }
  const width = outputWidth();
  const rows = found.map(({ id, owned_by, name }) => [
    plainLine(id, lengthWithin(width, 80)),
    owned_by,
    plainLine(name ?? "", lengthWithin(width, 60)),
  ]);
  printMessage(table([{ title: "MODEL" }, { title: "FROM" }, { title: "NAME" }], rows, width));
}
