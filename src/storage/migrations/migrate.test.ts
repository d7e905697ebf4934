import { DatabaseSync } from "node:sqlite";
import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { openSqlite } from "../drivers/open-sqlite.ts";
import { refusalOf, stepNames } from "./migrate.ts";

const schemas = new URL("schemas/", import.meta.url);
const newest = stepNames.at(-1)!;

test("a store of this version, and of a newer version that this one can share it with, is accepted", () => {
  const number = newest.slice(0, 4);
  expect(refusalOf([])).toBeNull();
  expect(refusalOf(stepNames)).toBeNull();
  expect(refusalOf([...stepNames, `9998-v9.8.0-compatible-${number}`])).toBeNull();
});

test("other stores are refused", () => {
  expect(refusalOf(["0001-runs", "0002-library"])).toMatch(/before 0\.2\.0.*rehearsal report <run> -o/);
  expect(refusalOf([...stepNames, "9998-v9.8.0-compatible-9997"])).toMatch(/newer version.*9998-v9\.8\.0/);
  expect(refusalOf([...stepNames, "9999-v10.0.0"])).toMatch(/newer version.*9999-v10\.0\.0/);
});

test("every step after the first one says which version can share a store with it", () => {
  const unmarked = stepNames.slice(1).filter((name, index) => {
    const previous = stepNames[index]!.slice(0, 4);
    return !new RegExp(`^\\d{4}-v\\d+\\.\\d+\\.0-compatible-${previous}$`).test(name);
  });
  expect(unmarked).toEqual([]);
});

test("the schema is the one recorded for the newest step", async () => {
  await expect(await describeSchema()).toMatchFileSnapshot(`schemas/${newest}.txt`);
});

/** The reads and writes of the version before keep working: it names its columns and knows nothing of newer ones. */
test("a step takes nothing away, and what it adds to a table needs no value", async () => {
  expect((await readdir(schemas)).toSorted()).toEqual(stepNames.map((name) => `${name}.txt`));
  const linesOf = async (name: string) => (await readFile(new URL(`${name}.txt`, schemas), "utf8")).split("\n");
  for (const [index, name] of stepNames.slice(1).entries()) {
    const [before, after] = [await linesOf(stepNames[index]!), await linesOf(name)];
    expect(after).toEqual(expect.arrayContaining(before));
    const tables = new Set(before.map(tableOf));
    const added = after.filter((line) => !before.includes(line) && tables.has(tableOf(line)));
    expect(added.filter((line) => /unique|primary key| references /.test(line))).toEqual([]);
    expect(added.filter((line) => line.includes(" not null") && !line.includes(" default "))).toEqual([]);
  }
});

const tableOf = (line: string): string => line.split(/[ .]/, 1)[0]!;

/** A line for each column and index: `table.column type …`, `table index …`. */
async function describeSchema(): Promise<string> {
  await using folder = await temporaryFolder();
  const file = folder.file("rehearsal.db");
  await (await openSqlite({ file })).close();
  const database = new DatabaseSync(file, { readOnly: true });
  const columns = database
    .prepare(
      `select m.name || '.' || c.name || ' ' || c.type || iif(c."notnull", ' not null', '')
        || iif(c.dflt_value is null, '', ' default ' || c.dflt_value) || iif(c.pk, ' primary key ' || c.pk, '')
        || coalesce((select ' references ' || f."table" || '.' || f."to" || ' on delete ' || f.on_delete
          from pragma_foreign_key_list(m.name) f where f."from" = c.name), '') as line
      from sqlite_master m join pragma_table_info(m.name) c where m.type = 'table'`,
    )
    .all();
  const indexes = database
    .prepare(
      `select m.name || iif(i."unique", ' unique', '') || ' index on ' ||
        (select group_concat(name, ', ' order by seqno) from pragma_index_info(i.name))
        || coalesce(substr(s.sql, nullif(instr(s.sql, ' where '), 0)), '') as line
      from sqlite_master m join pragma_index_list(m.name) i left join sqlite_master s on s.name = i.name
      where m.type = 'table'`,
    )
    .all();
  database.close();
  const lines = [...columns, ...indexes].map(({ line }) => String(line)).toSorted();
  return `${lines.filter((line) => !line.startsWith("kysely_") && !line.startsWith("sqlite_")).join("\n")}\n`;
}
