export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** Sends JSON and reads JSON, whatever the status. */
export async function send(
  url: string,
  {
    body,
    headers = {},
    method = body === undefined ? "GET" : "POST",
  }: {
    body?: unknown;
    headers?: Record<string, string>;
    method?: string;
  } = {},
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === "" ? null : JSON.parse(text) };
}
