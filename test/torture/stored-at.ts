import { DatabaseSync } from "node:sqlite";

type Row = Record<string, unknown>;

/** When each turn was stored, by the user message that names it, from rows of test, scenario, turn and time. */
export function toStoredAt(rows: readonly Row[]): ReadonlyMap<string, number> {
  return new Map(
    rows.map((row) => [
      `${String(JSON.parse(String(row["test_name"])))} s${String(row["scenario_index"])} t${String(row["turn_index"])}`,
      Number(row["finished_at"]),
    ]),
  );
}

export const storedAtQuery = `select run.test_name, scenario_index, turn_index, interaction.finished_at
  from interaction join attempt on attempt.id = interaction.attempt_id join run on run.id = interaction.run_id`;

export async function storedAtInFile(file: string): Promise<ReadonlyMap<string, number>> {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  try {
    return toStoredAt(database.prepare(storedAtQuery).all());
  } finally {
    database.close();
  }
}
