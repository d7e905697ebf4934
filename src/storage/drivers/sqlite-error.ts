import { ServiceError } from "../../contract/errors/errors.ts";

/** Primary result codes about the file or the disk rather than about our SQL. */
const codes = { busy: 5, locked: 6, readOnly: 8, ioError: 10, corrupt: 11, full: 13, cannotOpen: 14, notADatabase: 26 };
/** The shared-memory file could not grow: another sign of a full disk. */
const sharedMemoryFull = 4874;

interface SqliteError extends Error {
  readonly errcode: number;
}

function isSqliteError(error: unknown): error is SqliteError {
  return error instanceof Error && "errcode" in error && typeof error.errcode === "number";
}

function isClosed(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_INVALID_STATE";
}

/** Another connection holds the lock: waiting helps. */
export function isBusy(error: unknown): boolean {
  if (error instanceof ServiceError) return isBusy(error.cause);
  return isSqliteError(error) && [codes.busy, codes.locked].includes(error.errcode & 0xff);
}

function isDiskFull({ errcode }: SqliteError): boolean {
  return errcode === sharedMemoryFull || (errcode & 0xff) === codes.full;
}

/** The problem with a database file as the end of a sentence, or null for other errors. */
export function describeFileProblem(error: unknown): string | null {
  if (error instanceof ServiceError) return describeFileProblem(error.cause);
  if (!isSqliteError(error)) return null;
  if (isDiskFull(error)) return "cannot be written to: the disk is full";
  switch (error.errcode & 0xff) {
    case codes.notADatabase:
      return "is not a database";
    case codes.corrupt:
      return "is damaged";
    case codes.readOnly:
      return "cannot be written to: it or its folder is read-only";
    case codes.cannotOpen:
      return "cannot be opened: check that its folder exists and is writable, and that more files may be opened (ulimit -n)";
    case codes.ioError:
      return "cannot be read or written: the disk reports an error";
    case codes.busy:
    case codes.locked:
      return "is locked by another process";
    default:
      return null;
  }
}

/** Turns errors outside our SQL into a `ServiceError`. Any other error is a bug and is returned unchanged. */
export function fromSqliteError(error: unknown): unknown {
  if (isClosed(error)) return new ServiceError("storage_unavailable", "The store has been closed.", { cause: error });
  if (!isSqliteError(error)) return error;
  if (isDiskFull(error)) {
    return new ServiceError("storage_full", "The disk that holds the database is full.", { cause: error });
  }
  const problem = describeFileProblem(error);
  return problem ? new ServiceError("storage_unavailable", `The database ${problem}.`, { cause: error }) : error;
}
