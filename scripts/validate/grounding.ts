// Plants errors in replies that say what their sources say, and counts how many `grounded_facts` and `claimed_actions` find, and how
// many untouched replies they mark. The conversations with even task numbers were looked at while the scorers were written; those with
// odd ones were not, and neither were the turns of grounding-cases.yaml, before their first run.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { findFacts, type Fact } from "../../src/scoring/grounding/facts.ts";
import { factsOf } from "../../src/scoring/grounding/sources.ts";
import { prepareText } from "../../src/scoring/text/prepare-text.ts";
import { builtInScorers } from "../../src/scoring/scorers/scores.ts";
import type { SeenCall, TurnFacts } from "../../src/scoring/scorers/scorer.ts";

interface Message {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | null;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

interface Trajectory {
  readonly task_id: number;
  readonly traj: readonly Message[];
}

interface WrittenCase {
  readonly user: string;
  readonly system?: string;
  readonly call?: { readonly name: string; readonly arguments: object; readonly result: unknown };
  readonly context?: readonly (string | { readonly text: string; readonly source?: string })[];
  readonly reply: string;
  readonly planted: readonly (readonly [right: string, wrong: string])[];
}

interface Turn {
  readonly reply: string;
  readonly facts: TurnFacts;
}

interface Tally {
  replies: number;
  marked: number;
  planted: number;
  found: number;
}

const tally = (): Tally => ({ replies: 0, marked: 0, planted: 0, found: 0 });
const share = (part: number, of: number): string => (of === 0 ? "–" : `${((100 * part) / of).toFixed(1)} %`);

/** Prints the figures; false where they miss the promise of docs/scoring.md. */
export function validateGrounding(trajectoriesPath: string | null): boolean {
  const results: [string, Tally, number][] = [];
  const written = writtenTurns();
  results.push(["grounded_facts, written turns", written, 0.02]);
  if (trajectoriesPath !== null) {
    const all = JSON.parse(readFileSync(trajectoriesPath, "utf8")) as Trajectory[];
    for (const [name, rest] of [
      ["even tasks", 0],
      ["odd tasks", 1],
    ] as const) {
      const turns = all.filter(({ task_id }) => task_id % 2 === rest).flatMap(turnsOf);
      results.push([`grounded_facts, airline, ${name}`, plantFacts(turns), 0.02]);
      results.push([`claimed_actions, airline, ${name}`, plantActions(turns), 0.02]);
    }
  }
  for (const [name, { replies, marked, planted, found }] of results)
    console.log(
      `${name}: ${found} of ${planted} planted errors found (${share(found, planted)}), ${marked} of ${replies} untouched replies marked (${share(marked, replies)})`,
    );
  if (trajectoriesPath !== null) reportTime(trajectoriesPath);
  return results.every(
    ([, { replies, marked, planted, found }, most]) => found >= 0.95 * planted && marked <= most * replies,
  );
}

function reportTime(path: string): void {
  const turns = (JSON.parse(readFileSync(path, "utf8")) as Trajectory[]).flatMap(turnsOf);
  const started = process.cpuUsage();
  for (const { reply, facts } of turns) {
    scoreOf("grounded_facts", reply, facts);
    scoreOf("claimed_actions", reply, facts);
  }
  const { user, system } = process.cpuUsage(started);
  console.log(
    `both: ${((user + system) / 1000 / turns.length).toFixed(2)} ms of processor time a turn, over ${turns.length} turns`,
  );
}

function scoreOf(name: "grounded_facts" | "claimed_actions", reply: string, turn: TurnFacts): number | null {
  const [score] = builtInScorers[name]({
    reply: prepareText(reply),
    references: [],
    generated_metadata: {},
    reference_metadata: {},
    unjudged_keys: new Set(),
    call: { latency_ms: 0, first_token_ms: null, cost: null },
    turn,
  });
  return score?.value ?? null;
}

const bare = { interaction_id: "1", finish_reason: null } as const;

function writtenTurns(): Tally {
  const file = join(import.meta.dirname, "data", "grounding-cases.yaml");
  const cases = parse(readFileSync(file, "utf8")) as readonly WrittenCase[];
  const count = tally();
  for (const { user, system, call, context = [], reply, planted } of cases) {
    const facts: TurnFacts = {
      ...bare,
      user_message: user,
      prompt: user,
      system,
      tool_calls: call ? [{ id: "c1", ...call }] : [],
      context: context.map((passage) => (typeof passage === "string" ? { text: passage } : passage)),
    };
    const right = scoreOf("grounded_facts", reply, facts);
    count.replies++;
    if (right !== 1) count.marked++;
    for (const [text, wrong] of planted) {
      count.planted++;
      const score = scoreOf("grounded_facts", reply.replace(text, wrong), facts);
      if (score !== null && score < (right ?? 1)) count.found++;
    }
  }
  return count;
}

/** Every reply with text of a conversation, with what it could know. */
function turnsOf({ traj }: Trajectory): Turn[] {
  const system = traj.find(({ role }) => role === "system")?.content ?? "";
  const turns: Turn[] = [];
  const earlier: { user_message: string; reply: string | null; tool_calls: SeenCall[] }[] = [];
  let user = "";
  let calls: SeenCall[] = [];
  for (const { role, content, tool_calls = [] } of traj) {
    if (role === "user") {
      if (user !== "") earlier.push({ user_message: user, reply: turns.at(-1)?.reply ?? null, tool_calls: calls });
      [user, calls] = [content ?? "", []];
    }
    if (role === "tool")
      calls = calls.map((call, index) => (index === calls.length - 1 ? { ...call, result: parsed(content) } : call));
    if (role !== "assistant") continue;
    for (const { id, function: called } of tool_calls)
      calls = [...calls, { id, name: called.name, arguments: parsed(called.arguments) }];
    if (content)
      turns.push({
        reply: content,
        facts: { ...bare, user_message: user, prompt: user, system, tool_calls: calls, earlier: [...earlier], tools },
      });
  }
  return turns;
}

const tools =
  "book_reservation cancel_reservation update_reservation_flights update_reservation_baggages update_reservation_passengers send_certificate transfer_to_human_agents get_user_details get_reservation_details search_direct_flight search_onestop_flight list_all_airports calculate think"
    .split(" ")
    .map((name) => ({ name }));

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return text;
  }
}

/** One wrong fact at a time, of every kind that the reply has. A value that some source has is no error that texts could show. */
function plantFacts(turns: readonly Turn[]): Tally {
  const count = tally();
  const random = createRandom(7);
  for (const { reply, facts } of turns) {
    const right = scoreOf("grounded_facts", reply, facts);
    if (right === null) continue;
    count.replies++;
    if (right < 1) count.marked++;
    const known = new Set(sourcesOf(facts).flatMap((value) => [...factsOf(value).keys]));
    for (const fact of findFacts(reply).filter(
      ({ minor, kind }) => !minor && ["number", "date", "time", "id"].includes(kind),
    )) {
      if (random() < 0.5) continue;
      const wrong =
        reply.slice(0, fact.start) +
        changed(reply.slice(fact.start, fact.end), fact.kind, random) +
        reply.slice(fact.end);
      const planted = findFacts(wrong).find(({ start, end }) => start <= fact.start && end > fact.start);
      if (!planted || planted.minor || planted.wanted.some((key) => known.has(key))) continue;
      count.planted++;
      const score = scoreOf("grounded_facts", wrong, facts);
      if (score !== null && score < right) count.found++;
    }
  }
  return count;
}

const sourcesOf = ({ system, user_message, tool_calls, earlier = [] }: TurnFacts): unknown[] => [
  system,
  user_message,
  ...[...tool_calls, ...earlier.flatMap((turn) => turn.tool_calls ?? [])].flatMap((call) => [
    call.arguments,
    call.result,
  ]),
  ...earlier.map((turn) => turn.user_message),
];

/** Another character of the same class in place of one. */
function changed(text: string, kind: Fact["kind"], random: () => number): string {
  if (kind === "time" && /[ap]m/i.test(text) && random() < 0.5)
    return text.replace(/([ap])m/i, (half) => (/^a/i.test(half) ? "pm" : "am"));
  const places = [...text.matchAll(kind === "id" ? /[A-Za-z0-9]/g : /\d/g)].map(({ index }) => index);
  const at = places[Math.floor(random() * places.length)] ?? 0;
  const old = text[at] ?? "";
  const alphabet = /\d/.test(old) ? "123456789" : "ABCDEFGHJKLMNPQRSTUVWXYZ";
  const others = [...alphabet].filter((each) => each.toLowerCase() !== old.toLowerCase());
  return text.slice(0, at) + (others[Math.floor(random() * others.length)] ?? "") + text.slice(at + 1);
}

/** The calls that did what the reply says are taken away, then made to fail. */
function plantActions(turns: readonly Turn[]): Tally {
  const count = tally();
  const acts = ({ name }: SeenCall): boolean => !/^(?:get|search|list|calculate|think)/.test(name);
  for (const { reply, facts } of turns) {
    const right = scoreOf("claimed_actions", reply, facts);
    count.replies++;
    if (right === 0) count.marked++;
    if (right !== 1) continue;
    const without = withCalls(facts, (calls) => calls.filter((call) => !acts(call)));
    const failing = withCalls(facts, (calls) =>
      calls.map((call) => (acts(call) ? { ...call, result: "Error: not possible" } : call)),
    );
    for (const planted of [without, failing]) {
      count.planted++;
      if (scoreOf("claimed_actions", reply, planted) === 0) count.found++;
    }
  }
  return count;
}

const withCalls = (facts: TurnFacts, change: (calls: readonly SeenCall[]) => readonly SeenCall[]): TurnFacts => ({
  ...facts,
  tool_calls: change(facts.tool_calls),
  earlier: (facts.earlier ?? []).map((turn) => ({ ...turn, tool_calls: change(turn.tool_calls ?? []) })),
});

/** The same numbers in every run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
}
