import type { AgentUpstreams } from "../../../src/contract/schemas/agent/models.ts";
import type { Scenario } from "../../../src/contract/schemas/scenario.ts";
import { hostileTexts } from "./hostile-texts.ts";
import { makeResults } from "./make-results.ts";

const error = (detail: string) =>
  ({ code: "upstream_error", detail, upstream_status: 500, tries: 3, retryable: true }) as const;

const turn = (text: string) => ({
  id: text,
  user: text,
  reply: text,
  reference: `before ${text}`,
  overall: 0.2,
  expected: { [text]: text },
  generated: { [text]: "x" },
});

/** A run in which every text a stranger can write is hostile. One scenario has all of them as turns, the others one each. */
export const hostileRun = makeResults({
  id: "hostile",
  name: hostileTexts.join(" "),
  model: hostileTexts[1] ?? "",
  scenarios: [
    { id: "all", description: "all", attempts: [hostileTexts.map(turn)] },
    ...hostileTexts.map((text, index) => ({
      id: text.replaceAll("\n", " "),
      description: text,
      attempts: [[turn(text), ...(index % 25 === 0 ? [{ error: error(hostileTexts[index + 1] ?? "") }] : [])]],
    })),
  ],
});

export const hostileScenarios: readonly Scenario[] = hostileTexts.map((text) => ({
  id: text.replaceAll(/\p{Cc}/gu, " "),
  description: text,
  tags: [text],
  interactions: [
    {
      id: "1",
      user_message: text,
      agent_reply: "",
      reference_reply: text,
      interaction_type: text,
      reference_metadata: { [text]: text },
      generated_metadata: {},
    },
  ],
}));

/** Providers and models that call themselves, and fail with, such texts. */
export const hostileUpstreams: AgentUpstreams = {
  providers: hostileTexts.map((text) => ({
    name: text,
    kind: "hub",
    origin: text,
    health: "failing",
    calls: 1,
    failures: 1,
    last_call_at: 0,
    last_error: { code: text, detail: text, at: 0 },
  })),
  breakers: hostileTexts.map((text) => ({
    origin: text,
    key: text,
    state: text,
    calls: 1,
    failures: 1,
    retry_after_ms: 1,
  })),
  routes: [],
  tool_support: [],
};
