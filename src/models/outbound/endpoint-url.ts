import { protocols, type ModelProtocolFacts } from "../../contract/protocols/protocols.ts";

/** Users may give the full address of an operation instead of the base URL. */
const operations = [
  ...Object.values(protocols).flatMap((facts) => (facts.kind === "model" ? [facts.path] : [])),
  "embeddings",
  "models",
].map((path) => `/${path}`);

/** The base path of an address that may be the full address of an operation. */
export function withoutOperation(path: string): string {
  const operation = operations.find((each) => path.endsWith(each));
  return operation === undefined ? path : path.slice(0, -operation.length);
}

/** True for a base path that ends in a version, such as `/v1` or `/v1beta`. */
export function hasVersion(base: string): boolean {
  return /\/v\d\w*$/.test(base);
}

/** `parseEndpoint` returns the same URL for the same text, and models are created for every turn. */
const madeUrls = new WeakMap<URL, Map<string, string>>();

/** The URL of a protocol's calls. The endpoint may be an origin, a base URL or the full address; its query is kept. */
export function callUrl(endpoint: URL, facts: ModelProtocolFacts): string {
  const made = madeUrls.get(endpoint) ?? new Map<string, string>();
  madeUrls.set(endpoint, made);
  const url = made.get(facts.path) ?? operationUrl(endpoint, facts.path, facts);
  made.set(facts.path, url);
  return url;
}

/** The URL of another operation beside those calls. The base path is `/v1` when the endpoint has none. */
export function operationUrl(
  endpoint: URL,
  operation: string,
  { path, addsVersion }: Partial<ModelProtocolFacts> = {},
): string {
  const given = endpoint.pathname.replace(/(?<!\/)\/+$/, "");
  const base = given === "" ? "/v1" : withoutOperation(given);
  const lacksVersion = addsVersion === true && !given.endsWith(`/${path}`) && !hasVersion(base);
  const url = new URL(endpoint);
  url.pathname = `${base}${lacksVersion ? "/v1" : ""}/${operation}`;
  return url.href;
}
