/** The addresses a base URL may be given with instead of the bare base. */
const operations = /\/(?:chat\/completions|responses|messages|embeddings|models)$/;

/** The base path of an address that may be the full one of an operation. */
export function withoutOperation(path: string): string {
  return path.replace(operations, "");
}

/** True for a base path that ends in its version, as in `/v1` or `/v1beta`. */
export function hasVersion(base: string): boolean {
  return /\/v\d\w*$/.test(base);
}

/** Where chat completions are posted: the endpoint may be an origin, a base URL or the full address. The query stays. */
export const chatCompletionsUrl = oncePerEndpoint((endpoint) =>
  withPath(endpoint, `${basePath(endpoint)}/chat/completions`),
);

/** Where an OpenAI-compatible endpoint takes requests of the responses API. */
export const responsesUrl = oncePerEndpoint((endpoint) => withPath(endpoint, `${basePath(endpoint)}/responses`));

/** Where texts are sent to be embedded. */
export function embeddingsUrl(endpoint: URL): string {
  return withPath(endpoint, `${basePath(endpoint)}/embeddings`);
}

/** Where messages are posted. */
export const messagesUrl = oncePerEndpoint((endpoint) => withPath(endpoint, `${messagesBase(endpoint)}/messages`));

/** Where the models of an endpoint of the messages API are listed. */
export function messagesModelsUrl(endpoint: URL): URL {
  return new URL(withPath(endpoint, `${messagesBase(endpoint)}/models`));
}

/** Where the models of an OpenAI-compatible endpoint are listed. */
export function modelsUrl(endpoint: URL): URL {
  return new URL(withPath(endpoint, `${basePath(endpoint)}/models`));
}

/** Models are made for every turn, endpoints are few: `parseEndpoint` gives the same URL for the same text. */
function oncePerEndpoint(toUrl: (endpoint: URL) => string): (endpoint: URL) => string {
  const made = new WeakMap<URL, string>();
  return (endpoint) => {
    const known = made.get(endpoint);
    if (known !== undefined) return known;
    const url = toUrl(endpoint);
    made.set(endpoint, url);
    return url;
  };
}

/** The base path without trailing slashes: `/v1` when the endpoint has no path at all. */
function basePath(endpoint: URL): string {
  const path = endpoint.pathname.replace(/\/+$/, "");
  return path === "" ? "/v1" : withoutOperation(path);
}

/** This API's base URLs come with and without their version: `…/anthropic` means `…/anthropic/v1`. */
function messagesBase(endpoint: URL): string {
  const base = basePath(endpoint);
  const isFull = /\/messages\/*$/.test(endpoint.pathname);
  return isFull || hasVersion(base) ? base : `${base}/v1`;
}

function withPath(endpoint: URL, path: string): string {
  const url = new URL(endpoint);
  url.pathname = path;
  return url.href;
}
