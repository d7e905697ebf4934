// Replays the recorded conversations of tau-bench's airline: first their calls alone, then as runs of `rehearsal eval` against a
// model that repeats what the recorded one said, one of them killed in the middle. All must find the recorded rewards.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { EvaluationResponse } from "../../src/contract/schemas/evaluation-response.ts";
import { World } from "../../src/contract/schemas/acting/world.ts";
import type { StoredReply } from "../../src/contract/schemas/interaction-result.ts";
import { reliability } from "../../src/evaluation/statistics/reliability.ts";
import { evaluateOutcome } from "../../src/evaluation/outcomes/outcome.ts";
import { createProbes } from "../../src/evaluation/tools/probes.ts";
import { stateAfter } from "../../src/evaluation/world/final-state.ts";
import { prepareWorld, type PreparedWorld } from "../../src/evaluation/world/world.ts";
import { createCodeHost } from "../../src/runs/user-code/code-host.ts";
import { createWorldModules, withModuleTools } from "../../src/runs/user-code/world-modules.ts";

interface Message {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | null;
  readonly name?: string;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly { id: string; function: { name: string; arguments: string } }[];
}

interface Trajectory {
  readonly task_id: number;
  readonly trial: number;
  readonly reward: number;
  readonly traj: readonly Message[];
  readonly info: {
    readonly task: {
      readonly actions: readonly { name: string; kwargs: Record<string, unknown> }[];
      readonly outputs: readonly string[];
    };
  };
}

type Verdicts = ReadonlyMap<string, number>;

/** The published figures of these conversations. */
const publishedPassHatK = [0.42, 0.273, 0.22, 0.2];
const modulePath = resolve(import.meta.dirname, "airline-world.ts");
const commandLine = resolve(import.meta.dirname, "../../src/cli/main.ts");
const variables = (folder: string) => ({ TAU_BENCH_AIRLINE: folder });
const idOf = ({ task_id, trial }: Trajectory): string => `task-${task_id}-trial-${trial}`;
const { signal } = new AbortController();

export async function validateTauBench(folder: string, { replayOnly }: { replayOnly: boolean }): Promise<boolean> {
  const text = await readFile(join(folder, "gpt-4o-trajectories.json"), "utf8");
  const recorded = JSON.parse(text) as Trajectory[];
  const rewards: Verdicts = new Map(recorded.map((trajectory) => [idOf(trajectory), trajectory.reward]));
  console.log(`tau-bench: ${recorded.length} conversations`);
  const agrees = [report("calls replayed", await replay(recorded, folder), rewards)];
  if (!replayOnly) {
    agrees.push(report("rehearsal eval", await evaluate(recorded, folder, { kills: 0 }), rewards));
    agrees.push(report("rehearsal eval, killed", await evaluate(recorded, folder, { kills: 3 }), rewards));
  }
  return agrees.every(Boolean);
}

function report(name: string, verdicts: Verdicts, rewards: Verdicts): boolean {
  const wrong = [...rewards].filter(([id, reward]) => verdicts.get(id) !== reward).map(([id]) => id);
  const passHatK = passHatKOf(verdicts);
  const isPublished = passHatK.every((value, index) => Math.abs(value - (publishedPassHatK[index] ?? 0)) < 0.0005);
  const figures = passHatK.map((value, index) => `pass^${index + 1} ${value.toFixed(3)}`).join(", ");
  console.log(`  ${name}: ${rewards.size - wrong.length} of ${rewards.size} rewards, ${figures}`);
  if (wrong.length > 0) console.log(`    different: ${wrong.slice(0, 20).join(", ")}`);
  if (!isPublished) console.log(`    published: ${publishedPassHatK.join(", ")}`);
  return wrong.length === 0 && isPublished;
}

/** The mean of pass^k over the tasks. */
function passHatKOf(verdicts: Verdicts): number[] {
  const tasks = Map.groupBy(verdicts, ([id]) => id.replace(/-trial-\d+$/, ""));
  const curves = [...tasks.values()].map((trials) => {
    const passed = trials.filter(([, verdict]) => verdict === 1).length;
    return reliability(trials.length, passed)?.pass_hat_k ?? [];
  });
  return publishedPassHatK.map((_, k) => curves.reduce((sum, curve) => sum + (curve[k] ?? 0), 0) / curves.length);
}

/** Carries out the recorded calls in a world of their own, and judges its final state and what the agent said. */
async function replay(recorded: readonly Trajectory[], folder: string): Promise<Verdicts> {
  const limits = { timeoutMs: 60_000, memoryMb: 512, processes: 2 };
  await using host = createCodeHost({ limits });
  const modules = createWorldModules({ host, limits, environment: variables(folder) });
  const content = await modules.load(modulePath);
  const definition = withModuleTools(World.parse({}), modulePath, content);
  const functions = modules.functions(modulePath, content.state);
  const probes = createProbes();
  const world = prepareWorld({ ...definition, state: content.state as World["state"] }, { probes, functions });

  const verdicts = new Map<string, number>();
  let [results, same] = [0, 0];
  for (const trajectory of recorded) {
    const { state, replies, ...counts } = await replayOne(trajectory, world);
    results += counts.results;
    same += counts.same;
    const expect = expectationOf(trajectory);
    const expectedState = await stateAfter(expect.state_after, { world, signal });
    const { outcome } = await evaluateOutcome({ expect, replies, state, expectedState, probes, signal });
    verdicts.set(idOf(trajectory), outcome.value ?? -1);
  }
  console.log(`  ${same} of ${results} tool results are those of the recording`);
  return verdicts;
}

async function replayOne(trajectory: Trajectory, world: PreparedWorld) {
  const session = world.open();
  const calls = new Map<string, { name: string; arguments: string }>();
  const replies: StoredReply[] = [];
  let [results, same] = [0, 0];
  for (const { role, content, tool_calls = [], tool_call_id = "" } of trajectory.traj) {
    if (role === "assistant" && tool_calls.length === 0)
      replies.push({ agent_reply: content ?? "", error: null } as StoredReply);
    for (const call of tool_calls) calls.set(call.id, call.function);
    const asked = calls.get(tool_call_id);
    if (role !== "tool" || !asked) continue;
    const call = { id: tool_call_id, name: asked.name, arguments: JSON.parse(asked.arguments) };
    const { result, error, changes } = await session.answer(call, signal);
    session.apply({ type: "call", call, ...(changes && { changes }) });
    results += 1;
    same += Number(isDeepStrictEqual(error === undefined ? result : `Error: ${error}`, readResult(content ?? "")));
  }
  if (!isFinished(trajectory))
    replies.push({ agent_reply: "", error: { code: "unfinished" } } as unknown as StoredReply);
  return { state: session.state, replies, results, same };
}

/** In the recordings, the field `state` of an address is called `province`. */
function readResult(text: string): unknown {
  if (!/^[[{]/.test(text)) return text;
  return JSON.parse(text, (_, value: unknown) => {
    if (typeof value !== "object" || value === null || !("province" in value)) return value;
    const { province, ...rest } = value;
    return { ...rest, state: province };
  });
}

function expectationOf({ info: { task } }: Trajectory) {
  const state_after = task.actions.map(({ name, kwargs }) => ({ name, arguments: kwargs as Record<string, never> }));
  return { state_after, ...(task.outputs.length > 0 && { said: [...task.outputs] }) };
}

/** A conversation ends when the user says so, or when it is handed to a person. Others ran out of steps and earned nothing. */
function isFinished({ traj }: Trajectory): boolean {
  const last = traj.at(-1);
  return last?.name === "transfer_to_human_agents" || (last?.role === "user" && !!last.content?.includes("###STOP###"));
}

/** Runs the conversations with `rehearsal eval`, killing it as often as asked for, and returns the outcomes. */
async function evaluate(
  recorded: readonly Trajectory[],
  folder: string,
  { kills }: { kills: number },
): Promise<Verdicts> {
  const work = await mkdtemp(join(tmpdir(), "rehearsal-tau-bench-"));
  const asked = { count: 0, onRequest: () => {} };
  const model = await startRecordedModel(recorded, () => {
    asked.count += 1;
    asked.onRequest();
  });
  try {
    await writeFile(join(work, "airline.json"), JSON.stringify(recorded.map(toScenario)));
    const { port } = model.address() as AddressInfo;
    const target = ["--endpoint", `http://127.0.0.1:${port}/v1`, "-m", "gpt-4o"];
    await writeFile(join(work, "rehearsal.yaml"), "limits: { code_timeout_ms: 60000 }\n");
    const command = { cwd: work, env: { ...variables(folder), REHEARSAL_CODE_ENV: "TAU_BENCH_AIRLINE" } };
    for (let kill = 0; kill < kills; kill += 1) {
      const rehearsal = start(kill === 0 ? ["airline.json", ...target] : ["--resume", "latest"], command);
      const until = asked.count + 400;
      const reached = Promise.withResolvers<void>();
      asked.onRequest = () => asked.count >= until && reached.resolve();
      await Promise.race([reached.promise, once(rehearsal, "exit")]);
      if (!rehearsal.kill("SIGKILL")) throw new Error("the command ended before it could be killed");
      await once(rehearsal, "exit");
    }
    const rehearsal = start(
      kills === 0 ? ["airline.json", ...target, "--json"] : ["--resume", "latest", "--json"],
      command,
    );
    let output = "";
    let errors = "";
    rehearsal.stdout.setEncoding("utf8").on("data", (chunk: string) => (output += chunk));
    rehearsal.stderr.setEncoding("utf8").on("data", (chunk: string) => (errors += chunk));
    await once(rehearsal, "close");
    if (output === "") throw new Error(`rehearsal eval failed: ${errors.trim()}`);
    const [run] = (JSON.parse(output) as { runs: EvaluationResponse[] }).runs;
    console.log(`  ${asked.count} model calls${kills > 0 ? `, killed ${kills} times` : ""}`);
    return new Map(
      run?.results.scenarios.map(({ scenario_id, attempts: [attempt] }) => [
        scenario_id,
        attempt?.outcome?.value ?? -1,
      ]),
    );
  } finally {
    model.close();
    model.closeAllConnections();
    await rm(work, { recursive: true, force: true });
  }
}

function start(parameters: readonly string[], { cwd, env }: { cwd: string; env: Record<string, string> }) {
  return spawn(process.execPath, [commandLine, "eval", ...parameters], {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

const mark = (id: string): string => `[${id}] `;

/** The user's messages as a script. The first carries a mark by which the model finds what it once said. */
function toScenario(trajectory: Trajectory): object {
  const id = idOf(trajectory);
  const users = trajectory.traj.filter(({ role, content }) => role === "user" && !content?.includes("###STOP###"));
  return {
    id,
    world: { module: modulePath, max_steps: 50 },
    interactions: users.map(({ content }, turn) => ({
      id: `turn-${turn + 1}`,
      user_message: turn === 0 ? mark(id) + content : content,
    })),
    expect: expectationOf(trajectory),
  };
}

/** A model that says what the recorded one said at the same place of the conversation, and fails where that said nothing more. */
async function startRecordedModel(recorded: readonly Trajectory[], onRequest: () => void): Promise<Server> {
  const byId = new Map(recorded.map((trajectory) => [idOf(trajectory), trajectory]));
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk as string;
    const { messages } = JSON.parse(body) as { messages: Message[] };
    const id = /^\[(task-\d+-trial-\d+)\] /.exec(messages[0]?.content ?? "")?.[1] ?? "";
    const reply = replyOf(byId.get(id), messages.length);
    response.setHeader("content-type", "application/json");
    if (reply) response.end(JSON.stringify(completionOf(reply)));
    else response.writeHead(400).end(JSON.stringify({ error: { message: "nothing more was recorded" } }));
    onRequest();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

/** The recorded reply to so many messages. The recording begins with a system message, which the run leaves out. */
function replyOf(trajectory: Trajectory | undefined, messages: number): Message | null {
  if (!trajectory) return null;
  const reply = trajectory.traj[messages + 1];
  if (reply?.role === "assistant") return reply;
  return !reply && isFinished(trajectory) ? { role: "assistant", content: "" } : null;
}

function completionOf({ content, tool_calls }: Message): object {
  return {
    id: "recorded",
    object: "chat.completion",
    model: "gpt-4o",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content, ...(tool_calls && { tool_calls }) },
        finish_reason: tool_calls ? "tool_calls" : "stop",
      },
    ],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  };
}
