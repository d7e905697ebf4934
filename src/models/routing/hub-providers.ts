import { z } from "zod";
import { Secret, redactKeys } from "../../base/secret.ts";
import { isHeaderText } from "../../base/text.ts";
import { ModelProtocol } from "../../contract/schemas/evaluation-request.ts";
import { validationMessage } from "../../contract/schemas/shared/validation-message.ts";
import { createLastKnown } from "../../base/last-known.ts";
import { parseEndpoint } from "../outbound/endpoint-policy.ts";
import type { ModelFactory } from "./providers.ts";

/** An upstream that serves every `<name>/<model_name>`; it gets the part after the slash. */
export interface HubProvider {
  readonly name: string;
  readonly baseUrl: string;
  readonly apiKey: Secret | null;
  readonly protocol: ModelProtocol;
}

const Entry = z.strictObject({
  base_url: z.string("must be a URL"),
  key_env: z
    .string("must be the name of a variable")
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be the name of a variable")
    .optional(),
  protocol: ModelProtocol.default("openai-chat"),
});

const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/**
 * Reads HUB_PROVIDERS: a JSON object, name → { base_url, key_env?, protocol? }. `key_env` names the variable that holds the
 * key. Throws an Error of one line that names the entry and never repeats the value of a variable.
 *
 * @example parseHubProviders('{"groq":{"base_url":"https://api.groq.com/openai/v1","key_env":"GROQ_API_KEY"}}', process.env)
 */
export function parseHubProviders(
  text: string,
  variables: Readonly<Record<string, string | undefined>>,
): readonly HubProvider[] {
  return Object.entries(parseTable(text)).map(([name, value]) => parseProvider(name, value, variables));
}

function parseTable(text: string): Readonly<Record<string, unknown>> {
  let table: unknown;
  try {
    table = JSON.parse(text);
  } catch {
    // The parser's message quotes the text, which may hold a pasted key.
    throw new Error('is not valid JSON: write {"name": {"base_url": "https://…/v1", "key_env": "VARIABLE"}}');
  }
  if (typeof table !== "object" || table === null || Array.isArray(table)) {
    throw new Error("must be a JSON object of name → { base_url, key_env?, protocol? }");
  }
  return table as Readonly<Record<string, unknown>>;
}

function parseProvider(
  name: string,
  value: unknown,
  variables: Readonly<Record<string, string | undefined>>,
): HubProvider {
  const label = JSON.stringify(name.slice(0, 64));
  if (!namePattern.test(name)) throw new Error(`names a provider ${label}: use letters, digits, ., _ and -`);
  const parsed = Entry.safeParse(value, { error: validationMessage });
  if (!parsed.success) throw new Error(`${label}: ${describeProvider(parsed.error)}`);

  const { base_url, key_env, protocol } = parsed.data;
  const endpoint = parseEndpoint(base_url);
  if (!endpoint.ok) throw new Error(`${label}: base_url is not usable. ${endpoint.detail}`);
  const key = key_env === undefined ? undefined : variables[key_env]?.trim();
  if (key_env !== undefined && !key)
    throw new Error(`${label}: the variable ${redactKeys(key_env)} (key_env) is not set`);
  if (key && !isHeaderText(key))
    throw new Error(`${label}: the variable ${key_env} (key_env) holds signs that no header can carry`);
  return { name, baseUrl: base_url, apiKey: key ? new Secret(key) : null, protocol };
}

function describeProvider(error: z.ZodError): string {
  const [issue] = error.issues;
  if (issue?.code === "unrecognized_keys") return `${issue.keys.join(", ")} is not one of base_url, key_env, protocol`;
  return `${issue?.path.join(".") || "the entry"} ${issue?.message ?? "is not valid"}`;
}

/** The providers in the form of `Providers.hubProviders`. */
export function toHubFactories(
  providers: readonly HubProvider[],
  serve: (provider: HubProvider) => ModelFactory,
): Readonly<Record<string, ModelFactory>> {
  return Object.fromEntries(providers.map((provider) => [provider.name, serve(provider)]));
}

/** An upstream whose models can be listed. */
interface HubListSource {
  /** The provider's name, which is put before each id; null for the hub itself. */
  readonly name: string | null;
  /** The upstream's ids. Rejects when they cannot be read. */
  readonly list: (signal: AbortSignal) => Promise<readonly string[]>;
}

/** The models of all upstreams as values of `x-model-id`. An upstream that does not answer is left out. */
export function createHubList(sources: readonly HubListSource[]): () => Promise<readonly string[]> {
  const lists = sources.map(({ name, list }) => {
    const lastKnown = createLastKnown({ load: list, initial: [] });
    return async () => {
      const { value: ids } = await lastKnown();
      // Only ids with a slash are routed to the hub, so its other models cannot be selected.
      return name === null ? ids.filter((id) => id.includes("/")) : ids.map((id) => `${name}/${id}`);
    };
  });
  return async () => (await Promise.all(lists.map((list) => list()))).flat();
}
