import { isRecord } from "../../base/json.ts";
import type { WorldAddress } from "../../contract/schemas/acting/world.ts";
import { createOutbound } from "../../models/outbound/create-outbound.ts";
import { isLoopback } from "../../settings/address.ts";
import { createWorldListener, publicWorldUrl } from "../composition/world-listener.ts";

/** Whether an agent reached the private MCP endpoint that its request named. */
type WorldReport =
  | { readonly reached: true; readonly origin: string; readonly calls: readonly string[] }
  | { readonly reached: false; readonly origin: string; readonly cause: string; readonly fix: string };

/** A small world for one probe, opened like that of an attempt. */
interface ProbeWorld extends AsyncDisposable {
  /** Sent to the agent at the place that its target names. */
  readonly url: string;
  /** `failure` is the reason why the agent gave no reply, if it gave none. */
  report(failure?: string): Promise<WorldReport>;
}

interface ProbeWorldOptions {
  readonly agentUrl: string;
  readonly place: WorldAddress;
}

export async function openProbeWorld({ agentUrl, place }: ProbeWorldOptions): Promise<ProbeWorld> {
  await using opened = new AsyncDisposableStack();
  const publicUrl = publicWorldUrl();
  const calls = new Set<string>();
  const listener = opened.use(
    createWorldListener({
      publicUrl,
      onRequest: (body) => {
        for (const { method } of [body].flat().filter(isRecord)) if (typeof method === "string") calls.add(method);
      },
    }),
  );
  const world = await listener.endpoints.open({ tools: [ping], call: async () => pong }, { runId: "", name: "probe" });
  opened.defer(() => world.close());
  const { origin } = new URL(world.url);
  const held = opened.move();
  return {
    url: world.url,
    async report(failure) {
      // Notifications of the client say nothing more.
      const asked = [...calls].filter((method) => !method.startsWith("notifications/"));
      if (asked.length > 0) return { reached: true, origin, calls: asked };
      const missed = { agentUrl, place, worldUrl: world.url, isPublic: publicUrl !== null, failure };
      return { reached: false, origin, ...(await explainMiss(missed)) };
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

/** A report in words, one line each. */
export function worldReportLines(report: WorldReport): readonly string[] {
  if (report.reached) return [`World: reached at ${report.origin} (${report.calls.join(", ")}).`];
  return [`World: not reached at ${report.origin}. ${report.cause}`, `  ${report.fix}`];
}

/** A target without a place for the address, in a folder whose scenarios act in a world. */
export const noPlaceForWorld =
  "World: not sent. The target names no place for its address: set world: { header: … } or { field: … } of the target, or world_address with protocol agent.";

const ping = { name: "ping", description: "Answers pong.", parameters: { type: "object", properties: {} } };
const pong = { text: "pong", isError: false };

interface Miss extends ProbeWorldOptions {
  readonly worldUrl: string;
  readonly isPublic: boolean;
  readonly failure: string | undefined;
}

async function explainMiss(miss: Miss): Promise<{ cause: string; fix: string }> {
  const { agentUrl, place, worldUrl, isPublic, failure } = miss;
  const where = [place.header && `the header ${place.header}`, place.field && `the field ${place.field}`]
    .filter(Boolean)
    .join(" and ");
  const host = URL.parse(agentUrl)?.hostname ?? "";
  if (!isPublic && !isLoopback(host)) {
    return {
      cause: `The agent is at ${host}, where this address is its own machine.`,
      fix: "Set REHEARSAL_EVAL_PUBLIC_URL to an address of this machine that the agent can reach, such as http://192.0.2.10:8765.",
    };
  }
  const unreachable = isPublic ? await unreachableFromHere(worldUrl) : null;
  if (unreachable !== null) {
    return {
      cause: `This machine cannot reach it either: ${unreachable}.`,
      fix: "Check the host and the port of REHEARSAL_EVAL_PUBLIC_URL: its port must lead to this process.",
    };
  }
  if (failure !== undefined) {
    return {
      cause: `The agent gave no reply (${failure}).`,
      fix: `Look for the reason above and in the log of the agent; it got the address in ${where}.`,
    };
  }
  return {
    cause: `The agent got the address in ${where} and answered without connecting.`,
    fix: isPublic
      ? "Check that the agent reads it there, and that its network can reach the address."
      : "Check that the agent reads it there. In a container, this address is the container itself: set REHEARSAL_EVAL_PUBLIC_URL, such as http://host.docker.internal:8765.",
  };
}

async function unreachableFromHere(url: string): Promise<string | null> {
  await using outbound = createOutbound({ policy: "local" });
  const result = await outbound.request({ url, method: "GET", signal: AbortSignal.timeout(5_000), retries: 0 });
  const { status, detail } = result.ok
    ? { status: result.status, detail: `status ${result.status}` }
    : { status: result.error.upstream_status, detail: result.error.detail };
  // The endpoint answers 405; another program or a proxy without a way here answers something else.
  return status === 405 ? null : detail.replace(/\.$/, "");
}
