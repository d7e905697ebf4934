import { ProtocolError, ProtocolErrorCode, SdkError, SdkErrorCode, SdkHttpError } from "@modelcontextprotocol/client";
import { truncateText } from "../../base/text.ts";
import { ConfigError } from "../tools/operator-config.ts";

/** The error of a call whose answer stream ended early. Recognised by its `data`, which no server can send. */
export const answerLost = {
  code: -32000,
  message: "The stream of the answer ended without it.",
  data: Symbol("answer lost"),
};

/** True when the connection is unusable. It is fine when the server answered, even with an error, or when our own timeout expired. */
export function isMcpConnectionLost(error: unknown): boolean {
  if (ProtocolError.isInstance(error) || isTooLarge(error) || isUnreadable(error)) return false;
  if (SdkHttpError.isInstance(error)) return hasLostSession(error);
  if (!SdkError.isInstance(error)) return true;
  return error.code === SdkErrorCode.ConnectionClosed || error.code === SdkErrorCode.NotConnected;
}

/** Servers with sessions answer like this after a restart. */
const hasLostSession = (error: SdkHttpError) => (error.status === 404 || error.status === 400) && !isAboutCall(error);

/** An address of the older transport answers the first message of the newer one like this, as the protocol defines. */
export function mayBeSseServer(error: unknown): boolean {
  return SdkHttpError.isInstance(error) && [400, 404, 405].includes(error.status);
}

const aboutCall: readonly unknown[] = [
  ProtocolErrorCode.MethodNotFound,
  ProtocolErrorCode.InvalidParams,
  ProtocolErrorCode.InternalError,
];

/** Some servers use such a status for protocol errors too. An error about a call has its id, and our ids are numbers. */
function isAboutCall(error: SdkHttpError): boolean {
  const body = bodyOf(error);
  return typeof body?.id === "number" && aboutCall.includes(body.error?.code);
}

/** True when the server forgot our session or could not be reached, so the call has not been executed. */
export function wasNotExecuted(error: unknown): boolean {
  if (SdkHttpError.isInstance(error)) return hasLostSession(error);
  if (SdkError.isInstance(error)) return error.code === SdkErrorCode.NotConnected;
  return connectionCause(error) === "ECONNREFUSED";
}

/** True when the answer is not a message of the protocol: the page of a gateway, half a JSON document. */
function isUnreadable(error: unknown): boolean {
  if (SdkError.isInstance(error)) return error.code === SdkErrorCode.ClientHttpUnexpectedContent;
  return error instanceof Error && (error.name === "SyntaxError" || error.name === "ZodError");
}

const isTooLarge = (error: unknown) => connectionCause(error) === "upstream_reply_too_large";

function connectionCause(error: unknown): unknown {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && "code" in cause ? cause.code : undefined;
}

/** Removes secrets. */
type Clean = (text: string) => string;

/** The failure of a call, written for the model. */
export function explainCallFailure(error: unknown, server: string, clean: Clean): string {
  if (ProtocolError.isInstance(error)) {
    if (error.data === answerLost.data)
      return `The answer of the MCP server "${server}" broke off. It is not known whether the call was carried out.`;
    return `The MCP server "${server}" refused the call: ${clean(error.message)}`;
  }
  if (SdkHttpError.isInstance(error))
    return `The MCP server "${server}" answered HTTP ${error.status}${errorMessageOf(error, clean)}.`;
  if (isTooLarge(error)) return `The answer of the MCP server "${server}" is too large to be read.`;
  if (isUnreadable(error))
    return `The MCP server "${server}" sent an unreadable answer. It is not known whether the call was carried out.`;
  if (SdkError.isInstance(error)) {
    if (error.code === SdkErrorCode.RequestTimeout) return `The MCP server "${server}" did not answer in time.`;
    if (error.code === SdkErrorCode.InvalidResult)
      return `The MCP server "${server}" sent a result that violates the protocol.`;
    if (error.code === SdkErrorCode.UnsupportedResultType)
      return `The MCP server "${server}" asks for input, which this agent does not support.`;
  }
  return `The MCP server "${server}" disconnected during the call. It is not known whether the call was carried out.`;
}

/** Written for the model, for all pending calls: it is unknown which of them got the answer. */
export function explainOverflow(server: string): string {
  return `The MCP server "${server}" sent an answer that is too large to be read and was disconnected. It is not known whether the call was carried out.`;
}

const shownWords = 300;

/** The message of a JSON-RPC error that came with the status. */
function errorMessageOf(error: SdkHttpError, clean: Clean): string {
  const message = bodyOf(error)?.error?.message;
  return typeof message === "string" ? `: ${truncateText(clean(message), shownWords)}` : "";
}

function bodyOf({
  data: { text },
}: SdkHttpError): { id?: unknown; error?: { code?: unknown; message?: unknown } } | null {
  try {
    return JSON.parse(String(text));
  } catch {
    return null;
  }
}

/** Many servers redirect `/mcp` to `/mcp/`. */
const moved = "redirects are not followed; use the final address";

const hints: Readonly<Partial<Record<number, string>>> = {
  301: moved,
  302: moved,
  307: moved,
  308: moved,
  401: "check its headers",
  403: "check its headers",
  404: "is this its streamable HTTP endpoint?",
  405: "is this its streamable HTTP endpoint?",
};

/** The failure of a connection, written for the operator. */
export function describeConnectFailure(error: unknown, clean: Clean): string {
  if (error instanceof ConfigError) return error.message;
  if (SdkHttpError.isInstance(error)) {
    const hint = hints[error.status];
    return `it answered HTTP ${error.status}${errorMessageOf(error, clean)}${hint === undefined ? "" : `; ${hint}`}`;
  }
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return "the command was not found";
  const reason = fetchFailureCause(error);
  if (reason !== null) return shortened(clean(reason));
  if (SdkError.isInstance(error) && error.code === SdkErrorCode.ConnectionClosed) return "it closed the connection";
  return error instanceof Error ? shortened(clean(error.message)) : "unknown";
}

/** The cause of a failed request, which the library hides behind "fetch failed". */
function fetchFailureCause(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if (error.message === "fetch failed" && error.cause instanceof Error) return error.cause.message;
  return fetchFailureCause(error.cause);
}

function shortened(message: string): string {
  return truncateText(message.replaceAll(/\s+/g, " "), 300);
}
