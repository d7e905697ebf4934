import { createWriteStream } from "node:fs";
import { once } from "node:events";
import { Pool } from "undici";
import { makeText } from "../fake-model/behaviour.ts";

/**
 * The same calls with nothing around them: turns in order, a fixed number of conversations at once, one line of JSON per
 * reply. What an evaluation cannot be quicker than while it uses this client. Prints its own figures as JSON.
 */
interface Options {
  readonly endpoint: string;
  readonly scenarios: number;
  readonly turns: number;
  readonly attempts: number;
  readonly concurrency: number;
  readonly words: number;
  readonly file: string;
  /** Calls made before the clock starts, to an endpoint that answers at once. */
  readonly warmUp: { readonly endpoint: string; readonly calls: number };
}

const options = JSON.parse(process.argv[2] ?? "{}") as Options;
const file = createWriteStream(options.file);

interface Message {
  readonly role: string;
  readonly content: string;
}

function createAsk(endpoint: string): {
  ask: (messages: readonly Message[]) => Promise<string>;
  close: () => Promise<void>;
} {
  const { origin, pathname } = new URL(endpoint);
  const pool = new Pool(origin, { connections: options.concurrency });
  return {
    close: () => pool.close(),
    async ask(messages) {
      const answer = await pool.request({
        method: "POST",
        path: `${pathname}/chat/completions`,
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ model: "fake", messages }),
      });
      const completion = (await answer.body.json()) as { choices: readonly { message: Message }[] };
      return completion.choices[0]?.message.content ?? "";
    },
  };
}

async function converse(ask: (messages: readonly Message[]) => Promise<string>, scenario: number, attempt: number) {
  const messages: Message[] = [];
  for (let turn = 0; turn < options.turns; turn += 1) {
    messages.push({ role: "user", content: `${makeText(options.words, scenario + turn)} ${scenario}` });
    const content = await ask(messages);
    messages.push({ role: "assistant", content });
    file.write(`${JSON.stringify({ scenario, attempt, turn, content })}\n`);
  }
}

/** Runs the conversations from 0 to `count`, so many at once. */
async function inLanes(count: number, run: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lanes = Array.from({ length: Math.min(options.concurrency, count) }, async () => {
    while (next < count) await run(next++);
  });
  await Promise.all(lanes);
}

const warm = createAsk(options.warmUp.endpoint);
await inLanes(options.warmUp.calls, async () => void (await warm.ask([{ role: "user", content: "hello" }])));
await warm.close();

const { ask, close } = createAsk(options.endpoint);
const began = performance.now();
const used = process.cpuUsage();
await inLanes(options.scenarios * options.attempts, (index) =>
  converse(ask, Math.floor(index / options.attempts), index % options.attempts),
);
file.end();
await once(file, "finish");
const { user, system } = process.cpuUsage(used);
process.stdout.write(
  `${JSON.stringify({ wallSeconds: (performance.now() - began) / 1000, cpuSeconds: (user + system) / 1e6 })}\n`,
);
await close();
