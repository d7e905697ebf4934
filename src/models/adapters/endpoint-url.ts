/** Users may give the full address of an operation instead of the base URL. */
const operations = /\/(?:chat\/completions|responses|messages|embeddings|models)$/;

/** The base path of an address that may be the full address of an operation. */
export function withoutOperation(path: string): string {
  return path.replace(operations, "");
}

/** True for a base path that ends in a version, such as `/v1` or `/v1beta`. */
export function hasVersion(base: string): boolean {
  return /\/v\d\w*$/.test(base);
}

/** The URL of chat completions. The endpoint may be an origin, a base URL or the full address; its query is kept. */
export const chatCompletionsUrl = oncePerEndpoint((endpoint) =>
  withPath(endpoint, `${basePath(endpoint)}/chat/completions`),
);

/** The URL of the responses API. */
export const responsesUrl = oncePerEndpoint((endpoint) => withPath(endpoint, `${basePath(endpoint)}/responses`));

/** The URL of embeddings. */
export function embeddingsUrl(endpoint: URL): string {
  return withPath(endpoint, `${basePath(endpoint)}/embeddings`);
}

/** The URL of the messages API. */
export const messagesUrl = oncePerEndpoint((endpoint) => withPath(endpoint, `${messagesBase(endpoint)}/messages`));

/** The model list of an endpoint with the messages API. */
export function messagesModelsUrl(endpoint: URL): URL {
  return new URL(withPath(endpoint, `${messagesBase(endpoint)}/models`));
}

/** The model list of an OpenAI-compatible endpoint. */
export function modelsUrl(endpoint: URL): URL {
  return new URL(withPath(endpoint, `${basePath(endpoint)}/models`));
}

/** Caches by URL object: models are created for every turn, and `parseEndpoint` returns the same URL for the same text. */
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

/** The base path without trailing slashes; `/v1` when the endpoint has no path. */
function basePath(endpoint: URL): string {
  const path = endpoint.pathname.replace(/(?<!\/)\/+$/, "");
  return path === "" ? "/v1" : withoutOperation(path);
}

/** Base URLs of the messages API may lack the version: `…/anthropic` means `…/anthropic/v1`. */
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
