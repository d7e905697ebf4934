import { basename, extname, resolve } from "node:path";
import { compact } from "../../base/compact.ts";
import { closestName } from "../../base/text.ts";
import type { EvaluationInput } from "../../client/evaluation-client.ts";
import type { LocalTarget } from "../../contract/schemas/acting/target.ts";
import type { Config } from "../config/config.ts";
import { findTarget } from "../config/find-target.ts";
import { withWorldPaths } from "../config/load-config.ts";
import { requireEndpoint } from "../options/addresses.ts";
import { CliError } from "../terminal/cli-error.ts";
import { readTextFile } from "../terminal/files.ts";

type ConfigVariant = NonNullable<Config["variants"]>[string];
type RequestVariant = NonNullable<EvaluationInput["variants"]>[number];
type RequestVariation = NonNullable<EvaluationInput["vary"]>;

/** The variants of a command, as a request has them. `agent` in an endpoint is Rehearsal's own, whose address is not known yet. */
export interface Variants {
  readonly variants: readonly RequestVariant[];
  readonly vary: RequestVariation | undefined;
  /** The models that variants name. */
  readonly models: readonly string[];
  /** Agents on this machine that variants start. */
  readonly local: readonly LocalTarget[];
  /** True when a variant needs no model of the command. */
  readonly namesModels: boolean;
  /** The number of runs. */
  readonly count: number;
}

/** `--variant`, and `variants` and `vary` of the configuration. Null when there are none. */
export async function readVariants(
  typed: readonly string[] = [],
  {
    config,
    folder,
    models: given,
  }: { readonly config: Config; readonly folder: string; readonly models: readonly string[] },
): Promise<Variants | null> {
  const hasModel = given.length > 0;
  const named = mergeTyped(config.variants ?? {}, typed.map(parseVariant));
  const variants: RequestVariant[] = [];
  for (const [name, { given, from }] of Object.entries(named))
    variants.push(
      await toRequestVariant(name, given, {
        config,
        hasModel,
        folder: from === "option" ? process.cwd() : folder,
        place: placeOf(name, from),
      }),
    );
  const vary = config.vary && (await toVariation(config.vary, { config, folder }));
  const levels = Object.values(vary ?? {}).map((values) => Object.values(values as object));
  if (variants.length === 0 && levels.length === 0) return null;
  const endpoints = [...variants.map(({ endpoint }) => endpoint), ...Object.values(vary?.endpoint ?? {})];
  const models = [...variants.flatMap(({ model_id }) => model_id ?? []), ...Object.values(vary?.model_id ?? {})];
  return {
    variants,
    vary,
    models: [...new Set(models)],
    local: endpoints.filter(isLocalEndpoint),
    namesModels:
      vary?.model_id !== undefined ||
      (config.vary?.target !== undefined && !hasModel) ||
      (variants.length > 0 && variants.every(({ model_id }) => model_id !== undefined)),
    count: Math.max(1, variants.length) * levels.reduce((product, values) => product * values.length, 1),
  };
}

const isLocalEndpoint = (endpoint: RequestVariant["endpoint"]): endpoint is LocalTarget =>
  typeof endpoint === "object" && ("module" in endpoint || "command" in endpoint);

interface NamedVariant {
  readonly given: ConfigVariant;
  readonly from: "option" | "key";
}

const placeOf = (name: string, from: NamedVariant["from"]): string =>
  from === "option" ? `--variant ${name}` : `variants.${name}`;

/** Options add to a variant of the configuration, and outrank its keys. */
function mergeTyped(
  configured: NonNullable<Config["variants"]>,
  typed: readonly { readonly name: string; readonly given: ConfigVariant }[],
): Record<string, NamedVariant> {
  const merged: Record<string, NamedVariant> = Object.fromEntries(
    Object.entries(configured).map(([name, given]) => [name, { given, from: "key" }]),
  );
  for (const { name, given } of typed) {
    const before: ConfigVariant = merged[name]?.given ?? {};
    const parameters = given.parameters && { ...before.parameters, ...given.parameters };
    merged[name] = {
      given: { ...before, ...given, ...(parameters && { parameters }) },
      from: merged[name]?.from ?? "option",
    };
  }
  return merged;
}

const form = "--variant is NAME:KEY=VALUE, such as short:system=@short.txt or new:model=gpt-5.2";
const texts = ["model", "system", "endpoint", "target", "protocol", "tool_support"] as const;
const numbers = ["temperature", "top_p", "max_tokens", "seed"] as const;
const keys = [...texts, "tools", ...numbers, "parameters"];

/** `name:key=value`, or a name alone for a variant with the settings of the command. */
function parseVariant(text: string): { readonly name: string; readonly given: ConfigVariant } {
  const {
    name = "",
    key = "",
    value = "",
  } = /^(?<name>[^:=]{1,100})(?::(?<key>[a-z_]{1,30})=(?<value>.*))?$/s.exec(text)?.groups ?? {};
  if (name.trim() === "") throw new CliError(`${form}, not "${text}"`);
  if (key === "") return { name: name.trim(), given: {} };
  return { name: name.trim(), given: settingOf(key, value) };
}

function settingOf(key: string, value: string): ConfigVariant {
  if (value === "" && key !== "system" && key !== "tools")
    throw new CliError(`--variant: ${key} has no value (${form})`);
  if (key === "system" || key === "system_prompt")
    return value.startsWith("@") ? { system_prompt_file: value.slice(1) } : { system_prompt: value };
  if (key === "tools") return { tools: value.split(",").filter((name) => name !== "") };
  if (texts.some((name) => name === key)) return { [key]: value } as ConfigVariant;
  if (numbers.some((name) => name === key)) {
    const number = Number(value);
    if (!Number.isFinite(number)) throw new CliError(`--variant: ${key} must be a number, not "${value}"`);
    return { parameters: { [key]: number } };
  }
  if (key === "parameters") {
    try {
      return { parameters: JSON.parse(value) as NonNullable<ConfigVariant["parameters"]> };
    } catch {
      throw new CliError(`--variant: parameters must be JSON, such as '{"temperature": 0}'`);
    }
  }
  const nearest = closestName(key, keys);
  const hint = nearest === undefined ? `there are ${keys.join(", ")}` : `did you mean ${nearest}?`;
  throw new CliError(`--variant: there is no key "${key}": ${hint}`);
}

interface Where {
  readonly config: Config;
  /** The folder that files are relative to. */
  readonly folder: string;
  /** The option or key, used in errors. */
  readonly place: string;
  /** True when the command names a model for variants that name none. */
  readonly hasModel: boolean;
}

async function toRequestVariant(name: string, given: ConfigVariant, where: Where): Promise<RequestVariant> {
  const { model, system_prompt, system_prompt_file: file, endpoint, target, world, ...rest } = given;
  const { folder, place } = where;
  if (system_prompt !== undefined && file !== undefined)
    throw new CliError(`${place} has both a system prompt and a file with one: keep one`);
  if (endpoint !== undefined && target !== undefined)
    throw new CliError(`${place} has both endpoint and target: keep one`);
  if (endpoint !== undefined) requireEndpoint(endpoint);
  return compact({
    name,
    ...rest,
    // An agent chooses its models itself; the run is then named after the target.
    model_id: model ?? (where.hasModel || target === undefined ? undefined : basename(target, extname(target))),
    system_prompt: file === undefined ? system_prompt : await readTextFile(resolve(folder, file), `${place}: ${file}`),
    endpoint: target === undefined ? endpoint : targetOf(target, where),
    world: world && withWorldPaths(world, (named) => resolve(folder, named)),
  });
}

const targetOf = (name: string, { config }: Pick<Where, "config">) =>
  findTarget({ target: name }, config)?.target as Exclude<RequestVariant["endpoint"], string | undefined>;

async function toVariation(
  { model, system_prompt_file: files, system_prompt: prompts, target: targets, ...rest }: NonNullable<Config["vary"]>,
  where: Pick<Where, "config" | "folder">,
): Promise<RequestVariation> {
  if (files && prompts) throw new CliError("vary has both system_prompt and system_prompt_file: keep one");
  if (targets && rest.endpoint) throw new CliError("vary has both endpoint and target: keep one");
  const read =
    files &&
    (await Promise.all(
      namedLevels(files, (file) => basename(file, extname(file))).map(
        async ([name, file]) =>
          [name, await readTextFile(resolve(where.folder, file), `vary.system_prompt_file: ${file}`)] as const,
      ),
    ));
  const named =
    targets && namedLevels(targets, (name) => name).map(([name, target]) => [name, targetOf(target, where)] as const);
  return compact({
    ...rest,
    model_id: model,
    system_prompt: read ? Object.fromEntries(read) : prompts,
    endpoint: named ? Object.fromEntries(named) : rest.endpoint,
  });
}

function namedLevels(
  values: readonly string[] | Readonly<Record<string, string>>,
  nameOf: (value: string) => string,
): (readonly [string, string])[] {
  const levels = Array.isArray(values)
    ? (values as readonly string[]).map((value) => [nameOf(value), value] as const)
    : Object.entries(values as Readonly<Record<string, string>>);
  const twice = levels.find(([name], index) => levels.findIndex(([other]) => other === name) < index);
  if (twice)
    throw new CliError(`vary has two levels named ${twice[0]}: give each a name, as in { short: ${twice[1]} }`);
  return levels;
}
