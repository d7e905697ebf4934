import { fileURLToPath } from "node:url";
import type { Bench, BenchContext, Figures, Goal, Row, Subject } from "./bench.ts";
import { makeText } from "./fake-model/behaviour.ts";
import { startServer, type ServerProcess } from "./harness/child-process.ts";
import { interleave, medianOf, ratioOf } from "./harness/interleave.ts";
import { startRehearsal } from "./harness/rehearsal.ts";
import { runLoad } from "./load/closed-loop.ts";
import { agentPeers } from "./peers/agent-peers.ts";

const handAgent = fileURLToPath(new URL("reference/hand-agent.ts", import.meta.url));
const kinds = [
  { name: "plain", setting: "latency-0" },
  { name: "one tool", setting: "tool-calculator" },
] as const;
const connectionCounts = [1, 16, 64];
const request = {
  path: "/",
  headers: { "x-model-id": "bench/fake" },
  body: JSON.stringify({ messages: [{ type: "human", content: "What is six times seven?" }] }),
};
const hand = "hand-written loop";
/**
 * A server answers for days: what its first seconds cost is told by the bench of the start. V8 goes on compiling for some
 * fifteen thousand turns, which shows in its threads; the hand-written loop is given as many.
 */
const warmTurns = 15_000;
/** Peers that do a hundred turns a second are as warm as they get by then. */
const warmSeconds = 10;
/** So many at once while it warms up: one at a time would take a minute. */
const warmConnections = 16;

/** A server that answers POST / with an agent's turn. */
interface AgentServer {
  readonly url: string;
  readonly server: ServerProcess;
}

/** Goal 6: turns of the agent per second, and what it adds to the model's own time. */
export const agentTurns: Bench = {
  name: "agent-turns",
  title: "Agent turns, zero-latency model",
  async run(context) {
    const rows: Row[] = [];
    for (const { name, setting } of kinds) {
      const endpoint = context.model.at(setting);
      rows.push(...(await measure(name, endpoint, context)));
    }
    return { rows, goals: goalsOf(rows) };
  },
};

const workName = (kind: string, connections: number): string => `${kind}, ${connections} conn`;

async function measure(kind: string, endpoint: string, context: BenchContext): Promise<Row[]> {
  const rows: Row[] = [];
  for (const connections of context.size === "quick" ? [1, 16] : connectionCounts) {
    const subject = (name: string, start: () => Promise<AgentServer>): Subject => ({
      name,
      ...(name !== hand && { reference: hand }),
      run: () => load(start, { connections, quick: context.size === "quick" }),
    });
    const subjects = [
      ...(kind === "plain"
        ? [{ name: "the model itself", reference: hand, run: () => loadModel(endpoint, connections, context) }]
        : []),
      subject(hand, async () => serverAt(await startServer({ arguments: [handAgent, endpoint] }))),
      subject("POST /", async () => {
        const server = await startRehearsal({ scratch: context.scratch, environment: { HUB_BASE_URL: endpoint } });
        return { url: server.agent, server };
      }),
      ...(context.peers ? agentPeers(endpoint, context.peers) : []).map((peer) =>
        subject(peer.name, async () => serverAt(await peer.start())),
      ),
    ];
    rows.push(...(await interleave(workName(kind, connections), subjects, context)));
  }
  return rows;
}

function serverAt(server: ServerProcess): AgentServer {
  return { url: (server.ready as { url: string }).url, server };
}

async function load(
  start: () => Promise<AgentServer>,
  { connections, quick }: { connections: number; quick: boolean },
): Promise<Figures> {
  const { url, server } = await start();
  try {
    await runLoad({
      url,
      ...request,
      connections: Math.max(connections, warmConnections),
      seconds: quick ? 0.2 : 0.5,
      atLeast: quick ? 0 : warmTurns,
      atMostSeconds: warmSeconds,
    });
    const used = server.cpuSeconds();
    const result = await runLoad({ url, ...request, connections, seconds: quick ? 0.3 : 1, expected: makeText(12) });
    return {
      per_second: result.perSecond,
      p50_ms: result.p50,
      p99_ms: result.p99,
      cpu_ms: ((server.cpuSeconds() - used) * 1000) / result.requests,
      peak_mb: server.peakMegabytes(),
    };
  } finally {
    await server.stop();
  }
}

/** The duration of the turn without an agent in between. */
async function loadModel(endpoint: string, connections: number, { size }: BenchContext): Promise<Figures> {
  const { origin, pathname } = new URL(endpoint);
  const body = JSON.stringify({ model: "fake", messages: [{ role: "user", content: "What is six times seven?" }] });
  const options = { url: origin, path: `${pathname}/chat/completions`, body, connections };
  await runLoad({ ...options, seconds: 0.2 });
  const { perSecond, p50, p99 } = await runLoad({ ...options, seconds: size === "quick" ? 0.3 : 1 });
  return { per_second: perSecond, p50_ms: p50, p99_ms: p99 };
}

function goalsOf(rows: readonly Row[]): Goal[] {
  const rate = (work: string, reference: string) =>
    ratioOf(rows, { work, subject: "POST /", metric: "per_second" }, reference);
  const rates = kinds.flatMap(({ name }) =>
    [16, 64].flatMap((connections): Goal[] => {
      const work = workName(name, connections);
      return [
        { number: 6, what: `${work}: turns/s ÷ ${hand}`, value: rate(work, hand), sense: "at least", limit: 0.5 },
        {
          number: 6,
          what: `${work}: turns/s ÷ LangGraph`,
          value: rate(work, "LangGraph"),
          sense: "at least",
          limit: 10,
        },
      ];
    }),
  );
  const work = workName("plain", 1);
  const ours = medianOf(rows, { work, subject: "POST /", metric: "p50_ms" });
  const raw = medianOf(rows, { work, subject: "the model itself", metric: "p50_ms" });
  const added = ours === null || raw === null ? null : ours - raw;
  return [...rates, { number: 6, what: `${work}: added p50, ms`, value: added, sense: "at most", limit: 1 }];
}
