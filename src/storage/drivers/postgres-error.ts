import { ServiceError } from "../../contract/errors/errors.ts";
import { StoreFileError } from "../tables/database.ts";

/** Codes about the server rather than about our SQL. */
export const postgresCodes = {
  serializationFailure: "40001",
  deadlock: "40P01",
  diskFull: "53100",
  tooManyConnections: "53300",
  readOnly: "25006",
  shutdown: ["57P01", "57P02", "57P03"],
  /** Sessions and transactions that exceeded an idle or total timeout of the server. */
  sessionEnded: ["25P03", "25P04", "57P05"],
  /**
   * Statement timeout or cancellation by an operator, lock timeout, and later statements of the same failed
   * transaction: kysely continues a migration after the first error and hides it.
   */
  cancelled: ["57014", "55P03", "25P02"],
  /** The operator has closed the database for connections. */
  closed: "55000",
  /** A table of ours, or its schema, is missing. */
  missingTable: ["42P01", "3F000"],
  /** A prepared statement is unknown, already exists, or was planned for changed tables. */
  preparedStatementLost: ["26000", "42P05", "0A000"],
};

/** Authentication, unknown database, or missing privilege. */
const accessDenied = /^(?:28|3D)|^42501$/;
/** The server lacks resources, or its system fails. */
const serverTrouble = /^5[38]/;
/** TLS or password problems that prevent a connection. */
const tlsOrPasswordFailure = /^SASL|\bSSL\b|certificate/i;

/** Error codes of lost connections, from Node and `pg`. */
const lostCodes: ReadonlySet<string> = new Set(["ECONNRESET", "EHOSTUNREACH", "ENETUNREACH", "EPIPE", "ETIMEDOUT"]);
/** Any failure to connect: refused, unknown name, missing socket file, too many open files. */
const connectSyscalls: ReadonlySet<string> = new Set(["connect", "getaddrinfo"]);
const lostMessages =
  /Connection terminated|connection error|timeout exceeded when trying to connect|not queryable|Query read timeout/i;
const closedMessages = /Cannot use a pool after calling end|has already been destroyed/i;

function postgresCode(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

/** The system call that failed. */
function syscallOf(error: unknown): string {
  return error instanceof Error && "syscall" in error && typeof error.syscall === "string" ? error.syscall : "";
}

/** The server is unreachable or dropped the connection: a retry may succeed. */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof ServiceError) return isConnectionLost(error.cause);
  // Several addresses of one name were tried.
  if (error instanceof AggregateError) return error.errors.some(isConnectionLost);
  const code = postgresCode(error);
  if (code.startsWith("08") || lostCodes.has(code) || connectSyscalls.has(syscallOf(error))) return true;
  if (
    code === postgresCodes.tooManyConnections ||
    [...postgresCodes.shutdown, ...postgresCodes.sessionEnded].includes(code)
  )
    return true;
  return error instanceof Error && lostMessages.test(error.message);
}

/** The server or the role has reached its connection limit. */
export function isOutOfConnections(error: unknown): boolean {
  return postgresCode(error) === postgresCodes.tooManyConnections;
}

/** Two transactions conflicted; the server has rolled this one back. */
export function isConflict(error: unknown): boolean {
  return [postgresCodes.serializationFailure, postgresCodes.deadlock].includes(postgresCode(error));
}

/** The server cancelled a statement and rolled its transaction back: a retry may be faster, or find the lock free. */
export function isCancelledByServer(error: unknown): boolean {
  if (error instanceof ServiceError) return isCancelledByServer(error.cause);
  return postgresCodes.cancelled.includes(postgresCode(error));
}

/** The server is read-only, like a former primary during a failover: a new connection may reach the new primary. */
export function isReadOnly(error: unknown): boolean {
  if (error instanceof ServiceError) return isReadOnly(error.cause);
  return postgresCode(error) === postgresCodes.readOnly;
}

/** A pooler switched the connection, so a prepared statement is unknown: without names it works. */
export function isPreparedStatementLost(error: unknown): boolean {
  return postgresCodes.preparedStatementLost.includes(postgresCode(error));
}

/**
 * Turns errors that an operator has to fix before the start into one line, quoting the server, whose messages contain
 * no password.
 */
export function fromPostgresStartError(error: unknown): unknown {
  if (error instanceof ServiceError) {
    const startError = fromPostgresStartError(error.cause);
    return startError instanceof StoreFileError ? startError : error;
  }
  if (error instanceof URIError || postgresCode(error) === "ERR_INVALID_URL") {
    return new StoreFileError(
      "The address of the database cannot be read: use postgres://user:password@host/database, and write characters such as @ / # ? in the password as %40 %2F %23 %3F.",
      { cause: error },
    );
  }
  if (error instanceof Error && syscallOf(error) === "open") {
    return new StoreFileError(`The address of the database names a file that cannot be read: ${error.message}.`, {
      cause: error,
    });
  }
  if (
    !(error instanceof Error) ||
    !(accessDenied.test(postgresCode(error)) || tlsOrPasswordFailure.test(error.message))
  )
    return error;
  return new StoreFileError(`PostgreSQL cannot be used with this address: ${error.message}.`, { cause: error });
}

/** Turns errors outside our SQL into a `ServiceError`. Any other error is a bug and is returned unchanged. */
export function fromPostgresError(error: unknown): unknown {
  if (postgresCode(error) === postgresCodes.diskFull) {
    return new ServiceError("storage_full", "The disk that holds the database is full.", { cause: error });
  }
  const problem = describeProblem(error);
  return problem === null ? error : new ServiceError("storage_unavailable", problem, { cause: error });
}

/** The reason why the database is unavailable, or null for other errors. */
function describeProblem(error: unknown): string | null {
  const code = postgresCode(error);
  if (error instanceof Error && closedMessages.test(error.message)) return "The store has been closed.";
  if (isOutOfConnections(error)) return "The database has no connection left for this service.";
  if (isConnectionLost(error)) return "The database cannot be reached.";
  if (isCancelledByServer(error)) return "The database did not answer within its own time limit.";
  if (isReadOnly(error)) return "The database is read-only at the moment.";
  if (accessDenied.test(code) || code === postgresCodes.closed) return "The database denies this service access.";
  if (postgresCodes.missingTable.includes(code)) return "The tables of this service are missing from the database.";
  if (serverTrouble.test(code)) return "The database server has a problem at the moment.";
  return null;
}
