import { ServiceError } from "../../contract/errors.ts";

/** What Node's HTTP parser reports about a request it could not read. */
export interface ParserError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
}

/** The error a client is told, or null when there is nobody left to tell. */
export function fromParserError(error: ParserError): ServiceError | null {
  switch (error.code) {
    case "HPE_HEADER_OVERFLOW":
      return isLongTarget(error.rawPacket)
        ? new ServiceError("uri_too_long", "The address is too long.")
        : new ServiceError("headers_too_large", "The headers are too large or too many.");
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return new ServiceError("body_too_large", "The chunk extensions are too large.");
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new ServiceError("request_timeout", "The request did not arrive in time.");
    case "HPE_INVALID_METHOD":
      return new ServiceError("header_invalid", "The request line is not HTTP/1.1 with a known method.");
    default:
      return error.code?.startsWith("HPE_")
        ? new ServiceError("header_invalid", "The request line, the headers or the body framing are malformed.")
        : null;
  }
}

/** The parser has one limit for the request line and the headers; a packet without any line end is one long line. */
function isLongTarget(packet: Buffer | undefined): boolean {
  if (packet === undefined) return false;
  const lineEnd = packet.indexOf("\n");
  return /^[A-Z]+ \S/.test(packet.toString("latin1", 0, 16)) && (lineEnd === -1 || lineEnd > 8192);
}
