/** A limit the operator may move. */
export interface NumberVariable {
  readonly name: string;
  readonly default: number;
  readonly minimum: number;
  readonly maximum: number;
  /** Whole numbers unless this says otherwise. */
  readonly fraction?: true;
  readonly meaning: string;
}
