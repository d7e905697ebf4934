import { writeFile } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { createRandom } from "../../src/base/random.ts";
import type { AgentReply, AgentThread } from "../../src/contract/schemas/agent/agent-message.ts";
import type { AgentRunDetails, AgentRunSummary } from "../../src/contract/schemas/agent/agent-run.ts";
import { startServe, type ServeProcess } from "../hardening/support/serve-process.ts";
import type { TestDatabase } from "../support/postgres.ts";
import { newSeed, patienceMs } from "../support/sizes.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { answerOf, startAgentShop, stepsOf, type AgentShop } from "./agent-shop.ts";

interface AgentKillsOptions {
  /** The value of DATABASE_URL. */
  readonly database: string;
  readonly cycles: number;
  readonly backends: number;
  /** Rows of runs that have not ended. */
  readonly countOpenRuns: () => Promise<number>;
  readonly between?: (cycle: number) => Promise<void>;
  readonly onCycle?: (cycle: number) => void;
  /** Starts no further cycle when it aborts. */
  readonly signal?: AbortSignal;
}

/** The outcome of tortured turns. All lists must be empty, and `open` 0. */
export interface AgentFindings {
  readonly turns: number;
  /** Turns sent with `Prefer: respond-async`, and turns sent to two processes at once. */
  readonly async: number;
  readonly twice: number;
  readonly modelCalls: number;
  readonly effects: number;
  /** Calls that were in progress at a kill: reported as unknown and not repeated. */
  readonly uncertain: number;
  readonly lost: readonly string[];
  readonly doubledEffects: readonly string[];
  /** Effects that neither took place nor were reported as uncertain. */
  readonly missingEffects: readonly string[];
  readonly wrongThreads: readonly string[];
  readonly wrongAnswers: readonly string[];
  readonly wrongResults: readonly string[];
  readonly open: number;
}

export const noTurnLost = {
  lost: [],
  doubledEffects: [],
  missingEffects: [],
  wrongThreads: [],
  wrongAnswers: [],
  wrongResults: [],
  open: 0,
};

export async function openRunsIn(database: TestDatabase): Promise<number> {
  return (await database.query("select 1 from agent_open_run")).length;
}

export async function openRunsInFile(file: string): Promise<number> {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  try {
    return database.prepare("select 1 from agent_open_run").all().length;
  } finally {
    database.close();
  }
}

/** Conversations at once, and the turns of each before its client begins another one. */
const threadCount = 6;
const turnsPerThread = 40;

/**
 * Kills one of the agent backends with SIGKILL after a few requests of its turns, again and again, while clients go on talking to
 * those that live: each with its own thread, one keyed turn after the other, sent again until it is answered. Then everything is
 * finished and compared with what the model and the tools saw. Prints the seed first.
 */
export async function killAgents(options: AgentKillsOptions): Promise<AgentFindings> {
  const { database, cycles, backends, between = async () => {}, onCycle = () => {}, signal } = options;
  const seed = newSeed("TORTURE_SEED");
  const random = createRandom(String(seed));
  process.stdout.write(`${cycles} kills, TORTURE_SEED=${seed}\n`);
  await using shop = await startAgentShop({ latencyMs: 8 });
  await using folder = await temporaryFolder();
  await writeFile(folder.file("tools.json"), JSON.stringify(shop.tools));
  const start = () =>
    startServe({
      DATABASE_URL: database,
      HUB_BASE_URL: shop.model,
      AGENT_HTTP_TOOLS: folder.file("tools.json"),
      LOG_LEVEL: "silent",
    });
  const serving: ServeProcess[] = [];
  await using opened = new AsyncDisposableStack();
  opened.defer(async () => {
    for (const serve of serving) await serve[Symbol.asyncDispose]();
  });
  for (let index = 0; index < backends; index += 1) serving.push(await start());
  const clients = createClients({ pick: () => serving[Math.floor(random() * serving.length)]?.agent ?? "", random });

  const working = Array.from({ length: threadCount }, (_, index) => clients.talk(`client-${index}`));
  for (let cycle = 0; cycle < cycles && !signal?.aborted; cycle += 1) {
    await shop.arrived(1 + Math.floor(random() * 16));
    const [victim] = serving.splice(Math.floor(random() * serving.length), 1);
    await victim?.[Symbol.asyncDispose]();
    serving.push(await start());
    await between(cycle);
    onCycle(cycle);
  }
  clients.stop();
  await Promise.all(working);
  const open = await untilNone(options.countOpenRuns);
  return { ...(await check(clients, { shop, agent: serving[0]?.agent ?? "" })), open };
}

interface Clients {
  /** The turns of each thread, in order. */
  readonly sent: ReadonlyMap<string, readonly string[]>;
  readonly answers: ReadonlyMap<string, readonly string[]>;
  /** The last refusal of each turn. */
  readonly refusals: ReadonlyMap<string, string>;
  readonly counts: { readonly async: number; readonly twice: number };
  /** Sends turns of one thread after the other until `stop`. Resolves when all are answered. */
  talk(client: string): Promise<void>;
  stop(): void;
}

function createClients({ pick, random }: { pick: () => string; random: () => number }): Clients {
  const sent = new Map<string, string[]>();
  const answers = new Map<string, string[]>();
  const refusals = new Map<string, string>();
  const counts = { async: 0, twice: 0 };
  let stopped = false;
  let deadline = Number.POSITIVE_INFINITY;

  const post = (turn: string, thread: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${pick()}/`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-model-id": "hub/model",
        "x-thread-id": thread,
        "idempotency-key": turn.replaceAll(" ", "-"),
        ...headers,
      },
      body: JSON.stringify({ messages: [{ type: "human", content: turn }] }),
    });

  /** Tries again, at whatever process lives, until there is a final answer. */
  async function retry<Result>(attempt: () => Promise<Result | null>): Promise<Result | null> {
    while (performance.now() < deadline) {
      const result = await attempt().catch(() => null);
      if (result !== null) return result;
      await sleep(20);
    }
    return null;
  }

  async function read<Body>(turn: string, response: Response): Promise<Body | null> {
    if (response.ok) return (await response.json()) as Body;
    refusals.set(turn, await response.text());
    return null;
  }

  const ask = (turn: string, thread: string) =>
    retry(async () => (await read<AgentReply>(turn, await post(turn, thread)))?.content ?? null);

  async function askLater(turn: string, thread: string): Promise<string | null> {
    const run = await retry(async () => {
      const response = await post(turn, thread, { prefer: "respond-async" });
      const body = await read<AgentRunSummary & AgentReply>(turn, response);
      return body && (response.status === 202 ? body : { id: response.headers.get("x-run-id") ?? "" });
    });
    return retry(async () => {
      const details = await read<AgentRunDetails>(turn, await fetch(`${pick()}/agent/runs/${run?.id}`));
      return details?.state === "running" ? null : (details?.message?.content ?? details?.text ?? null);
    });
  }

  return {
    sent,
    answers,
    refusals,
    counts,
    stop() {
      stopped = true;
      deadline = performance.now() + patienceMs / 4;
    },
    async talk(client) {
      for (let number = 0; !stopped; number += 1) {
        const thread = `${client}-${Math.floor(number / turnsPerThread)}`;
        const turn = `${thread} turn-${number}`;
        sent.set(thread, [...(sent.get(thread) ?? []), turn]);
        const kind = random();
        if (kind < 0.25) counts.async += 1;
        else if (kind < 0.5) counts.twice += 1;
        const given =
          kind < 0.25
            ? [await askLater(turn, thread)]
            : await Promise.all(Array.from({ length: kind < 0.5 ? 2 : 1 }, () => ask(turn, thread)));
        answers.set(
          turn,
          given.filter((text) => text !== null),
        );
      }
    },
  };
}

async function untilNone(count: () => Promise<number>): Promise<number> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const open = await count();
    if (open === 0 || performance.now() > deadline) return open;
    await sleep(200);
  }
}

async function check(
  { sent, answers, refusals, counts }: Clients,
  { shop, agent }: { shop: AgentShop; agent: string },
): Promise<Omit<AgentFindings, "open">> {
  const wrongThreads: string[] = [];
  for (const [thread, turns] of sent) {
    const stored = (await (await fetch(`${agent}/agent/threads/${thread}`)).json()) as Partial<AgentThread>;
    const texts = (stored.messages ?? []).map(({ content }) => content);
    const expected = turns.flatMap((turn) => [turn, answerOf(turn)]);
    const at = expected.findIndex((text, index) => text !== texts[index]);
    if (at !== -1 || texts.length !== expected.length) {
      wrongThreads.push(`${thread}: ${texts.length} messages for ${expected.length}, different at ${at}`);
    }
  }
  const all = [...sent.values()].flat();
  const effects = all.flatMap((turn) => stepsOf(turn).flat()).filter(({ tool }) => tool === "buy");
  return {
    turns: all.length,
    ...counts,
    modelCalls: shop.modelCalls,
    effects: shop.bought.size,
    uncertain: shop.uncertain.size,
    lost: all.flatMap((turn) => {
      return (answers.get(turn) ?? []).length === 0 ? [`${turn}: ${refusals.get(turn) ?? "no answer"}`] : [];
    }),
    doubledEffects: [...shop.bought].flatMap(([step, times]) => (times > 1 ? [`${step}: ${times}`] : [])),
    missingEffects: effects.flatMap(({ step }) => (shop.bought.has(step) || shop.uncertain.has(step) ? [] : [step])),
    wrongThreads,
    wrongAnswers: all.filter((turn) => answers.get(turn)?.some((text) => text !== answerOf(turn))),
    wrongResults: shop.wrong,
  };
}
