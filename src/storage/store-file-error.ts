/** The database cannot be used as it is. The message is one line for the operator; nothing in the file was changed. */
export class StoreFileError extends Error {
  override readonly name = "StoreFileError";
}
