import { ServiceError } from "../../contract/errors.ts";
import { StoreFileError } from "../store-file-error.ts";

/** PostgreSQL's codes that say something about the server rather than about our SQL. */
export const codes = {
  serializationFailure: "40001",
  deadlock: "40P01",
  diskFull: "53100",
  tooManyConnections: "53300",
  readOnly: "25006",
  shutdown: ["57P01", "57P02", "57P03"],
  /** A session or a transaction that was idle or open for longer than the server allows, and ended with its connection. */
  sessionEnded: ["25P03", "25P04", "57P05"],
  /**
   * A statement that took longer than the server allows or was cancelled by an operator, a lock that was not to be had in time, and
   * what is asked in the same transaction after that: kysely asks on while it migrates, and keeps the reason to itself.
   */
  cutShort: ["57014", "55P03", "25P02"],
  /** The database takes no connections, the way an operator closes it. */
  closed: "55000",
  /** A table of ours, or the schema it was in. */
  tableGone: ["42P01", "3F000"],
  /** A named statement is unknown, known already, or was planned for tables that have changed since. */
  planLost: ["26000", "42P05", "0A000"],
};

/** The server refuses us: the account or its password, the database's name, or what the account may do. */
const refusals = /^(?:28|3D)|^42501$/;
/** The server lacks memory or some other resource, or its own files or system fail it. */
const ailing = /^5[38]/;
/** No connection can be made with the certificates or the password there are. */
const unusable = /^SASL|\bSSL\b|certificate/i;

/** What Node and `pg` say when a connection is lost. */
const lostCodes: ReadonlySet<string> = new Set(["ECONNRESET", "EHOSTUNREACH", "ENETUNREACH", "EPIPE", "ETIMEDOUT"]);
/**
 * No connection was made, whatever the reason: nobody listens, the name is not known, the socket's file is away with its server, no
 * more files may be open.
 */
const connecting: ReadonlySet<string> = new Set(["connect", "getaddrinfo"]);
const lostMessages =
  /Connection terminated|connection error|timeout exceeded when trying to connect|not queryable|Query read timeout/i;
const closedMessages = /Cannot use a pool after calling end|has already been destroyed/i;

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

/** What the system was asked to do when it failed. */
function syscallOf(error: unknown): string {
  return error instanceof Error && "syscall" in error && typeof error.syscall === "string" ? error.syscall : "";
}

/** The server is away or has just dropped us: trying again helps. */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof ServiceError) return isConnectionLost(error.cause);
  // Several addresses of one name were tried.
  if (error instanceof AggregateError) return error.errors.some(isConnectionLost);
  const code = codeOf(error);
  if (code.startsWith("08") || lostCodes.has(code) || connecting.has(syscallOf(error))) return true;
  if (code === codes.tooManyConnections || [...codes.shutdown, ...codes.sessionEnded].includes(code)) return true;
  return error instanceof Error && lostMessages.test(error.message);
}

/** The server, or our account there, has as many connections as it may have. */
export function isFull(error: unknown): boolean {
  return codeOf(error) === codes.tooManyConnections;
}

/** Two transactions met; the server has undone this one completely. */
export function isConflict(error: unknown): boolean {
  return [codes.serializationFailure, codes.deadlock].includes(codeOf(error));
}

/** The server broke a statement off and has undone its transaction: the next time it may be quicker, or the lock be free. */
export function isCutShort(error: unknown): boolean {
  if (error instanceof ServiceError) return isCutShort(error.cause);
  return codes.cutShort.includes(codeOf(error));
}

/** The server takes no writes, as one that has just ceased to be the first in a failover: another connection may lead to the new one. */
export function isReadOnly(error: unknown): boolean {
  if (error instanceof ServiceError) return isReadOnly(error.cause);
  return codeOf(error) === codes.readOnly;
}

/** A statement's name did not mean what we thought, because a pooler changed the connection: without names it works. */
export function isPlanLost(error: unknown): boolean {
  return codes.planLost.includes(codeOf(error));
}

/** Turns what an operator has to put right before a start into one line, in the server's words: they hold no password. */
export function toStartError(error: unknown): unknown {
  if (error instanceof ServiceError) {
    const told = toStartError(error.cause);
    return told instanceof StoreFileError ? told : error;
  }
  if (error instanceof URIError || codeOf(error) === "ERR_INVALID_URL") {
    return new StoreFileError(
      "The address of the database cannot be read: use postgres://user:password@host/database, and write signs such as @ / # ? of the password as %40 %2F %23 %3F.",
      { cause: error },
    );
  }
  if (error instanceof Error && syscallOf(error) === "open") {
    return new StoreFileError(`The address of the database names a file that cannot be read: ${error.message}.`, {
      cause: error,
    });
  }
  if (!(error instanceof Error) || !(refusals.test(codeOf(error)) || unusable.test(error.message))) return error;
  return new StoreFileError(`PostgreSQL cannot be used with this address: ${error.message}.`, { cause: error });
}

/** Turns what can go wrong outside our SQL into a failure a client understands. Anything else is a bug and stays as it is. */
export function toStorageError(error: unknown): unknown {
  if (codeOf(error) === codes.diskFull) {
    return new ServiceError("storage_full", "The disk that holds the database is full.", { cause: error });
  }
  const problem = describeProblem(error);
  return problem === null ? error : new ServiceError("storage_unavailable", problem, { cause: error });
}

/** Why the database cannot be used just now, or null when the error is of another kind. */
function describeProblem(error: unknown): string | null {
  const code = codeOf(error);
  if (error instanceof Error && closedMessages.test(error.message)) return "The store has been closed.";
  if (isFull(error)) return "The database has no connection left for this service.";
  if (isConnectionLost(error)) return "The database cannot be reached.";
  if (isCutShort(error)) return "The database did not answer in the time it allows itself.";
  if (isReadOnly(error)) return "The database may only be read just now.";
  if (refusals.test(code) || code === codes.closed) return "The database does not let this service in.";
  if (codes.tableGone.includes(code)) return "The tables of this service are gone from the database.";
  if (ailing.test(code)) return "The server of the database is in trouble just now.";
  return null;
}
