import { compact } from "../../base/compact.ts";
import type { StoredReply } from "../../contract/schemas/interaction-result.ts";
import type { RecordedToolCall } from "../../contract/schemas/acting/tool-call.ts";
import { toStoredReply } from "../../evaluation/conversation/stored-reply.ts";
import { evaluateOutcome } from "../../evaluation/outcomes/outcome.ts";
import { createProbes } from "../../evaluation/tools/probes.ts";
import { stateAfter } from "../../evaluation/world/final-state.ts";
import { ForeignWorld } from "../../evaluation/world/foreign-agent.ts";
import { prepareWorld, type PreparedWorld } from "../../evaluation/world/world.ts";
import type { FileScenario } from "../../formats/scenario-file.ts";
import { CliError } from "../terminal/cli-error.ts";
import { createWorldListener, publicWorldUrl } from "../composition/world-listener.ts";
import { plainJson } from "../terminal/text.ts";
import { joinScenarios, readScenarioFiles } from "./read-scenarios.ts";

/** A person in the seat of a scenario's user, while the agent acts in the scenario's world. */
interface UserSeat extends AsyncDisposable {
  readonly scenario: FileScenario;
  /** The role, to be shown before the first message. */
  readonly introduction: string;
  /** The origin of the world; null without one. */
  readonly origin: string | null;
  /** Sends one message of the person: `send` gets the address of the world and resolves with the agent's text. */
  turn(send: (worldUrl: string | undefined) => Promise<string>): Promise<string>;
  /** Begins again in a fresh world. */
  reset(): Promise<void>;
  /** How the conversation compares with the scenario's `expect`; null without one. */
  outcome(): Promise<string | null>;
}

interface UserSeatOptions {
  /** A file, folder or pattern. */
  readonly files: string;
  /** Default: the only scenario of the files. */
  readonly scenarioId?: string | undefined;
  readonly onCall: (text: string) => void;
}

export async function takeUserSeat({ files, scenarioId, onCall }: UserSeatOptions): Promise<UserSeat> {
  const scenario = chooseScenario(joinScenarios(await readScenarioFiles([files])), scenarioId);
  const { world, expect } = scenario;
  if (world?.module !== undefined) {
    throw new CliError("the world of this scenario is a module, which only rehearsal eval runs: use declared answers");
  }
  const signal = new AbortController().signal;
  const replies: StoredReply[] = [];
  await using opened = new AsyncDisposableStack();
  const prepared: PreparedWorld | null = world ? prepareWorld(world, { probes: createProbes() }) : null;
  const listener = opened.use(createWorldListener({ publicUrl: publicWorldUrl() }));
  const enter = (): ForeignWorld | null =>
    prepared &&
    new ForeignWorld(prepared, (served) => listener.endpoints.open(served, { runId: "", name: scenario.id }));
  let foreign = enter();
  const origin = prepared ? await openOrigin(listener) : null;
  opened.defer(() => foreign?.close());
  const held = opened.move();

  async function inWorld(acting: ForeignWorld, send: Parameters<UserSeat["turn"]>[0]): Promise<string> {
    let text = "";
    const reply = await acting.run({
      messages: [],
      entries: [],
      signal,
      append: async (added) => {
        for (const entry of added) {
          if (entry.type === "call") onCall(describeCall(entry.call));
        }
      },
      model: async (_request, { session }) => {
        text = await send(session?.world_url);
        return { ...emptyReply, text };
      },
    });
    replies.push(reply);
    return text;
  }

  return {
    scenario,
    introduction: introductionOf(scenario),
    origin,
    async turn(send) {
      if (foreign) return inWorld(foreign, send);
      const text = await send(undefined);
      replies.push(toStoredReply({ ...emptyReply, text }));
      return text;
    },
    async reset() {
      await foreign?.close();
      foreign = enter();
      replies.length = 0;
    },
    async outcome() {
      if (!expect) return null;
      const { outcome } = await evaluateOutcome(
        compact({
          expect,
          replies,
          state: foreign?.state,
          expectedState:
            prepared && expect.state_after
              ? await stateAfter(expect.state_after, { world: prepared, signal })
              : undefined,
          matching: scenario.tool_matching,
        }),
      );
      const failed = outcome.parts.filter(({ passed }) => passed !== true);
      const verdict = { 0: "failed", 1: "passed" }[String(outcome.value)] ?? "undecided";
      return [`Outcome: ${verdict}`, ...failed.map(({ name, reason }) => `  ${name}: ${reason}`)].join("\n");
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

/** Opens and closes an endpoint, so that the origin is known before the first turn. */
async function openOrigin({ endpoints }: ReturnType<typeof createWorldListener>): Promise<string> {
  const first = await endpoints.open({ tools: [], call: async () => null }, { runId: "", name: "" });
  first.close();
  return new URL(first.url).origin;
}

const emptyReply = {
  ok: true,
  text: "",
  refusal: null,
  tool_calls: [],
  finish_reason: "stop",
  usage: null,
  model: "",
  completion_id: "",
  system_fingerprint: null,
  service_tier: null,
  logprobs: null,
  metadata: null,
  latency_ms: 0,
  first_token_ms: null,
  tries: 1,
} as const;

function chooseScenario(scenarios: readonly FileScenario[], id: string | undefined): FileScenario {
  const found = id === undefined ? scenarios : scenarios.filter((scenario) => scenario.id === id);
  const [first, second] = found;
  if (first && !second) return first;
  const ids = scenarios.slice(0, 10).map((scenario) => scenario.id);
  if (!first && id !== undefined) throw new CliError(`there is no scenario "${id}"; the files have ${ids.join(", ")}`);
  throw new CliError(
    first
      ? `the files have several scenarios: name one with --scenario (${ids.join(", ")})`
      : "the files have no scenario",
  );
}

function introductionOf({ id, description, user, interactions }: FileScenario): string {
  const facts =
    typeof user?.knows === "string"
      ? [user.knows]
      : Object.entries(user?.knows ?? {}).map(([name, value]) => `${name}: ${value}`);
  const [first] = interactions;
  return [
    `You are the user of ${id}.${description === "" ? "" : ` ${description}`}`,
    ...(user ? [`Goal: ${user.goal}`] : []),
    ...(user?.persona ? [`You: ${user.persona}`] : []),
    ...(facts.length > 0 ? [`You know: ${facts.join(", ")}`] : []),
    ...(user?.opening ? [`Opening: ${user.opening}`] : []),
    ...(!user && first ? [`The script begins with: ${first.user_message}`] : []),
  ].join("\n");
}

function describeCall({ name, arguments: args, result, error }: RecordedToolCall): string {
  return `  ${name} ${plainJson(args)} → ${error === undefined ? plainJson(result) : `error: ${error}`}`;
}
