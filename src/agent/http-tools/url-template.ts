import { isRecord } from "../../base/json.ts";
import { ConfigError } from "../tools/operator-config.ts";
import { ToolError, type ToolArguments } from "../tools/tool.ts";

interface UrlTemplate {
  readonly parameters: readonly string[];
  /** The URL with the arguments in its path. Throws a `ToolError` when they would change other parts of it. */
  fill(args: ToolArguments): URL;
}

/** The name of a path parameter on the wire, and how its value is written. */
export interface TemplateParameter {
  readonly name: string;
  readonly style: PathStyle;
}

/** Parses a URL with `{parameters}` in its path. Host, port and query cannot have any. */
export function parseUrlTemplate(
  template: string,
  what: string,
  described: ReadonlyMap<string, TemplateParameter> = new Map(),
): UrlTemplate {
  const names = [...template.matchAll(/\{([^{}]*)\}/g)].map((match) => match[1] ?? "");
  let count = 0;
  const url = URL.parse(template.replaceAll(/\{[^{}]*\}/g, () => `--parameter-${count++}--`));
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new ConfigError(`${what} needs a full URL that begins with https:// or http://.`);
  }
  if (url.username || url.password) throw new ConfigError(`${what} has a password in its URL: use a header instead.`);
  url.hash = "";
  const parts = url.pathname.split(/--parameter-\d+--/);
  if (parts.length !== names.length + 1)
    throw new ConfigError(`${what} can have {parameters} only in the path of its URL.`);

  const encode = (parameter: string, args: ToolArguments): string => {
    const { name, style } = described.get(parameter) ?? { name: parameter, style: plainPath };
    const text = toPathText(name, Object.hasOwn(args, parameter) ? args[parameter] : undefined, style);
    if (text !== null) return text;
    throw new ToolError(`The argument "${parameter}" must be a text or a number that is not empty.`);
  };

  return {
    parameters: [...new Set(names)],
    fill: (args) => {
      const path = parts.reduce((before, part, index) => `${before}${encode(names[index - 1] ?? "", args)}${part}`);
      const filled = URL.parse(`${url.origin}${path}${url.search}`);
      // Encoding keeps dots: "..", in one argument or joined from several, would climb out of the path.
      if (!filled || filled.pathname !== path || filled.origin !== url.origin) {
        throw new ToolError(`The arguments ${names.join(", ")} do not make a valid URL.`);
      }
      return filled;
    },
  };
}

/** How a value is written into a path, as OpenAPI defines it. `explode`: each part of a list or object separately. */
export interface PathStyle {
  readonly style: "simple" | "label" | "matrix";
  readonly explode: boolean;
}

const plainPath: PathStyle = { style: "simple", explode: false };

/** The encoded value; null when it is empty or has parts that cannot be written. */
function toPathText(name: string, value: unknown, { style, explode }: PathStyle): string | null {
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
