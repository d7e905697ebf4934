/** A call as its client knows it: ids are the client's own and begin anew in each session. */
interface McpCall {
  readonly owner: string | null;
  readonly session: string;
  readonly id: string | number;
}

/**
 * Calls that are under way. Up to the revision 2025-11-25 of the protocol a client takes one back in a request of its own, and
 * leaves the connection open that the answer was to come on.
 */
interface McpCalls {
  /** Its signal aborts when the client takes the call back; to be disposed of when the call has ended. */
  begin(call: McpCall): Disposable & { readonly signal: AbortSignal };
  takeBack(call: McpCall): void;
}

export function createMcpCalls(): McpCalls {
  const underWay = new Map<string, AbortController>();
  const keyOf = ({ owner, session, id }: McpCall) => JSON.stringify([owner, session, id]);

  return {
    begin(call) {
      const key = keyOf(call);
      const controller = new AbortController();
      underWay.set(key, controller);
      return {
        signal: controller.signal,
        [Symbol.dispose]() {
          if (underWay.get(key) === controller) underWay.delete(key);
        },
      };
    },
    takeBack: (call) => underWay.get(keyOf(call))?.abort(new Error("The client took the call back.")),
  };
}

/** Which calls a body takes back, by their ids. */
export function takenBack(body: unknown): readonly McpCall["id"][] {
  return [body].flat().flatMap((message: unknown) => {
    const { method, params } = (message ?? {}) as { method?: unknown; params?: { requestId?: unknown } | null };
    const id = method === "notifications/cancelled" ? params?.requestId : undefined;
    return typeof id === "string" || typeof id === "number" ? [id] : [];
  });
}
