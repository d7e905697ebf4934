/** The address cannot be listened on. The message is one line for the operator. */
export class ListenError extends Error {
  override readonly name = "ListenError";
}
