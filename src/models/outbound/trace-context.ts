import { AsyncLocalStorage } from "node:async_hooks";
import type { ChatModel, TraceContext } from "../../contract/ports/chat-model.ts";
import type { Outbound, OutboundRequest } from "./outbound.ts";

/** The trace context of the call under way. */
const current = new AsyncLocalStorage<TraceContext>();
const carrying = new WeakMap<Outbound, Outbound>();

/** The same client, which sends the trace context of a call of `withTraceContext` with each of its requests: no protocol can forget it. */
export function carryTraceContext(outbound: Outbound): Outbound {
  const known = carrying.get(outbound);
  if (known) return known;
  const request = (asked: OutboundRequest) => {
    const trace = current.getStore();
    // Headers that a target sets itself stay.
    return outbound.request(trace ? { ...asked, headers: { ...trace, ...asked.headers } } : asked);
  };
  const connect: Outbound["connect"] = (asked) =>
    outbound.connect({ ...asked, headers: { ...current.getStore(), ...asked.headers } });
  const wrapped = { ...outbound, request: request as Outbound["request"], connect };
  carrying.set(outbound, wrapped);
  return wrapped;
}

export function withTraceContext(model: ChatModel): ChatModel {
  return (request, options) =>
    options.trace ? current.run(options.trace, () => model(request, options)) : model(request, options);
}
