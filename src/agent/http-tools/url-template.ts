import { ConfigError } from "../config-error.ts";
import { ToolError, type ToolArguments } from "../tool.ts";
import { plainPath, toPathText, type PathStyle } from "./path-text.ts";

interface UrlTemplate {
  readonly parameters: readonly string[];
  /** The address with the arguments in its path. Throws a `ToolError` when they would lead somewhere else. */
  fill(args: ToolArguments): URL;
}

/** A parameter of the path that goes by another name on the wire, or is written in another way. */
export interface PathParameter {
  readonly name: string;
  readonly style: PathStyle;
}

/** Reads an address with `{parameters}` in its path. Only the path can vary: never the host, the port or the query. */
export function parseUrlTemplate(
  template: string,
  what: string,
  described: ReadonlyMap<string, PathParameter> = new Map(),
): UrlTemplate {
  const names = [...template.matchAll(/\{([^{}]*)\}/g)].map((match) => match[1] ?? "");
  const stand = (index: number) => `--parameter-${index}--`;
  let count = 0;
  const url = URL.parse(template.replaceAll(/\{[^{}]*\}/g, () => stand(count++)));
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new ConfigError(`${what} needs a full address that begins with https:// or http://.`);
  }
  if (url.username || url.password) throw new ConfigError(`${what} has a password in its address: use a header.`);
  url.hash = "";
  const parts = url.pathname.split(/--parameter-\d+--/);
  if (parts.length !== names.length + 1)
    throw new ConfigError(`${what} can have {parameters} only in the path of its address.`);

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
      // Encoding leaves dots alone: "..", on its own or put together, would climb out of the path.
      if (!filled || filled.pathname !== path || filled.origin !== url.origin) {
        throw new ToolError(`The arguments ${names.join(", ")} do not make a valid address.`);
      }
      return filled;
    },
  };
}
