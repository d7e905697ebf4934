import { createLastKnown } from "../last-known.ts";

/** An upstream whose models can be listed. */
interface HubListSource {
  /** The provider's name, put before each id; null for the hub itself, whose ids are sent whole. */
  readonly name: string | null;
  /** Ids as the upstream spells them. Rejects when they cannot be had. */
  readonly list: (signal: AbortSignal) => Promise<readonly string[]>;
}

/** The models of all upstreams as `x-model-id` takes them. One that does not answer only lacks its own. */
export function createHubList(sources: readonly HubListSource[]): () => Promise<readonly string[]> {
  const lists = sources.map(({ name, list }) => {
    const lastKnown = createLastKnown({ noun: "The list of models", load: list, initial: [] });
    return async () => {
      const { value: ids } = await lastKnown();
      // The hub is chosen by a slash: of its own models only those that have one can be selected.
      return name === null ? ids.filter((id) => id.includes("/")) : ids.map((id) => `${name}/${id}`);
    };
  });
  return async () => (await Promise.all(lists.map((list) => list()))).flat();
}
