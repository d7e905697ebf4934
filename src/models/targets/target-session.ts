import { isRecord } from "../../base/json.ts";
import { truncateText } from "../../base/text.ts";
import type { ChatOptions, ChatRequest, FailedReply, Reply, ReplyError } from "../../contract/ports/chat-model.ts";
import type { Capture, Condition, Target, TargetStep } from "../../contract/schemas/acting/target.ts";
import { parseJson } from "../adapters/reply/json-values.ts";
import type { OutboundResult } from "../outbound/outbound.ts";
import { CookieJar } from "./cookies.ts";
import { isSocket } from "./target-calls.ts";
import { isStateless, valuesAt } from "./template.ts";

/** What is known of one conversation with a target, from its first turn to its end. */
export interface TargetSession {
  /** Values of answers, by the names under which templates use them. */
  readonly captures: Record<string, unknown>;
  readonly cookies: CookieJar | null;
  /** Said by the agent before the user's first message. */
  greeting?: string;
  /** True when a reply has told the greeting. */
  isGreeted: boolean;
  /** The id that the agent gave the conversation. */
  issued?: string;
  /** Ends whatever the conversation holds open. */
  readonly closing: (() => void)[];
}

export const newSession = ({ cookies }: Pick<Target, "cookies">): TargetSession => ({
  captures: {},
  isGreeted: false,
  cookies: cookies === true ? new CookieJar() : null,
  closing: [],
});

/** Sends a request of the conversation that is no turn. */
type SendStep = (step: TargetStep, session: TargetSession, signal: AbortSignal) => Promise<OutboundResult>;

interface SessionCall {
  readonly request: ChatRequest;
  readonly options: ChatOptions;
  readonly send: SendStep;
  /** Asks an earlier request again. */
  readonly replay: (request: ChatRequest, session: TargetSession) => Promise<Reply>;
}

const afterMs = 60_000;

/** The conversations with a target that have begun and are not over. */
export class TargetSessions {
  readonly #target: Target;
  readonly #open = new Map<string, { readonly session: TargetSession; readonly begun: Promise<FailedReply | null> }>();

  constructor(target: Target) {
    this.#target = target;
  }

  /** False for a target that needs to know nothing between two requests. */
  get isNeeded(): boolean {
    const { before, after, cookies, capture, poll, url } = this.#target;
    return Boolean(before ?? after ?? cookies ?? capture ?? poll?.capture) || isSocket(url);
  }

  /**
   * The session of a call, whose first requests have been made. A session that this process does not know, because another began it,
   * begins again: the earlier messages of the user are asked once more.
   */
  async open(
    call: SessionCall,
  ): Promise<{ readonly session: TargetSession; readonly end?: () => Promise<void> } | FailedReply> {
    const { session: asked, progress } = call.options;
    const id = asked?.id ?? "";
    const known = progress && this.#open.get(id);
    const begun = known ?? this.#begin(call);
    if (!known && progress) this.#open.set(id, begun);
    const failure = await begun.begun.catch((error: unknown) => {
      this.#open.delete(id);
      throw error;
    });
    if (failure) {
      this.#open.delete(id);
      return failure;
    }
    if (known) return { session: known.session };
    const end = (): Promise<void> => {
      this.#open.delete(id);
      return this.#end(begun.session, call.send);
    };
    // A call that belongs to no attempt is a conversation of its own.
    if (!progress) return { session: begun.session, end };
    progress.onEnd(end);
    return { session: begun.session };
  }

  #begin(call: SessionCall) {
    const session = newSession(this.#target);
    return { session, begun: this.#first(session, call) };
  }

  async #first(session: TargetSession, { request, options, send, replay }: SessionCall): Promise<FailedReply | null> {
    const { before = [] } = this.#target;
    const started = performance.now();
    for (const [index, step] of before.entries()) {
      const failure = await runStep(step, { place: `before/${index}`, session, send, signal: options.signal });
      if (failure) return { ok: false, error: failure, latency_ms: Math.round(performance.now() - started) };
    }
    const { greeting } = session.captures;
    if (typeof greeting === "string") session.greeting = greeting;
    const turns = options.progress?.turns ?? 0;
    session.isGreeted = turns > 0;
    for (const earlier of isStateless(this.#target) ? [] : earlierRequests(request, turns)) {
      const reply = await replay(earlier, session);
      if (!reply.ok) return reply;
    }
    return null;
  }

  async #end(session: TargetSession, send: SendStep): Promise<void> {
    const { after = [] } = this.#target;
    for (const close of session.closing) close();
    for (const [index, step] of after.entries()) {
      const signal = AbortSignal.timeout(afterMs);
      const failure = await runStep(step, { place: `after/${index}`, session, send, signal });
      if (failure) throw new Error(failure.detail);
    }
  }
}

interface StepOptions {
  /** Names the step in messages. */
  readonly place: string;
  readonly session: TargetSession;
  readonly send: SendStep;
  readonly signal: AbortSignal;
}

/** Makes one request, and reads its captures. Returns why it failed. */
async function runStep(step: TargetStep, { place, session, send, signal }: StepOptions): Promise<ReplyError | null> {
  const result = await send(step, session, signal);
  if (!result.ok) return { ...result.error, detail: `The request ${place} failed: ${result.error.detail}` };
  const missing = capture(step.capture, result, session);
  return missing === null ? null : notCaptured(missing, place, result);
}

export function notCaptured(
  missing: string,
  place: string,
  { status, tries }: { status: number; tries: number },
): ReplyError {
  const detail = `The answer to ${place} has nothing at ${missing}, which is to be captured: check it with rehearsal probe.`;
  return { code: "upstream_invalid_reply", detail, upstream_status: status, tries, retryable: false };
}

const longestCapture = 8_192;

/** Keeps the named values of an answer. Returns the place of one that is missing; null when all are there. */
export function capture(
  wanted: Readonly<Record<string, Capture>> | undefined,
  result: Exclude<OutboundResult, { ok: false }>,
  { captures }: Pick<TargetSession, "captures">,
  { isOptional = false }: { isOptional?: boolean } = {},
): string | null {
  if (!wanted) return null;
  const body = result.kind === "body" ? parseJson(result.body) : undefined;
  for (const [name, from] of Object.entries(wanted)) {
    const value =
      typeof from === "string"
        ? valuesAt(body, from).find((each) => each !== null)
        : [result.headers[from.header.toLowerCase()]].flat()[0];
    const text = typeof value === "string" ? value : JSON.stringify(value);
    if (text === undefined || text.length > longestCapture) {
      if (isOptional) continue;
      return typeof from === "string" ? from || "its root" : `the header ${truncateText(from.header, 80)}`;
    }
    captures[name] = value;
  }
  return null;
}

/** True when an answer has a value at a place: any that is not empty, or one of those that are named. */
export function holds(condition: Condition | undefined, answer: unknown): boolean {
  if (condition === undefined) return false;
  const { at, is } = typeof condition === "string" ? { at: condition, is: undefined } : condition;
  const wanted: readonly unknown[] | null = is === undefined ? null : Array.isArray(is) ? is : [is];
  return valuesAt(answer, at).some((value) =>
    wanted
      ? wanted.includes(value)
      : value !== null && value !== false && value !== "" && value !== 0 && !isEmpty(value),
  );
}

const isEmpty = (value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : isRecord(value) && Object.keys(value).length === 0;

/** The requests of the last turns before this one, as they were sent. */
export function earlierRequests(request: ChatRequest, turns: number): readonly ChatRequest[] {
  const { messages } = request;
  const ends = messages.flatMap(({ role }, index) => (role === "user" ? [index + 1] : []));
  const earlier = turns === 0 ? [] : ends.slice(0, -1).slice(-turns);
  return earlier.map((end) => ({ ...request, messages: messages.slice(0, end) }));
}
