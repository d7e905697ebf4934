const chatPath = "/chat/completions";

/** Where chat completions are posted: the endpoint may be an origin, a base URL or the full address. The query stays. */
export function chatCompletionsUrl(endpoint: URL): string {
  const base = basePath(endpoint);
  return withPath(endpoint, `${base}${chatPath}`);
}

/** Where the models of an OpenAI-compatible endpoint are listed. */
export function modelsUrl(endpoint: URL): URL {
  return new URL(withPath(endpoint, `${basePath(endpoint).replace(/\/models$/, "")}/models`));
}

/** The base path without trailing slashes: `/v1` when the endpoint has no path at all. */
function basePath(endpoint: URL): string {
  const path = endpoint.pathname.replace(/\/+$/, "");
  if (path === "") return "/v1";
  return path.endsWith(chatPath) ? path.slice(0, -chatPath.length) : path;
}

function withPath(endpoint: URL, path: string): string {
  const url = new URL(endpoint);
  url.pathname = path;
  return url.href;
}
