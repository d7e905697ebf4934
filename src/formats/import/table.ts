import type { JsonRecord } from "../../base/json.ts";
import type { Place } from "../scenario-file.ts";

export interface Row {
  readonly place: Place;
  readonly cells: JsonRecord;
}

export interface Table {
  readonly names: readonly string[];
  readonly rows: readonly Row[];
}
