import { expect, test } from "vitest";
import type { ChatMessage, ChatModel } from "../../src/contract/ports/chat-model.ts";
import type { Scenario } from "../../src/contract/schemas/scenario.ts";
import { runAttempt } from "../../src/evaluation/attempts/run-attempt.ts";
import { createOutbound } from "../../src/models/outbound/create-outbound.ts";
import type { Outbound } from "../../src/models/outbound/outbound.ts";

/** A way to reach an agent. Each kind under test serves the agent of `agentReply` in its own protocol. */
export interface TargetKind {
  readonly name: string;
  /** False for a target on this machine. */
  readonly isHttp: boolean;
  /** True when the headers of the target may name secrets. */
  readonly hasHeaders: boolean;
  /** The model at this address, or at the agent that this kind serves. */
  modelOf(outbound: Outbound, address?: string): ChatModel;
}

export const secret = "a-secret-of-the-target";

/** What the agent under test does, by the last message of the user. */
export type AgentReply = { readonly text: string } | "busy" | "refused" | "hang" | "malformed";

/**
 * The scripted agent. `turns` is the number of the user's messages in the conversation; `calls` that of calls with this text; `trace`
 * the trace context it got.
 */
export function agentReply(
  text: string,
  { turns, calls, trace }: { turns: number; calls: number; trace: string },
): AgentReply {
  if (text === "trace") return { text: trace };
  if (text === "busy once") return calls === 1 ? "busy" : { text: "recovered" };
  if (text === "refuse" || text === "hang" || text === "malformed") return text === "refuse" ? "refused" : text;
  return text === "count" ? { text: `turn ${turns}` } : { text: `You said ${text}` };
}

const user = (content: string): ChatMessage => ({ role: "user", content });
const signal = new AbortController().signal;
const session = () => ({ id: crypto.randomUUID() });

/** Behaviour that holds for every kind of target. */
export function describeTarget(kind: TargetKind): void {
  const ask = async (text: string, options: Parameters<typeof createOutbound>[0] = {}, address?: string) => {
    await using outbound = createOutbound({ retry: { baseMs: 1 }, ...options });
    return kind.modelOf(outbound, address)({ messages: [user(text)] }, { signal, session: session() });
  };

  test("replies", async () => {
    expect(await ask("Hello")).toMatchObject({ ok: true, text: "You said Hello", tries: 1, tool_calls: [] });
  });

  test("holds the conversation of an attempt, and mixes it with no other", async () => {
    await using outbound = createOutbound();
    const model = kind.modelOf(outbound);
    const attempts = ["a", "b"].map((sessionId) =>
      runAttempt({ scenario, model, onFailure: "stop", signal, onReply: async () => {}, sessionId }),
    );
    for (const { replies } of await Promise.all(attempts)) {
      expect([...replies.values()].map(({ agent_reply }) => agent_reply)).toEqual(["turn 1", "turn 2"]);
    }
  });

  test("is sent the trace context of the call, and none without one", async () => {
    await using outbound = createOutbound();
    const trace = { traceparent: `00-${"ab".repeat(16)}-${"cd".repeat(8)}-01`, baggage: "rehearsal.scenario=a%20b" };
    const call = { signal, session: session() };
    const asked = { messages: [user("trace")] };
    expect(await kind.modelOf(outbound)(asked, { ...call, trace })).toMatchObject({
      text: `${trace.traceparent} ${trace.baggage}`,
    });
    expect(await kind.modelOf(outbound)(asked, call)).toMatchObject({ text: "none none" });
  });

  test("is asked again when it could not answer", async () => {
    expect(await ask("busy once")).toMatchObject({ ok: true, text: "recovered", tries: 2 });
  });

  test("gives a failure as a reply, in our words", async () => {
    const reply = await ask("refuse", { retry: { baseMs: 1, maximum: 0 } });
    expect(reply).toMatchObject({ ok: false });
    expect(JSON.stringify(reply)).not.toContain("words of the agent");
  });

  test("says that an answer cannot be read", async () => {
    expect(await ask("malformed")).toMatchObject({ ok: false, error: { code: "upstream_invalid_reply" } });
  });

  test("stops when the call is aborted", async () => {
    await using outbound = createOutbound();
    const stopped = new AbortController();
    const asked = kind.modelOf(outbound)({ messages: [user("hang")] }, { signal: stopped.signal, session: session() });
    setTimeout(() => stopped.abort(new Error("cancelled")), 50);
    await expect(asked).rejects.toThrow("cancelled");
  });

  test.runIf(kind.isHttp)("is guarded by the endpoint policy and the size limit", async () => {
    const code = "endpoint_address_refused";
    expect(await ask("Hello", {}, "http://169.254.169.254/x")).toMatchObject({ ok: false, error: { code } });
    expect(await ask("Hello", { policy: "public" })).toMatchObject({ ok: false, error: { code } });
    expect(await ask("Hello", { maxReplyBytes: 10 })).toMatchObject({
      ok: false,
      error: { code: "upstream_reply_too_large" },
    });
  });

  test.runIf(kind.hasHeaders)("keeps the secrets of its headers out of replies", async () => {
    expect(await ask(secret)).toMatchObject({ ok: true, text: "You said [redacted]" });
    for (const written of [
      Buffer.from(secret).toString("hex"),
      Buffer.from(secret).toString("base64url"),
      secret.replaceAll("-", "%2D"),
      secret.replaceAll("-", "&#45;"),
    ]) {
      const reply = JSON.stringify(await ask(written));
      expect(reply).toContain("You said [redacted]");
      expect(reply).not.toContain(written);
    }
  });
}

const turn = (id: string): Scenario["interactions"][number] => ({
  id,
  user_message: "count",
  reference_reply: "",
  reference_metadata: {},
  agent_reply: "",
  generated_metadata: {},
  interaction_type: "follow_up",
});

const scenario: Scenario = { id: "two turns", description: "", tags: [], interactions: [turn("1"), turn("2")] };
