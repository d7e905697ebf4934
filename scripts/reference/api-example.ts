/** A command that uses a route. `$name` in it is filled from the answer of an earlier one. */
export interface ApiExample {
  readonly command: string;
  readonly status: number;
  /** The value that later examples take from the answer: a field of its JSON, or a header. */
  readonly keep?:
    | { readonly name: string; readonly field: string }
    | { readonly name: string; readonly header: string };
}

/** By operation id, in the order in which they can be run. */
export type ApiExamples = Readonly<Record<string, ApiExample>>;
