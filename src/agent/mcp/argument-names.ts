import { isRecord, type JsonRecord } from "../../base/json.ts";
import { toArgumentName } from "../argument-name.ts";
import type { ToolArguments } from "../tool.ts";

interface NamedArguments {
  /** For the model. */
  readonly schema: JsonRecord;
  /** The arguments by the names that the server gave them. */
  toServer(args: ToolArguments): ToolArguments;
}

/** The arguments of a server's tool by names that every provider takes: Anthropic refuses all tools for one that has a `$top`. */
export function nameArguments(schema: JsonRecord): NamedArguments {
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const told = chooseNames(Object.keys(properties));
  if ([...told].every(([name, other]) => name === other)) return { schema, toServer: (args) => args };
  const toTold = (name: string) => told.get(name) ?? name;
  const given = new Map([...told].map(([name, other]) => [other, name]));
  const { required } = schema;
  return {
    schema: {
      ...schema,
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [toTold(name), describe(name, property, toTold(name))]),
      ),
      ...(Array.isArray(required) && { required: required.map(String).map(toTold) }),
    },
    toServer: (args) =>
      Object.fromEntries(Object.entries(args).map(([name, value]) => [given.get(name) ?? name, value])),
  };
}

/** The server's name of each → the model's. */
function chooseNames(names: readonly string[]): ReadonlyMap<string, string> {
  const taken = new Set(names);
  return new Map(
    names.map((name) => {
      let free = toArgumentName(name);
      while (free !== name && taken.has(free)) free += "_";
      taken.add(free);
      return [name, free];
    }),
  );
}

function describe(name: string, property: unknown, told: string): unknown {
  return told !== name && isRecord(property) ? { description: name, ...property } : property;
}
