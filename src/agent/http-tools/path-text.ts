import { isRecord } from "../../base/json.ts";

/** How a value is written into a path, in the words of OpenAPI. `explode`: each part of a list or object by itself. */
export interface PathStyle {
  readonly style: "simple" | "label" | "matrix";
  readonly explode: boolean;
}

export const plainPath: PathStyle = { style: "simple", explode: false };

/** The value as text, encoded; null when it is empty or has parts that cannot be written. */
export function toPathText(name: string, value: unknown, { style, explode }: PathStyle): string | null {
  const pairs = isRecord(value) ? Object.entries(value) : null;
  const parts = pairs ? pairs.flat() : [value].flat();
  if (parts.length === 0 || !parts.every(isFilled)) return null;
  const texts = pairs && explode ? pairs.map((pair) => pair.map(encode).join("=")) : parts.map(encode);
  if (style === "simple") return texts.join(",");
  if (style === "label") return `.${texts.join(explode ? "." : ",")}`;
  if (!explode) return `;${encode(name)}=${texts.join(",")}`;
  return texts.map((text) => (pairs ? `;${text}` : `;${encode(name)}=${text}`)).join("");
}

const isFilled = (value: unknown) => ["string", "number", "boolean"].includes(typeof value) && value !== "";

const encode = (value: unknown): string => encodeURIComponent(String(value).toWellFormed());
