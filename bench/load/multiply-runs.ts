import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/**
 * Gives every run in a store so many attempts instead of one, by copying its rows: real replies and scores, without
 * waiting for a hundred thousand calls. Names only the columns that must differ, so most changes of the schema pass by.
 */
export function multiplyRuns(dataFolder: string, attempts: number): void {
  const database = new DatabaseSync(join(dataFolder, "rehearsal.db"));
  try {
    database.exec("begin immediate");
    for (let attempt = 2; attempt <= attempts; attempt += 1) {
      copyRows(database, "attempt", "where attempt = 1", { id: `id || '-${attempt}'`, attempt: String(attempt) });
      copyRows(database, "interaction", "where instr(substr(attempt_id, 37), '-') = 0", {
        attempt_id: `attempt_id || '-${attempt}'`,
        seq: `seq + ${attempt} * 1000000`,
      });
    }
    database.exec(`
      update run set attempts_total = attempts_total * ${attempts}, attempts_done = attempts_done * ${attempts},
        interactions_total = interactions_total * ${attempts}, interactions_done = interactions_done * ${attempts}`);
    database.exec("commit");
  } finally {
    database.close();
  }
}

function copyRows(
  database: DatabaseSync,
  table: string,
  condition: string,
  changed: Readonly<Record<string, string>>,
): void {
  const columns = database
    .prepare(`pragma table_info(${table})`)
    .all()
    .map((column) => String(column["name"]));
  const values = columns.map((column) => changed[column] ?? column);
  database.exec(`insert into ${table} (${columns.join(", ")}) select ${values.join(", ")} from ${table} ${condition}`);
}
