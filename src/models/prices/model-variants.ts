/** Parts of a name that say when or in which edition, not which model. */
const editions = [
  /-v\d+(?::\d+)?$/, // Bedrock: …-v1:0
  /(?<!^ft):[\w-]+$/, // hubs: …:beta
  /@[\w-]+$/, // Vertex: …@20250929
  /-(?:latest|preview|exp|experimental|beta)$/,
  /-(?:preview-|exp-)?(?:20\d{2}-\d{2}-\d{2}|20\d{6})$/, // before the shorter dates, which it ends with
  /-(?:preview-|exp-)?\d{2}-\d{4}$/,
  /-(?:preview-|exp-)?\d{2}-\d{2}$/,
  /-(?:0[1-9]|1[0-2])[0-3]\d$/, // gpt-4-0613
  /-2[3-9](?:0[1-9]|1[0-2])$/, // mistral-large-2411
  /-0\d{2}$/, // gemini-2.0-flash-001
  /(?<=instruct)-(?:turbo|fp8)$/, // as hubs mark how they run open weights
];

/**
 * The names one model may be known by, the most exact first: without what hubs put before a name (`openai/`, `us.anthropic.`)
 * and without the dates and editions after it.
 *
 * @example modelVariants("openai/gpt-4o-2024-08-06") // […, "gpt-4o-2024-08-06", …, "gpt-4o"]
 */
export function modelVariants(modelId: string): readonly string[] {
  const names = withoutPrefixes(comparable(modelId));
  return [...new Set([...names, ...names.flatMap(withoutEditions)])];
}

/** Hubs write `claude-sonnet-4.5` where the maker writes `claude-sonnet-4-5`, and some put the maker's name in front twice. */
export function comparable(name: string): string {
  return name.trim().toLowerCase().replaceAll(".", "-").replace("/meta-llama-", "/llama-");
}

function withoutPrefixes(name: string): readonly string[] {
  const parts = name.split("/");
  const tails = parts.map((_, index) => parts.slice(index).join("/"));
  // Dots are dashes by now: us.anthropic.claude-3 is us-anthropic-claude-3.
  const bare = (tails.at(-1) ?? "").replace(
    /^(?:[a-z]{2,6}-)?(?:anthropic|meta|mistral|openai|google|deepseek|qwen)-(?=[a-z])/,
    "",
  );
  return [...new Set([...tails, bare])].filter((tail) => tail !== "");
}

function withoutEditions(name: string): readonly string[] {
  const shorter: string[] = [];
  let rest = fineTuned(name);
  if (rest !== name) shorter.push(rest);
  for (let edition = editionOf(rest); edition; edition = editionOf(rest)) {
    rest = rest.replace(edition, "");
    shorter.push(rest);
  }
  return shorter;
}

function editionOf(name: string): RegExp | undefined {
  return editions.find((edition) => edition.test(name));
}

/** `ft:gpt-4o-mini-2024-07-18:acme::9x` is priced as what it was made from. */
function fineTuned(name: string): string {
  return /^ft:[^:]+/.exec(name)?.[0] ?? name;
}
