import { randomUUID } from "node:crypto";
import { hashText } from "../../base/hash.ts";
import { createRandom } from "../../base/random.ts";
import type { ChatMessage, ChatModel, ChatRequest, ToolCall } from "../../contract/ports/chat-model.ts";
import type { Metadata } from "../../contract/schemas/scenario.ts";
import { defineDemoModel, type DemoFailure, type DemoModelOptions, type Draft, type Respond } from "./demo-model.ts";
import { demoJudgeId, respondAsJudge } from "./demo-judge.ts";
import { knowledge } from "./knowledge.ts";
import { workAtOrderDesk, type DeskManner } from "./order-desk.ts";
import { conversationText, fillIn, findLine, userTexts, type ScriptLine } from "./support-script.ts";
import { contentWords, createTextIndex } from "./text-index.ts";
import { lastToolResults, planToolCalls, toolRounds, type ToolResult } from "./tool-calls.ts";

/** Fixed, so that scenarios, runs and bookmarks stay valid. */
export const demoStudioIds = {
  "demo-support-v1": "d3a0517a-0000-4000-8000-000000000001",
  "demo-support-v2": "d3a0517a-0000-4000-8000-000000000002",
} as const;

/** The name of a scripted demo model, whose id says nothing to a reader. */
export const demoModelName = (id: string): string | undefined =>
  Object.entries(demoStudioIds).find(([, known]) => known === id.toLowerCase())?.[0];

export interface Demo {
  /** By the `x-model-id` that selects each. */
  readonly hub: Readonly<Record<string, ChatModel>>;
  /** By name. */
  readonly studio: Readonly<Record<string, { readonly id: string; readonly model: ChatModel }>>;
  /** All values of `x-model-id` and `model`: hub ids, then UUIDs. */
  readonly ids: readonly string[];
  /** Models for the demo's own runs, not for chats, by their id. */
  readonly helpers: Readonly<Record<string, ChatModel>>;
}

/** The seed of every service, so that the demo's runs are the same on every start. */
export const demoSeed = "fernway";

interface DemoOptions extends DemoModelOptions {
  /** The same seed gives the same answers to the same conversations. Without it every process differs. */
  readonly seed?: string | number | undefined;
}

/**
 * The demo models, which need no key. They follow a script: none is a language model, as their fingerprint says.
 *
 * @example await createDemo().hub["demo/scripted"](request, { signal })
 */
export function createDemo({ seed = randomUUID(), ...options }: DemoOptions = {}): Demo {
  const { "demo-support-v1": first, "demo-support-v2": second } = demoStudioIds;
  const hub = {
    "demo/retrieval": defineDemoModel("demo/retrieval", withTools(respondFromKnowledge, "careful"), options),
    "demo/scripted": defineDemoModel("demo/scripted", respondFromScript, options),
    "demo/flaky": defineDemoModel("demo/flaky", respondFlakily(String(seed)), options),
  };
  const studio = {
    "demo-support-v1": { id: first, model: defineDemoModel(first, firstVersion, options) },
    "demo-support-v2": { id: second, model: defineDemoModel(second, secondVersion(String(seed)), options) },
  };
  const helpers = { [demoJudgeId]: defineDemoModel(demoJudgeId, respondAsJudge, { ...options, structured: true }) };
  return { hub, studio, ids: [...Object.keys(hub), first, second], helpers };
}

const firstVersion: Respond = (request) => withTools(respondAsFirstVersion, "careless")(request);
const secondVersion = (seed: string): Respond => withTools(respondAsSecondVersion(seed), "careful");

/** Uses the tools that are offered where they help, and answers everything else as before. */
function withTools(answer: Respond, manner: DeskManner): Respond {
  return (request) => {
    const step = workAtOrderDesk(request, manner);
    if (step) return step;
    const cue = readTools(request);
    return cue ? perform(cue, request) : answer(request);
  };
}

const unsureShare = 0.4;

/** demo-support-v1: knows the subject, but gets figures wrong, omits facts, is curt and forgets earlier turns. */
const respondAsFirstVersion: Respond = ({ messages }) => {
  const line = findLine(messages);
  if (line) return { text: fillIn(line.draft, messages) };
  return { text: firstSentence(findAnswer(messages) ?? "I do not know.") };
};

/**
 * demo-support-v2: the script's good answers, with an occasional mistake where the script is unsure. It labels its own
 * replies, as some endpoints do; the other demos do not.
 */
function respondAsSecondVersion(seed: string): Respond {
  const dice = createDice(seed);
  return (request) => {
    const { messages } = request;
    const line = findLine(messages);
    if (!line) {
      return { text: findAnswer(messages) ?? "I am sorry, I do not know that. Shall I pass you on to a colleague?" };
    }
    const errs = line.unsure === true && dice(request)() < unsureShare;
    return { text: fillIn(errs ? line.wrong : line.reply, messages), metadata: labelsOfQuestion(line, errs) };
  };
}

function labelsOfQuestion({ intent, sentiment }: ScriptLine, errs: boolean): Metadata {
  return { intent, sentiment: errs ? "negative" : sentiment };
}

function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text;
}

/**
 * The minimum similarity of an entry and a question, tuned on the questions of the test beside this file. Of 20 new questions
 * about the shop it answered 11, gave up on 7 and mistook 2; it gave up on all of 15 about other subjects.
 */
const threshold = 0.37;
const certain = 0.6;
const shortQuestion = 3;
const mostSentences = 8;
/** The match of one sentence counts less than that of the whole text. */
const sentenceShare = 0.65;

const unknownAnswer =
  "I do not know that. I can only answer questions about delivery, returns, payment and orders at Fernway.";

const answers = new Map(knowledge.map(({ id, answer }) => [id, answer]));
const index = createTextIndex(knowledge.map(({ id, questions }) => ({ id, phrases: questions })));

/** The knowledge base's answer to the last question, or null. */
export function findAnswer(messages: readonly ChatMessage[]): string | null {
  const [question = "", before] = userTexts(messages).toReversed();
  const parts = sentencesOf(question).flatMap((sentence) => search(sentence, before).slice(0, 1));
  const whole = search(question, before).slice(0, 1);
  const [best] = [...whole, ...parts.map(({ id, score }) => ({ id, score: score * sentenceShare }))].toSorted(
    (left, right) => right.score - left.score,
  );
  return best && best.score >= threshold ? (answers.get(best.id) ?? null) : null;
}

/** The meaningful sentences of a text: a long story may end in a short question. */
function sentencesOf(text: string): string[] {
  const sentences = text.split(/(?<=[.!?])\s+/).filter((sentence) => contentWords(sentence).length > 1);
  return sentences.length > 1 ? sentences.slice(0, mostSentences) : [];
}

/** A short follow-up such as "and express?" continues the question before, unless it matches an entry by itself. */
function search(question: string, before: string | undefined) {
  const alone = index.search(question);
  const isFollowUp = contentWords(question).length <= shortQuestion && before !== undefined;
  return isFollowUp && (alone[0]?.score ?? 0) < certain ? index.search(question, before) : alone;
}

/** demo/retrieval: the nearest entry of a small knowledge base. */
const respondFromKnowledge: Respond = ({ messages }) => ({ text: findAnswer(messages) ?? unknownAnswer });

const failures: readonly [DemoFailure, ...DemoFailure[]] = [
  { failure: "upstream_error", detail: "The demo model failed on purpose (HTTP 503)", upstream_status: 503 },
  { failure: "upstream_error", detail: "The demo model failed on purpose (HTTP 500)", upstream_status: 500 },
  // Not cured by a retry, so that a run with retries still shows some failed turns.
  { failure: "upstream_rejected", detail: "The demo model refused on purpose (HTTP 400)", upstream_status: 400 },
];

/** demo/flaky: the script, but about 12 percent of the answers fail, 18 are wrong and 25 are reworded. */
export function respondFlakily(seed: string): Respond {
  const dice = createDice(seed);
  return (request) => {
    const random = dice(request);
    const roll = random();
    if (roll < 0.12) return pick(random, failures);
    const cue = readScript(request);
    if (roll < 0.3) return mistake(cue, request, random);
    if (roll < 0.55) return variation(cue, request, random);
    return perform(cue, request);
  };
}

function variation(cue: Cue, request: ChatRequest, random: Random): Draft {
  if (cue.kind === "line") return { text: fillIn(cue.line.reworded, request.messages) };
  return cue.kind === "text" ? { text: reword(cue.text, random) } : perform(cue, request);
}

/** Models make this mistake with tools: broken arguments, which the agent has to repair. */
function mistake(cue: Cue, { messages }: ChatRequest, random: Random): Draft {
  if (cue.kind === "line") return { text: fillIn(cue.line.wrong, messages) };
  if (cue.kind === "text") return { text: spoil(cue.text, random) };
  return { text: "", tool_calls: cue.calls.map((call) => ({ ...call, arguments: call.arguments.slice(0, -1) })) };
}

const openings: readonly [string, ...string[]] = ["Sure! ", "Thanks for asking. ", "Of course. "];

/** The same answer in a different wording. */
export function reword(text: string, random: Random): string {
  return `${pick(random, openings)}${text}`;
}

/** Turns a right answer into a wrong one: a different figure or, without figures, an answer that breaks off. */
export function spoil(text: string, random: Random): string {
  const shift = pick(random, [1, 2, 7]);
  const shifted = text.replace(/(?<!\d)\d+(?=\D*$)/, (digits) => String(Number(digits) + shift));
  if (shifted !== text) return shifted;
  const words = text.split(" ");
  return words.slice(0, Math.ceil(words.length / 2)).join(" ");
}

/** Numbers in [0, 1) that depend on `seed` only. */
type Random = () => number;

/** The number of conversations whose repetitions are counted. */
const mostConversations = 10_000;

/**
 * New random numbers each time a conversation is repeated, so that attempts differ; the same ones for the same seed, whatever
 * other conversations come between. A request with its own `seed` always gets the same ones, as from a provider that honours it.
 */
export function createDice(seed: string): (request: ChatRequest) => Random {
  let counts = new Map<number, number>();
  return ({ messages, parameters }) => {
    const text = conversationText(messages);
    const key = hashText(text);
    const count = (counts.get(key) ?? 0) + 1;
    if (counts.size >= mostConversations) counts = new Map();
    counts.set(key, count);
    const source = parameters?.seed === undefined ? `${seed} ${count}` : `fixed ${parameters.seed}`;
    return createRandom(`${source}\n${text}`);
  };
}

export function pick<T>(random: Random, choices: readonly [T, ...T[]]): T {
  return choices[Math.floor(random() * choices.length)] ?? choices[0];
}

/** The script's next step. */
type Cue =
  | { readonly kind: "tools"; readonly calls: readonly Omit<ToolCall, "id">[] }
  | { readonly kind: "line"; readonly line: ScriptLine }
  | { readonly kind: "text"; readonly text: string };

export const offScript =
  "I am a scripted demo and have no line for that. Ask me about a return, a late parcel or an order, for the time, or for a sum.";

const mostRounds = 2;

/** The calls of clock and calculator that a question needs, or the answer from their results; null for other questions. */
function readTools(request: ChatRequest): Cue | null {
  const { messages } = request;
  const { calls } = planToolCalls(userTexts(messages).at(-1) ?? "", request);
  const results = lastToolResults(messages);
  const mayRetry = results.some(({ failed }) => failed) && toolRounds(messages) < mostRounds;
  if (results.length > 0 && !mayRetry) return { kind: "text", text: results.map(describeModel).join(" ") };
  if (calls.length > 0) return { kind: "tools", calls };
  return results.length > 0 ? { kind: "text", text: results.map(describeModel).join(" ") } : null;
}

/** The script's step for the current state of the conversation. */
function readScript(request: ChatRequest): Cue {
  const { messages } = request;
  const step = workAtOrderDesk(request, "careful");
  if (step) return step.tool_calls ? { kind: "tools", calls: step.tool_calls } : { kind: "text", text: step.text };
  const cue = readTools(request);
  if (cue) return cue;
  const { missing } = planToolCalls(userTexts(messages).at(-1) ?? "", request);
  if (missing.length > 0) return { kind: "text", text: `I have no ${missing.join(" and no ")} here.` };

  const line = findLine(messages);
  return line ? { kind: "line", line } : { kind: "text", text: offScript };
}

/** The answer for a step of the script. */
function perform(cue: Cue, { messages }: ChatRequest): Draft {
  if (cue.kind === "tools") return { text: "", tool_calls: cue.calls };
  return { text: cue.kind === "line" ? fillIn(cue.line.reply, messages) : cue.text };
}

/** demo/scripted: the script's own answers, and real calls of the tools it is offered. */
export const respondFromScript: Respond = (request) => perform(readScript(request), request);

function describeModel({ name, input, output, failed }: ToolResult): string {
  if (failed) return `I could not find that out: the ${name} tool reported a problem.`;
  if (name === "current_time") return `It is ${output}.`;
  if (name === "calculator") return input === "" ? `The result is ${output}.` : `${input} is ${output}.`;
  return `The ${name} tool says: ${output}`;
}
