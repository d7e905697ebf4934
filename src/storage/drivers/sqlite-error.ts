import { ServiceError } from "../../contract/errors.ts";

/** SQLite's primary result codes that say something about the file or the disk rather than about our SQL. */
const codes = { busy: 5, locked: 6, readOnly: 8, ioError: 10, corrupt: 11, full: 13, cannotOpen: 14, notADatabase: 26 };
/** The shared memory file could not grow: how a full disk shows when it is met there. */
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

function isFull({ errcode }: SqliteError): boolean {
  return errcode === sharedMemoryFull || (errcode & 0xff) === codes.full;
}

/** What is wrong with a database file, as the end of a sentence, or null when the error is of another kind. */
export function describeFileProblem(error: unknown): string | null {
  if (error instanceof ServiceError) return describeFileProblem(error.cause);
  if (!isSqliteError(error)) return null;
  if (isFull(error)) return "cannot be written to: the disk is full";
  switch (error.errcode & 0xff) {
    case codes.notADatabase:
      return "is not a database";
    case codes.corrupt:
      return "is damaged";
    case codes.readOnly:
      return "cannot be written to: it or its folder is read-only";
    case codes.cannotOpen:
      return "cannot be opened: check that its folder exists and may be written to, and that more files may be open (ulimit -n)";
    case codes.ioError:
      return "cannot be read or written: the disk reports an error";
    case codes.busy:
    case codes.locked:
      return "is locked by another process";
    default:
      return null;
  }
}

/** Turns what can go wrong outside our SQL into a failure a client understands. Anything else is a bug and stays as it is. */
export function toStorageError(error: unknown): unknown {
  if (isClosed(error)) return new ServiceError("storage_unavailable", "The store has been closed.", { cause: error });
  if (!isSqliteError(error)) return error;
  if (isFull(error)) {
    return new ServiceError("storage_full", "The disk that holds the database is full.", { cause: error });
  }
  const problem = describeFileProblem(error);
  return problem ? new ServiceError("storage_unavailable", `The database ${problem}.`, { cause: error }) : error;
}
