import { fileURLToPath } from "node:url";
import type { Bench, BenchContext, Figures, Row, Subject } from "./bench.ts";
import { makeText } from "./fake-model/behaviour.ts";
import { startServer, type ServerProcess } from "./harness/child-process.ts";
import { goalOn, interleave } from "./harness/interleave.ts";
import { startRehearsal } from "./harness/rehearsal.ts";
import { runLoad } from "./load/closed-loop.ts";
import { agentPeers } from "./peers/agent-peers.ts";

const handAgent = fileURLToPath(new URL("reference/hand-agent.ts", import.meta.url));
const kinds = [
  { name: "plain", setting: "latency-0" },
  { name: "one tool", setting: "tool-calculator" },
] as const;
const connections = 16;
const request = {
  path: "/",
  headers: { "x-model-id": "bench/fake" },
  body: JSON.stringify({ messages: [{ type: "human", content: "What is six times seven?" }] }),
};
const hand = "hand-written loop";
const ours = "POST /";
/**
 * A server answers for days: what its first seconds cost is told by the bench of the start. V8 goes on compiling for some
 * fifteen thousand turns, which shows in its threads; the hand-written loop is given as many.
 */
const warmTurns = 15_000;
/** Peers that do a hundred turns a second are as warm as they get by then. */
const warmSeconds = 10;

/** A server that answers POST / with an agent's turn. */
interface AgentServer {
  readonly url: string;
  readonly server: ServerProcess;
}

/** Turns of the agent per second. */
export const agentTurns: Bench = {
  name: "agent-turns",
  title: "Agent turns, zero-latency model",
  async run(context) {
    const rows: Row[] = [];
    for (const { name, setting } of kinds) {
      rows.push(...(await measure(workName(name), context.model.at(setting), context)));
    }
    const work = workName("one tool");
    const what = `${work}: turns/s of ours ÷ LangGraph's createReactAgent`;
    const cell = { work, subject: ours, over: "LangGraph", metric: "per_second" } as const;
    return { rows, goals: [goalOn(rows, { ...cell, what }, { atLeast: 7 })] };
  },
};

const workName = (kind: string): string => `${kind}, ${connections} connections`;

function measure(work: string, endpoint: string, context: BenchContext): Promise<Row[]> {
  const subject = (name: string, start: () => Promise<AgentServer>): Subject => ({
    name,
    ...(name !== hand && { reference: hand }),
    run: () => load(start, context.size === "quick"),
  });
  const subjects = [
    subject(hand, async () => serverAt(await startServer({ arguments: [handAgent, endpoint] }))),
    subject(ours, async () => {
      const server = await startRehearsal({ scratch: context.scratch, environment: { HUB_BASE_URL: endpoint } });
      return { url: server.agent, server };
    }),
    ...(context.peers ? agentPeers(endpoint, context.peers) : []).map((peer) =>
      subject(peer.name, async () => serverAt(await peer.start())),
    ),
  ];
  return interleave(work, subjects, context);
}

function serverAt(server: ServerProcess): AgentServer {
  return { url: (server.ready as { url: string }).url, server };
}

async function load(start: () => Promise<AgentServer>, quick: boolean): Promise<Figures> {
  const { url, server } = await start();
  try {
    await runLoad({
      url,
      ...request,
      connections,
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
