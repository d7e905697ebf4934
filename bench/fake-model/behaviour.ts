/** The behaviour of the fake model at one address. */
export interface Behaviour {
  readonly latencyMs: number;
  /** Answers in this many pieces to a request that asks for a stream. */
  readonly chunks: number;
  /** Percent of calls that fail, half of them with 429, half with 500. */
  readonly errors: number;
  /** Asks for this tool once in each turn before it answers. */
  readonly tool: string | null;
  /** Plays a simulated user who sends so many messages; null: does not. */
  readonly user: number | null;
  readonly words: number;
}

const defaults: Behaviour = { latencyMs: 0, chunks: 20, errors: 0, tool: null, user: null, words: 12 };

/**
 * Reads the behaviour from the address: `/latency-100/chunks-200/errors-5/tool-calculator/words-50/v1/chat/completions`.
 * So one server plays every model at once without configuration. Other segments are ignored: they tell
 * addresses apart that are counted separately.
 */
export function behaviourOf(path: string): Behaviour {
  const settings = new Map(
    path.split("/").map((segment): [string, string] => {
      const [name = "", ...value] = segment.split("-");
      return [name, value.join("-")];
    }),
  );
  const number = <Standard extends number | null>(name: string, standard: Standard): number | Standard => {
    const value = settings.get(name);
    return value === undefined ? standard : Number(value);
  };
  return {
    latencyMs: number("latency", defaults.latencyMs),
    chunks: number("chunks", defaults.chunks),
    errors: number("errors", defaults.errors),
    tool: settings.get("tool") ?? defaults.tool,
    user: number("user", defaults.user),
    words: number("words", defaults.words),
  };
}

const vocabulary =
  "your order was sent this morning and should arrive within two days please write to us again when it does not we are happy to help".split(
    " ",
  );

/** A text of so many words. Different seeds give different texts over the same words. */
export function makeText(words: number, seed = 1): string {
  let state = seed;
  return Array.from({ length: words }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return vocabulary[Math.floor(state / 65_536) % vocabulary.length];
  }).join(" ");
}
