import type { JsonRecord } from "../../contract/json-record.ts";
import type { Place } from "../scenario-file.ts";

export interface Row {
  readonly place: Place;
  readonly cells: JsonRecord;
}

export interface Table {
  readonly names: readonly string[];
  readonly rows: readonly Row[];
}
