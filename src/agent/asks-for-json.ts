const jsonFormats = new Set<unknown>(["json_object", "json_schema"]);

/** Whether a format in OpenAI's words makes the reply JSON. */
export function asksForJson(format: unknown): boolean {
  return typeof format === "object" && format !== null && "type" in format && jsonFormats.has(format.type);
}
