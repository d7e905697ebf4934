/** The lease went to someone else, or the run was cancelled: nothing more may be written. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";
}
