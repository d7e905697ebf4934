import { copyFile, mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Figures, Subject } from "../bench.ts";
import { runToEnd, type EndedProcess } from "../harness/child-process.ts";
import { interactionsOf, toEvaluationRequest, type Workload } from "../load/evaluation-request.ts";
import type { Peers } from "./install-peers.ts";

interface Setting {
  readonly endpoint: string;
  readonly concurrency: number;
}

interface Batch {
  readonly test_batch: readonly {
    readonly id: string;
    readonly interactions: readonly { readonly user_message: string; readonly reference_reply: string }[];
  }[];
}

/** promptfoo's own way to hold a conversation: earlier turns of the same `conversationId`, one test at a time. */
const conversation = `[{% for turn in _conversation %}
{"role": "user", "content": {{ turn.input | dump }}}, {"role": "assistant", "content": {{ turn.output | dump }}},
{% endfor %}{"role": "user", "content": {{ question | dump }}}]`;

/** The same questions through promptfoo's command, stored as it stores them, with one cheap string metric. */
export function promptfooPeer(workload: Workload, { endpoint, concurrency }: Setting, peers: Peers): Subject {
  return {
    name: "promptfoo",
    async run() {
      const installed = peers.folderOf("promptfoo");
      const folder = await mkdtemp(join(peers.scratch, "promptfoo-"));
      const { test_batch } = JSON.parse(toEvaluationRequest(workload, { endpoint })) as Batch;
      const several = workload.turns > 1;
      const config = {
        prompts: [several ? conversation : "{{ question }}"],
        providers: [{ id: "openai:chat:fake", config: { apiBaseUrl: endpoint, apiKey: "none" } }],
        tests: test_batch.flatMap(({ id, interactions }) =>
          interactions.map(({ user_message, reference_reply }) => ({
            vars: { question: user_message },
            assert: [{ type: "levenshtein", value: reference_reply, threshold: 1_000 }],
            ...(several && { metadata: { conversationId: id } }),
          })),
        ),
      };
      await writeFile(join(folder, "config.json"), JSON.stringify(config));
      const command = `eval -c config.json -j ${concurrency} --repeat ${workload.attempts} --no-cache --no-table --no-progress-bar -o results.json`;
      const ended = await runToEnd(
        {
          arguments: [join(installed, "node_modules/promptfoo/dist/src/entrypoint.js"), ...command.split(" ")],
          environment: {
            PROMPTFOO_CONFIG_DIR: folder,
            PROMPTFOO_DISABLE_TELEMETRY: "1",
            PROMPTFOO_DISABLE_UPDATE: "1",
            PROMPTFOO_DISABLE_REMOTE_GENERATION: "1",
          },
          folder,
        },
        { limitMs: 600_000 },
      );
      return figuresOf(ended, workload);
    },
  };
}

/** The same questions through evalite, with its store in memory. */
export function evalitePeer(workload: Workload, { endpoint, concurrency }: Setting, peers: Peers): Subject {
  return {
    name: "evalite",
    async run() {
      const folder = peers.folderOf("evalite");
      const work = {
        url: `${endpoint}/chat/completions`,
        batch: JSON.parse(toEvaluationRequest(workload, { endpoint })),
      };
      await writeFile(join(folder, "work.json"), JSON.stringify(work));
      await writeFile(join(folder, "evalite.config.ts"), evaliteConfig(concurrency));
      await copyFile(fileURLToPath(new URL("drivers/evalite.mjs", import.meta.url)), join(folder, "bench.eval.ts"));
      const ended = await runToEnd(
        { arguments: [join(folder, "node_modules/evalite/dist/bin.js"), "run"], folder },
        { limitMs: 300_000 },
      );
      return figuresOf(ended, workload);
    },
  };
}

function evaliteConfig(concurrency: number): string {
  return `import { defineConfig } from "evalite/config";
import { createInMemoryStorage } from "evalite/in-memory-storage";

export default defineConfig({
  storage: () => createInMemoryStorage(),
  maxConcurrency: ${concurrency},
  testTimeout: 600_000,
});
`;
}

/** Tools of this kind end with another code when replies are not good enough; only a crash is a failure here. */
function figuresOf(ended: EndedProcess, workload: Workload): Figures {
  if (ended.exitCode === null || (ended.exitCode !== 0 && ended.exitCode !== 100)) {
    const line = `${ended.errors}\n${ended.output}`.split("\n").find((candidate) => /error/i.test(candidate)) ?? "";
    throw new Error(`it ended with ${ended.exitCode}: ${line.slice(0, 160)}`);
  }
  return {
    wall_s: ended.wallSeconds,
    cpu_ms: (ended.cpuSeconds * 1000) / interactionsOf(workload),
    peak_mb: ended.peakMegabytes,
  };
}
