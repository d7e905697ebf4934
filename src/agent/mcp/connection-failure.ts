import { ProtocolError, ProtocolErrorCode, SdkError, SdkErrorCode, SdkHttpError } from "@modelcontextprotocol/client";
import { firstCharacters } from "../../base/text.ts";
import { ConfigError } from "../config-error.ts";

/** What a call gets in place of an answer whose stream has ended. Known by its `data`, which no server can send. */
export const answerLost = {
  code: -32000,
  message: "The stream of the answer ended without it.",
  data: Symbol("answer lost"),
};

/** Whether the connection is of no more use. It is fine when the server answered, be it with an error, or our own time was over. */
export function isLost(error: unknown): boolean {
  if (ProtocolError.isInstance(error) || isTooLarge(error) || isUnreadable(error)) return false;
  if (SdkHttpError.isInstance(error)) return hasForgottenUs(error);
  if (!SdkError.isInstance(error)) return true;
  return error.code === SdkErrorCode.ConnectionClosed || error.code === SdkErrorCode.NotConnected;
}

/** How servers with sessions answer after a restart. */
const hasForgottenUs = (error: SdkHttpError) => (error.status === 404 || error.status === 400) && !isAboutCall(error);

/** How an address of the older transport answers to the first message of the newer one, as the protocol says. */
export function mayBeOlder(error: unknown): boolean {
  return SdkHttpError.isInstance(error) && [400, 404, 405].includes(error.status);
}

const aboutCall: readonly unknown[] = [
  ProtocolErrorCode.MethodNotFound,
  ProtocolErrorCode.InvalidParams,
  ProtocolErrorCode.InternalError,
];

/** Some servers give an error of the protocol such a status too. One about the call names it; we number ours. */
function isAboutCall(error: SdkHttpError): boolean {
  const body = bodyOf(error);
  return typeof body?.id === "number" && aboutCall.includes(body.error?.code);
}

/** A server that forgot our session, or that nobody could connect to. */
export function wasNotCarriedOut(error: unknown): boolean {
  if (SdkHttpError.isInstance(error)) return hasForgottenUs(error);
  if (SdkError.isInstance(error)) return error.code === SdkErrorCode.NotConnected;
  return causeCode(error) === "ECONNREFUSED";
}

/** Something came that is no message of the protocol: a page of a gateway, half a JSON document. */
function isUnreadable(error: unknown): boolean {
  if (SdkError.isInstance(error)) return error.code === SdkErrorCode.ClientHttpUnexpectedContent;
  return error instanceof Error && (error.name === "SyntaxError" || error.name === "ZodError");
}

const isTooLarge = (error: unknown) => causeCode(error) === "upstream_reply_too_large";

function causeCode(error: unknown): unknown {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && "code" in cause ? cause.code : undefined;
}

/** Takes out what nobody must read. */
type Clean = (text: string) => string;

/** For the model. */
export function explainCallFailure(error: unknown, server: string, clean: Clean): string {
  if (ProtocolError.isInstance(error)) {
    if (error.data === answerLost.data)
      return `The answer of the MCP server "${server}" broke off. Whether the call was carried out is not known.`;
    return `The MCP server "${server}" refused the call: ${clean(error.message)}`;
  }
  if (SdkHttpError.isInstance(error))
    return `The MCP server "${server}" answered HTTP ${error.status}${wordsOf(error, clean)}.`;
  if (isTooLarge(error)) return `The answer of the MCP server "${server}" is too large to be read.`;
  if (isUnreadable(error))
    return `The MCP server "${server}" gave an answer that cannot be read. Whether the call was carried out is not known.`;
  if (SdkError.isInstance(error)) {
    if (error.code === SdkErrorCode.RequestTimeout) return `The MCP server "${server}" did not answer in time.`;
    if (error.code === SdkErrorCode.InvalidResult)
      return `The MCP server "${server}" gave a result that does not follow the protocol.`;
    if (error.code === SdkErrorCode.UnsupportedResultType)
      return `The MCP server "${server}" asks for input that this agent cannot give.`;
  }
  return `The MCP server "${server}" went away during the call. Whether the call was carried out is not known.`;
}

/** For the model, for all calls that were under way: whose answer it was cannot be told. */
export function explainOverflow(server: string): string {
  return `The MCP server "${server}" gave an answer that is too large to be read, and was ended. Whether the call was carried out is not known.`;
}

const shownWords = 300;

/** The message of a JSON-RPC error that came with the status. */
function wordsOf(error: SdkHttpError, clean: Clean): string {
  const message = bodyOf(error)?.error?.message;
  return typeof message === "string" ? `: ${firstCharacters(clean(message), shownWords)}` : "";
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

/** Many servers send `/mcp` on to `/mcp/`. */
const moved = "redirects are not followed, so name the address that it leads to";

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

/** For the log: what the operator can act upon. */
export function describeConnectFailure(error: unknown, clean: Clean): string {
  if (error instanceof ConfigError) return error.message;
  if (SdkHttpError.isInstance(error)) {
    const hint = hints[error.status];
    return `it answered HTTP ${error.status}${wordsOf(error, clean)}${hint === undefined ? "" : `; ${hint}`}`;
  }
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return "the command is not there";
  const unsent = whyUnsent(error);
  if (unsent !== null) return shortened(clean(unsent));
  if (SdkError.isInstance(error) && error.code === SdkErrorCode.ConnectionClosed) return "it closed the connection";
  return error instanceof Error ? shortened(clean(error.message)) : "unknown";
}

/** Why no answer came from an address. The library only says that it did not, and keeps the reason as a cause. */
function whyUnsent(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if (error.message === "fetch failed" && error.cause instanceof Error) return error.cause.message;
  return whyUnsent(error.cause);
}

function shortened(message: string): string {
  return firstCharacters(message.replaceAll(/\s+/g, " "), 300);
}
