import type { ColumnMapping } from "../column-mapping.ts";
import { sameName, scalarText } from "../records.ts";
import type { Table } from "./table.ts";

/**
 * Datasets in the manner of Alpaca split what the user says into an `instruction` and the `input` it is about, which is often empty.
 * Both together are the user's message.
 */
export function joinInstructions(table: Table, mapping: ColumnMapping): Table {
  const find = (wanted: string): string | undefined => table.names.find((name) => sameName(name) === wanted);
  const [instruction, input] = [find("instruction"), find("input")];
  const isNamed = mapping.user !== undefined || find("usermessage") !== undefined;
  if (isNamed || instruction === undefined || input === undefined || mapping.labels?.includes(input)) return table;
  const rows = table.rows.map(({ place, cells: { [input]: about, ...cells } }) => {
    const said = [cells[instruction], about].map((cell) => scalarText(cell) ?? "").filter((text) => text.trim() !== "");
    return { place, cells: { ...cells, [instruction]: said.join("\n\n") } };
  });
  return { names: table.names.filter((name) => name !== input), rows };
}
