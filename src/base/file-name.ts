/** A readable file name for a run without extension: its test, its date and the end of its id, in plain ASCII. */
export function runFileName(run: {
  readonly run_id: string;
  readonly test_name: string;
  readonly created_at: string;
}): string {
  const name = run.test_name
    .normalize("NFKD")
    .replaceAll(/\p{M}+/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 60)
    .replaceAll(/^-+|(?<!-)-+$/g, "");
  const end = run.run_id.replaceAll(/[^\w]/g, "").slice(-6);
  return [name === "" ? "run" : name, run.created_at.slice(0, 10), end].join("-");
}
