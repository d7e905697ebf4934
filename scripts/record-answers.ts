// Runs the examples of the API reference against services of its own and keeps what they answered, shortened.
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { runServices } from "../test/support/services.ts";
import { agentService, evaluationService } from "./reference/api-services.ts";
import { runExamples } from "./reference/run-examples.ts";
import { shortenAnswer } from "./reference/shorten-answer.ts";

await using services = await runServices();
const kept: Record<string, Record<string, unknown>> = {};
for (const { name, examples } of [evaluationService, agentService]) {
  const answers = Object.entries(await runExamples(examples, services));
  kept[name] = Object.fromEntries(
    answers.flatMap(([id, { body }]) => (/^[[{]/.test(body) ? [[id, shortenAnswer(parsed(body))] as const] : [])),
  );
}
writeFileSync(resolve(import.meta.dirname, "reference/answers.json"), `${JSON.stringify(kept, null, 2)}\n`);

/** JSON unchanged; of JSON lines the first. */
function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return JSON.parse(body.split("\n")[0] ?? "");
  }
}
