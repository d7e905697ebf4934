import type { Selectable } from "kysely";
import type { Database, Reader, Writer } from "./database.ts";
import type { LibraryScenarioTable } from "./schema.ts";

type Version = Pick<Selectable<LibraryScenarioTable>, "version" | "number" | "demo" | "created_at">;

/** Copies the scenario library, each scenario with all its versions in one transaction. Tells how many versions were not there. */
export async function copyLibrary(reader: Reader, to: Database): Promise<number> {
  const ids = await reader.selectFrom("library_scenario").select("id").distinct().orderBy("id").execute();
  let copied = 0;
  for (const { id } of ids) copied += await to.write((writer) => copyScenario(reader, writer, id));
  return copied;
}

async function copyScenario(reader: Reader, writer: Writer, id: string): Promise<number> {
  const [brought, present] = [await versionsOf(reader, id), await versionsOf(writer, id)];
  const known = new Map(present.map((version) => [version.version, version]));
  for (const { version, demo } of brought) {
    if (demo === 0 && known.get(version)?.demo === 1) await update(writer, { id, version }, { demo: 0 });
  }
  const missing = brought.filter(({ version }) => !known.has(version));
  if (missing.length === 0) return 0;
  for (const { version } of missing) await insert(reader, writer, { id, version });
  if (present.length > 0) await putInOrder(writer, id, [...present, ...missing]);
  return missing.length;
}

/** Where both places have versions of one scenario, only their times tell which is the newest. */
async function putInOrder(writer: Writer, id: string, versions: readonly Version[]): Promise<void> {
  const ordered = versions.toSorted((left, right) => left.created_at - right.created_at || left.number - right.number);
  for (const [index, { version }] of ordered.entries()) {
    await update(writer, { id, version }, { number: index + 1, newest: index === ordered.length - 1 ? 1 : 0 });
  }
}

type Key = Pick<LibraryScenarioTable, "id" | "version">;

async function insert(reader: Reader, writer: Writer, { id, version }: Key): Promise<void> {
  const row = await reader
    .selectFrom("library_scenario")
    .where("id", "=", id)
    .where("version", "=", version)
    .selectAll()
    .executeTakeFirstOrThrow();
  await writer.insertInto("library_scenario").values(row).execute();
}

async function update(
  writer: Writer,
  { id, version }: Key,
  change: Partial<Pick<LibraryScenarioTable, "number" | "newest" | "demo">>,
): Promise<void> {
  await writer
    .updateTable("library_scenario")
    .where("id", "=", id)
    .where("version", "=", version)
    .set(change)
    .execute();
}

function versionsOf(reader: Reader, id: string): Promise<Version[]> {
  return reader
    .selectFrom("library_scenario")
    .where("id", "=", id)
    .select(["version", "number", "demo", "created_at"])
    .execute();
}
