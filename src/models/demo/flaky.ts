import type { ChatRequest } from "../../contract/ports/chat-model.ts";
import type { DemoFailure, Draft, Respond } from "./demo-model.ts";
import { fillIn } from "./find-line.ts";
import { createDice, pick, type Random } from "./random.ts";
import { perform, readScript, type Cue } from "./scripted.ts";
import { reword, spoil } from "./vary.ts";

const failures: readonly [DemoFailure, ...DemoFailure[]] = [
  { failure: "upstream_error", detail: "The demo model failed on purpose (HTTP 503)", upstream_status: 503 },
  { failure: "upstream_error", detail: "The demo model failed on purpose (HTTP 500)", upstream_status: 500 },
  // A retry does not cure this one, so that a run with retries still shows a failed turn now and then.
  { failure: "upstream_rejected", detail: "The demo model refused on purpose (HTTP 400)", upstream_status: 400 },
];

/** demo/flaky: the script, but of a hundred answers about 12 fail, 18 are wrong and 25 are reworded. */
export function respondFlakily(seed: string): Respond {
  const dice = createDice(seed);
  return (request) => {
    const random = dice(request);
    const roll = random();
    if (roll < 0.12) return pick(random, failures);
    const cue = readScript(request);
    if (roll < 0.3) return mistake(cue, request, random);
    if (roll < 0.55) return variation(cue, request, random);
    return perform(cue, request);
  };
}

function variation(cue: Cue, request: ChatRequest, random: Random): Draft {
  if (cue.kind === "line") return { text: fillIn(cue.line.reworded, request.messages) };
  return cue.kind === "text" ? { text: reword(cue.text, random) } : perform(cue, request);
}

/** Broken arguments are the mistake that models make with tools: the agent has to repair them. */
function mistake(cue: Cue, { messages }: ChatRequest, random: Random): Draft {
  if (cue.kind === "line") return { text: fillIn(cue.line.wrong, messages) };
  if (cue.kind === "text") return { text: spoil(cue.text, random) };
  return { text: "", tool_calls: cue.calls.map((call) => ({ ...call, arguments: call.arguments.slice(0, -1) })) };
}
