import { sendJson, type Behaviour } from "./behaviour.ts";

/** An error answer in OpenAI's shape. */
export function status(
  code: number,
  error: { message?: string; type?: string; code?: string | number | null } = {},
  headers: Record<string, string> = {},
): Behaviour {
  const body = { error: { message: `Fake error ${code}`, type: "fake_error", param: null, code: null, ...error } };
  return ({ response }) => sendJson(response, code, body, headers);
}

export const unauthorized = status(401, { message: "Incorrect API key provided", code: "invalid_api_key" });
export const forbidden = status(403, { message: "Not available to you" });
export const serverError = status(500);
export const unavailable = status(503);

export const modelNotFound: Behaviour = (call) =>
  status(404, {
    message: `The model \`${String(call.request.body?.["model"])}\` does not exist`,
    code: "model_not_found",
  })(call);

export const contextTooLong = status(400, {
  message: "This model's maximum context length is 4096 tokens.",
  code: "context_length_exceeded",
});

/** 429, with whatever Retry-After or retry-after-ms headers the test wants to see honoured. */
export const rateLimited = (headers: Record<string, string> = { "retry-after": "2" }) =>
  status(429, { message: "Rate limit reached", code: "rate_limit_exceeded" }, headers);

/** Repeats the caller's credential in the error text, as careless providers do. */
export const echoTheKey: Behaviour = (call) => {
  const { authorization, "x-api-key": apiKey } = call.request.headers;
  return status(401, { message: `Incorrect API key provided: ${authorization ?? String(apiKey)}` })(call);
};

export function redirect(code: number, location: string): Behaviour {
  return ({ response }) => void response.writeHead(code, { location }).end();
}

/** Status 200, yet the body is an error. */
export const okWithError = (error: Record<string, unknown> = { message: "Overloaded", code: 503 }): Behaviour => {
  return ({ response }) => sendJson(response, 200, { error });
};
