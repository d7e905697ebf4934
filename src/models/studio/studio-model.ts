/** One fine-tuned model: the name people see and the UUID that selects it. */
export interface StudioModel {
  readonly name: string;
  readonly id: string;
  /** Where this model is served, when that is not STUDIO_BASE_URL. */
  readonly base_url?: string | undefined;
  /** What its server calls it, when that is not the UUID. */
  readonly model?: string | undefined;
}

/** Where the list of fine-tuned models comes from: a provider's model list, a models file, the demo. */
export interface StudioSource {
  list(signal: AbortSignal): Promise<readonly StudioModel[]>;
}
