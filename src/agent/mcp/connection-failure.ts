import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from "@modelcontextprotocol/client";
import { ConfigError } from "../config-error.ts";

/** Whether the connection is of no more use. It is fine when the server answered with an error, or our own time was over. */
export function isLost(error: unknown): boolean {
  if (ProtocolError.isInstance(error)) return false;
  if (SdkHttpError.isInstance(error)) return hasForgottenUs(error);
  if (!SdkError.isInstance(error)) return true;
  return error.code === SdkErrorCode.ConnectionClosed || error.code === SdkErrorCode.NotConnected;
}

/** How servers with sessions answer after a restart. */
const hasForgottenUs = ({ status }: SdkHttpError) => status === 404 || status === 400;

/** A server that forgot our session, or that nobody could connect to. */
export function wasNotCarriedOut(error: unknown): boolean {
  if (SdkHttpError.isInstance(error)) return hasForgottenUs(error);
  if (SdkError.isInstance(error)) return error.code === SdkErrorCode.NotConnected;
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && "code" in cause && cause.code === "ECONNREFUSED";
}

/** For the model. */
export function explainCallFailure(error: unknown, server: string): string {
  if (ProtocolError.isInstance(error)) return `The MCP server "${server}" refused the call: ${error.message}`;
  if (SdkHttpError.isInstance(error)) return `The MCP server "${server}" answered HTTP ${error.status}.`;
  if (SdkError.isInstance(error)) {
    if (error.code === SdkErrorCode.RequestTimeout) return `The MCP server "${server}" did not answer in time.`;
    if (error.code === SdkErrorCode.InvalidResult)
      return `The MCP server "${server}" gave a result that breaks its own schema.`;
    if (error.code === SdkErrorCode.UnsupportedResultType)
      return `The MCP server "${server}" asks for input that this agent cannot give.`;
  }
  return `The MCP server "${server}" went away during the call. Whether the call was carried out is not known.`;
}

/** For the log: what the operator can act upon. */
export function describeConnectFailure(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return "the command is not there";
  return error instanceof Error ? error.message.slice(0, 300) : "unknown";
}
