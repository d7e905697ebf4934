import { fileURLToPath } from "node:url";
import type { Bench, BenchContext, Figures, Row, Subject } from "./bench.ts";
import { makeText } from "./fake-model/behaviour.ts";
import { startServer, type ServerProcess } from "./harness/child-process.ts";
import { goalOn, interleave, medianOf } from "./harness/interleave.ts";
import { startRehearsal } from "./harness/rehearsal.ts";
import { Skip } from "./harness/skip.ts";
import { runLoad } from "./load/closed-loop.ts";
import { gatewayPeers } from "./peers/agent-peers.ts";

const relay = fileURLToPath(new URL("reference/bare-relay.ts", import.meta.url));
const path = "/v1/chat/completions";
const reference = "bare relay";
const ours = "/v1/chat/completions";
/** So many streams until V8 has compiled what handles them, the relay's as well as ours. */
const warmStreams = 2_000;

interface Work {
  readonly name: string;
  readonly body: string;
  /** The contents of a whole answer. */
  readonly expected: string;
}

function toBody(stream: boolean): string {
  return JSON.stringify({ model: "bench/fake", stream, messages: [{ role: "user", content: "Tell me more" }] });
}

const streamed: Work = { name: "200 chunks", body: toBody(true), expected: "word199" };
/** For gateways that cannot stream on this Node. */
const whole: Work = { name: "one completion", body: toBody(false), expected: makeText(12) };

/** A stream of 200 pieces that passes through us. */
export const stream: Bench = {
  name: "stream",
  title: "A stream of 200 chunks through /v1/chat/completions",
  async run(context) {
    const rows: Row[] = [];
    for (const work of context.peers ? [streamed, whole] : [streamed]) rows.push(...(await measure(work, context)));
    const firstWord = (subject: string) => medianOf(rows, { work: streamed.name, subject, metric: "first_word_ms" });
    const [through, direct] = [firstWord(ours), firstWord("the model itself")];
    const added = through === null || direct === null ? null : through - direct;
    return {
      rows,
      goals: [
        goalOn(
          rows,
          { work: streamed.name, subject: ours, metric: "cpu_ms", what: "CPU ms per stream" },
          { atMost: 1 },
        ),
        {
          what: "first word, ms later than from the model itself",
          value: added,
          sense: "at most",
          limit: 1,
        },
      ],
    };
  },
};

function measure(work: Work, context: BenchContext): Promise<Row[]> {
  const endpoint = context.model.at("chunks-200");
  const subjects: Subject[] = [
    { name: "the model itself", run: () => fromModel(endpoint, work, context) },
    {
      name: reference,
      run: async () => loadThrough(await startServer({ arguments: [relay, endpoint] }), { work, context }),
    },
    {
      name: ours,
      reference,
      run: async () => {
        const server = await startRehearsal({ scratch: context.scratch, environment: { HUB_BASE_URL: endpoint } });
        return loadThrough({ ...server, ready: { url: server.agent } }, { work, context });
      },
    },
    ...(context.peers ? gatewayPeers(endpoint, context.peers) : []).map(({ name, headers, start }) => ({
      name,
      reference,
      run: async () => loadThrough(await start(), { work, context, headers }),
    })),
  ];
  return interleave(work.name, subjects, context);
}

interface LoadThrough {
  readonly work: Work;
  readonly context: BenchContext;
  readonly headers?: Readonly<Record<string, string>>;
}

/** CPU with eight answers at once; the first word, from when the model sent it, with one alone, where nothing queues. */
async function loadThrough(server: ServerProcess, { work, context, headers = {} }: LoadThrough): Promise<Figures> {
  const seconds = context.size === "quick" ? 0.4 : 2;
  const { url } = server.ready as { url: string };
  const options = { url, path, headers, body: work.body, expected: work.expected };
  try {
    await runLoad({
      ...options,
      connections: 8,
      seconds: seconds / 2,
      atLeast: context.size === "quick" ? 0 : warmStreams,
    });
    const used = server.cpuSeconds();
    const { requests, perSecond } = await runLoad({ ...options, connections: 8, seconds });
    const cpu = server.cpuSeconds() - used;
    const alone = await runLoad({ ...options, connections: 1, seconds: seconds / 2 });
    return {
      per_second: perSecond,
      cpu_ms: (cpu * 1000) / requests,
      ...(alone.firstWord !== null && { first_word_ms: alone.firstWord }),
      peak_mb: server.peakMegabytes(),
    };
  } catch (error) {
    if (error instanceof Error && / answered 404/.test(error.message)) throw new Skip(`${path} is not there yet`);
    throw error;
  } finally {
    await server.stop();
  }
}

async function fromModel(endpoint: string, { body, expected }: Work, { size }: BenchContext): Promise<Figures> {
  const { origin, pathname } = new URL(endpoint);
  const options = { url: origin, path: `${pathname}/chat/completions`, body, expected, connections: 1 };
  await runLoad({ ...options, seconds: 0.2 });
  const { firstWord, perSecond } = await runLoad({ ...options, seconds: size === "quick" ? 0.3 : 1 });
  return { ...(firstWord !== null && { first_word_ms: firstWord }), per_second: perSecond };
}
