import type { JsonRecord } from "../base/json.ts";
import type { Check, Place } from "./scenario-file.ts";

export type CheckDraft = Omit<Check, "scenario_id" | "interaction_id">;

/** One turn as an importer found it; the collector gives it its id and checks it. */
export interface TurnDraft {
  readonly user: string;
  readonly id?: unknown;
  readonly reference?: string | undefined;
  readonly references?: readonly string[] | undefined;
  /** What a model once answered, where the file is the record of a run. */
  readonly reply?: string | undefined;
  readonly type?: string | undefined;
  readonly labels?: JsonRecord | undefined;
  readonly generated?: JsonRecord | undefined;
  /** What the reply is checked for, in the contract's form. */
  readonly checks?: readonly unknown[] | undefined;
  /** What it was judged by elsewhere and is not checked for here. */
  readonly unchecked?: readonly CheckDraft[];
}

export interface ScenarioDraft {
  readonly place: Place;
  readonly turns: readonly TurnDraft[];
  readonly id?: unknown;
  readonly description?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly system?: string | undefined;
}
