import { isRecord, type JsonRecord } from "../../contract/json-record.ts";
import { below, givenBeside, nameOfRole, noteLeft, onlyText, type ItemContext } from "../peer-item.ts";
import { recordField, scalarText } from "../records.ts";

/** A row whose history is as promptflow keeps it, a list of calls with their inputs and outputs, with messages in its place. */
export function withFlowHistory(cells: JsonRecord, context: ItemContext): JsonRecord {
  const name = Object.keys(cells).find((key) => isFlowHistory(cells[key]));
  if (name === undefined) return cells;
  const calls = cells[name] as readonly unknown[];
  return { ...cells, [name]: calls.flatMap((call, index) => toMessages(call, below(context, name, index))) };
}

/** True for such a list of calls. */
export const isFlowHistory = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every((call) => saidIn(call) !== undefined);

function toMessages(call: unknown, context: ItemContext): object[] {
  const said = saidIn(call);
  if (!said) return [];
  noteLeft(givenBeside(said.inputs, [said.asked, "chat_history"]), below(context, "inputs"));
  noteLeft(givenBeside(said.outputs, [said.answered]), below(context, "outputs"));
  return [
    { role: "user", content: said.inputs[said.asked] },
    { role: "assistant", content: said.outputs[said.answered] },
  ];
}

interface Said {
  readonly inputs: JsonRecord;
  readonly outputs: JsonRecord;
  /** The names of the texts among them. */
  readonly asked: string;
  readonly answered: string;
}

function saidIn(call: unknown): Said | undefined {
  const [inputs, outputs] = [recordField(call, "inputs"), recordField(call, "outputs")];
  if (!isRecord(inputs) || !isRecord(outputs)) return undefined;
  const asked = nameOfRole(inputs, "user", {}) ?? onlyText(inputs);
  const answered = nameOfRole(outputs, "reference", {}) ?? onlyText(outputs);
  if (asked === undefined || answered === undefined) return undefined;
  const areTexts = [inputs[asked], outputs[answered]].every((value) => scalarText(value) !== undefined);
  return areTexts ? { inputs, outputs, asked, answered } : undefined;
}
