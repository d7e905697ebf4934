/** Clients that use the services until `stop` is called. */
interface Visitors {
  readonly requests: () => number;
  /** Answers that should not have been. */
  readonly failures: () => number;
  stop(): Promise<void>;
}

interface Addresses {
  readonly agent: string;
  readonly evaluation: string;
  readonly endpoint: string;
}

/** As many as keep the services busy without filling their queues. */
const clients = 4;

export function createVisitors(addresses: Addresses): Visitors {
  const leave = new AbortController();
  let requests = 0;
  let failures = 0;

  async function visit(index: number): Promise<void> {
    const errands = errandsOf(addresses);
    for (let turn = index; !leave.signal.aborted; turn += 1) {
      const errand = errands[turn % errands.length];
      const fine = await errand?.().catch(() => false);
      requests += 1;
      if (!fine && !leave.signal.aborted) failures += 1;
    }
  }

  const visits = Array.from({ length: clients }, (_, index) => visit(index));
  return {
    requests: () => requests,
    failures: () => failures,
    async stop() {
      leave.abort();
      await Promise.all(visits);
    },
  };
}

/** Each says whether it went as it should. What is stored is deleted again: the disk is not what is watched. */
function errandsOf({ agent, evaluation, endpoint }: Addresses): readonly (() => Promise<boolean>)[] {
  const json = { "content-type": "application/json" };
  const evaluate = (headers: Record<string, string> = {}, more: Record<string, unknown> = {}) =>
    fetch(`${evaluation}/evaluate`, {
      method: "POST",
      headers: { ...json, ...headers },
      body: JSON.stringify({
        test_batch: {
          id: "s",
          interactions: [1, 2, 3].map((id) => ({ id: `${id}`, user_message: "Hi", reference_reply: "Hello" })),
        },
        endpoint,
        model_id: "m",
        ...more,
      }),
    });
  const remove = async (id: string) => (await fetch(`${evaluation}/runs/${id}`, { method: "DELETE" })).status === 204;
  const turn = (headers: Record<string, string> = {}, signal?: AbortSignal) =>
    fetch(`${agent}/`, {
      method: "POST",
      headers: { ...json, "x-model-id": "hub/m", ...headers },
      body: JSON.stringify({ messages: [{ type: "human", content: "What is 6 * 7?" }] }),
      ...(signal && { signal }),
    });
  const runOf = async (answer: Response) => ((await answer.json()) as { run_id: string }).run_id;
  const read = async (answer: Response, status = 200) => (await answer.text()) !== "" && answer.status === status;

  return [
    async () => remove(await runOf(await evaluate())),
    async () => {
      const id = await runOf(await evaluate({ prefer: "respond-async" }, { attempts: 2 }));
      const followed = await read(await fetch(`${evaluation}/runs/${id}/events`));
      const exported = await read(await fetch(`${evaluation}/runs/${id}/export?format=csv`));
      return (await remove(id)) && followed && exported;
    },
    async () => read(await turn()),
    async () => read(await turn({ accept: "text/event-stream" })),
    async () => {
      await turn({}, AbortSignal.timeout(3)).catch(() => null);
      return true;
    },
    async () => read(await fetch(`${evaluation}/evaluate`, { method: "POST", headers: json, body: "{" }), 400),
    async () => read(await fetch(`${evaluation}/runs?limit=10`)),
    async () => read(await fetch(`${agent}/agent/runs?limit=5`)),
  ];
}
