import type { JsonValue } from "./schema-values.ts";

/** Whatever was generated, calls go to the fake provider only, and few of them. What may run should get to run. */
export function tameFor(endpoint: string): (value: JsonValue) => JsonValue {
  return (value) => {
    if (!isObject(value)) return value;
    const body = { ...value };
    if (typeof body["endpoint"] === "string") body["endpoint"] = endpoint;
    if (typeof body["attempts"] === "number" && body["attempts"] > 1 && body["attempts"] <= 100) body["attempts"] = 2;
    if (isObject(body["test_batch"])) body["test_batch"] = withOwnIds(body["test_batch"]);
    if (isName(body["model"])) body["model"] = "hub/model";
    for (const name of ["judge", "labeller"]) {
      const helper = body[name];
      if (isObject(helper)) body[name] = tameHelper(helper, endpoint);
    }
    return body;
  };
}

function tameHelper(helper: Record<string, JsonValue>, endpoint: string): Record<string, JsonValue> {
  return {
    ...helper,
    ...(typeof helper["endpoint"] === "string" && { endpoint }),
    ...(typeof helper["votes"] === "number" && helper["votes"] > 2 && { votes: 2 }),
  };
}

function withOwnIds(batch: Record<string, JsonValue>): Record<string, JsonValue> {
  const { interactions } = batch;
  if (!Array.isArray(interactions)) return batch;
  const numbered = interactions.map((item, index) =>
    isObject(item) && typeof item["id"] === "string" && item["id"].length < 20 ? { ...item, id: `${index}` } : item,
  );
  return { ...batch, interactions: numbered };
}

/** A generated name, not one of the odd values that stand for an attack. */
function isName(value: JsonValue | undefined): boolean {
  return typeof value === "string" && /^[\x21-\x7e]{1,20}$/.test(value) && !value.includes("/");
}

function isObject(value: JsonValue | undefined): value is Record<string, JsonValue> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
