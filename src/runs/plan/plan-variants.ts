import { compact } from "../../base/compact.ts";
import { createRandom, shuffle } from "../../base/random.ts";
import { redactEndpoint } from "../../base/secret.ts";
import { truncateText } from "../../base/text.ts";
import { ServiceError, type FieldError } from "../../contract/errors/errors.ts";
import {
  mostVariants,
  type EvaluationRequest,
  type Variant,
  type Variation,
} from "../../contract/schemas/evaluation-request.ts";
import type { World } from "../../contract/schemas/acting/world.ts";
import { invalidFieldsError, refuseInvalid } from "./fields-error.ts";
import type { PlanLimits } from "./limits.ts";
import type { PlanHelpers } from "./option-problems.ts";
import { newSeed } from "./plan-sequence.ts";
import { planRun, type RunPlan } from "./plan-run.ts";

/** What is planned for one request: a run, or one for each variant. */
export interface PlannedRuns {
  readonly runs: readonly PlannedVariant[];
  /** Null for a request without variants. */
  readonly experiment: {
    /** Id of the experiment that the variants join. */
    readonly joins: string | undefined;
    /** The index of the variant that the others are compared with. */
    readonly baseline: number;
  } | null;
  /** Which stored replies are used again. */
  readonly reuse: "experiment" | "all" | "none";
}

export interface PlannedVariant {
  /** "" without variants. */
  readonly name: string;
  /** With `vary`: the level of each setting. */
  readonly factors?: Readonly<Record<string, string>> | undefined;
  readonly plan: RunPlan;
}

/** Checks a request and returns the plan of each of its runs, as {@link planRun} does for one. */
export function planRuns(request: EvaluationRequest, limits: PlanLimits, helpers: PlanHelpers = {}): PlannedRuns {
  const { experiment: joins, reuse = false, fresh = false } = request;
  const reused = fresh ? "none" : reuse ? "all" : joins === undefined ? "none" : "experiment";
  const variants = expandVariants(request);
  if (variants.length === 0) {
    const message = "needs variants: they are what joins the experiment";
    if (joins !== undefined) refuseInvalid([{ pointer: "/experiment", code: "conflict", message }]);
    return { runs: [{ name: "", plan: planRun(request, limits, helpers) }], experiment: null, reuse: reused };
  }
  refuseInvalid(variantProblems(request, variants));
  const baseline = baselineOf(request, variants);
  const { attempts } = request;
  const seed = (typeof attempts === "object" ? attempts.seed : undefined) ?? newSeed();
  const asked =
    typeof attempts === "object" ? { ...attempts, seed, against: { variant: variants[baseline]?.name } } : attempts;
  const runs = variants.map((variant, index) => {
    const { name, factors } = variant;
    const plan = planVariant({ ...request, attempts: asked }, variant, { limits, helpers });
    const shuffled = plan.sequence ? plan.scenarios : shuffle(plan.scenarios, seed);
    const test_name = `${plan.test_name} (${name})`;
    return { name, factors, plan: { ...plan, test_name, scenarios: interleaved(shuffled, seed + 1 + index) } };
  });
  return { runs, experiment: { joins, baseline }, reuse: reused };
}

/** A variant with the place that it was written at. */
interface Expanded {
  readonly name: string;
  readonly factors?: Readonly<Record<string, string>> | undefined;
  readonly settings: Omit<Variant, "name">;
  /** The pointer of each setting. */
  readonly places: Readonly<Record<string, string>>;
}

/** The variants of a request: those that it lists, times every combination of `vary`. */
function expandVariants({ variants = [], vary }: Pick<EvaluationRequest, "variants" | "vary">): Expanded[] {
  let expanded: Expanded[] = variants.map(({ name, ...settings }, index) => ({
    name,
    settings: compact(settings),
    places: Object.fromEntries(Object.keys(settings).map((key) => [key, `/variants/${index}/${key}`])),
  }));
  const levels = Object.entries(vary ?? {}).flatMap(([setting, values]) =>
    values === undefined ? [] : [{ setting, values: levelsOf(setting, values) }],
  );
  if (expanded.length > 0 && levels.length > 0)
    expanded = expanded.map((one) => ({ ...one, factors: { variant: one.name } }));
  for (const { setting, values } of levels) {
    const before = expanded.length === 0 ? [{ name: "", settings: {}, places: {} }] : expanded;
    expanded = before.flatMap((one: Expanded) =>
      values.map(({ label, key, value }) => ({
        name: [one.name, label].filter((part) => part !== "").join(", "),
        factors: { ...one.factors, [setting]: label },
        settings: { ...one.settings, [setting]: value },
        places: { ...one.places, [setting]: `/vary/${setting}/${key}` },
      })),
    );
    // The product may be huge, and is refused.
    if (expanded.length > mostVariants) return expanded;
  }
  return expanded;
}

interface Level {
  readonly label: string;
  readonly key: string;
  readonly value: unknown;
}

const longestLabel = 40;

/** The levels of a setting with a label each: their name, else their short text, else their number. */
function levelsOf(setting: string, values: NonNullable<Variation[keyof Variation]>): Level[] {
  if (!Array.isArray(values))
    return Object.entries(values).map(([key, value]) => ({
      label: key,
      key: key.replaceAll("~", "~0").replaceAll("/", "~1"),
      value,
    }));
  // The query of an address may hold a key.
  const texts = values.map((value) =>
    labelOf(setting === "endpoint" && typeof value === "string" ? redactEndpoint(value) : value),
  );
  const isClear = new Set(texts).size === texts.length;
  return values.map((value, index) => ({
    label: isClear ? (texts[index] ?? "") : `${texts[index]} #${index + 1}`,
    key: String(index),
    value,
  }));
}

function labelOf(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return truncateText(text.replaceAll(/\s+/g, " ").trim() || "none", longestLabel);
}

function variantProblems(
  { attempts, vary, budget, test_batch }: EvaluationRequest,
  expanded: readonly Expanded[],
): FieldError[] {
  const problems: FieldError[] = [];
  const pointer = vary ? "/vary" : "/variants";
  if (expanded.length > mostVariants)
    return [{ pointer, code: "too_big", message: `makes more than ${mostVariants} variants` }];
  const names = expanded.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined)
    problems.push({ pointer, code: "duplicate", message: "makes two variants of one name", received: twice });
  if (typeof attempts === "object") {
    const { against = {} } = attempts;
    const other = Object.keys(against).find((key) => key !== "variant");
    if (other !== undefined)
      problems.push({
        pointer: `/attempts/against/${other}`,
        code: "conflict",
        message: "cannot be combined with variants: they are compared with each other",
      });
    else if (against.variant !== undefined && !names.includes(against.variant))
      problems.push({
        pointer: "/attempts/against/variant",
        code: "unknown",
        message: `must be one of the variants: ${truncateText(names.join(", "), 500)}`,
        received: against.variant,
      });
    if (expanded.length < 2)
      problems.push({ pointer, code: "too_small", message: "needs two variants to decide anything" });
  }
  if (budget?.calls !== undefined && budget.calls < expanded.length)
    problems.push({
      pointer: "/budget/calls",
      code: "too_small",
      message: `must be at least ${expanded.length}: every variant needs calls`,
    });
  return [...problems, ...variableProblems(expanded, [test_batch].flat())];
}

type BatchScenario = Exclude<EvaluationRequest["test_batch"], readonly unknown[]>;

const placeholder = /\{\{[ \t]{0,9}([\w.-]{1,100})[ \t]{0,9}\}\}/g;

/** A prompt that names a value which only some scenarios have would be sent with a hole in the others. */
function variableProblems(expanded: readonly Expanded[], batch: readonly BatchScenario[]): FieldError[] {
  const prompts = new Map(
    expanded.flatMap(({ settings, places }) =>
      settings.system_prompt === undefined ? [] : [[places["system_prompt"] ?? "", settings.system_prompt] as const],
    ),
  );
  return [...prompts].flatMap(([pointer, prompt]) => {
    const named = new Set([...prompt.matchAll(placeholder)].map(([, name = ""]) => name));
    return [...named].flatMap((name) => {
      const without = batch.find(({ metadata }) => valueOf(metadata, name) === undefined);
      const isNamed = batch.some(({ metadata }) => valueOf(metadata, name) !== undefined);
      if (!without || !isNamed) return [];
      const message = `names {{${name}}}, which the metadata of the scenario ${without.id} does not have`;
      return [{ pointer, code: "unknown", message, received: name }];
    });
  });
}

function valueOf(metadata: BatchScenario["metadata"], name: string): string | undefined {
  if (!metadata || !Object.hasOwn(metadata, name)) return undefined;
  const value = metadata[name];
  return typeof value === "string" ? value : JSON.stringify(value);
}

function baselineOf({ attempts }: EvaluationRequest, variants: readonly Expanded[]): number {
  const named = typeof attempts === "object" ? attempts.against?.variant : undefined;
  return named === undefined ? 0 : variants.findIndex(({ name }) => name === named);
}

/** Plans the run of one variant. Problems of its settings are told at the place where they stand. */
function planVariant(
  request: EvaluationRequest,
  { settings, places }: Expanded,
  { limits, helpers }: { limits: PlanLimits; helpers: PlanHelpers },
): RunPlan {
  const { tools, world, system_prompt, ...replaced } = settings;
  const { variants: _variants, vary: _vary, experiment: _experiment, ...shared } = request;
  const batch = [request.test_batch].flat();
  const own = {
    ...shared,
    ...compact(replaced),
    ...(system_prompt !== undefined && { system_prompt }),
    ...compact({ world: withTools(world ?? shared.world, tools) }),
    test_batch: batch.map((scenario) => withSettings(scenario, { tools, world, system_prompt })),
  };
  try {
    return planRun(own, limits, helpers);
  } catch (error) {
    if (!(error instanceof ServiceError) || !error.errors?.length) throw error;
    throw invalidFieldsError(error.errors.map((problem) => ({ ...problem, pointer: placed(problem.pointer, places) })));
  }
}

function placed(pointer: string, places: Readonly<Record<string, string>>): string {
  const [, field = ""] = pointer.split("/");
  const place = places[field];
  return place === undefined ? pointer : place + pointer.slice(field.length + 1);
}

/** A scenario as a variant has it: its prompt, its world and its tools replace those of the scenario. */
function withSettings(
  scenario: BatchScenario,
  { tools, world, system_prompt }: Pick<Variant, "tools" | "world" | "system_prompt">,
): BatchScenario {
  const { system_prompt: _prompt, world: ownWorld, ...rest } = scenario;
  const prompt = system_prompt === undefined ? scenario.system_prompt : filled(system_prompt, scenario);
  return compact({
    ...rest,
    system_prompt: prompt,
    world: world === undefined ? withTools(ownWorld, tools) : undefined,
  });
}

/** The prompt with the values of the scenario; undefined when it is that of every scenario. */
function filled(prompt: string, { metadata }: BatchScenario): string | undefined {
  const text = prompt.replaceAll(placeholder, (whole, name: string) => valueOf(metadata, name) ?? whole);
  return text === prompt ? undefined : text;
}

function withTools(world: World | undefined, tools: readonly string[] | undefined): World | undefined {
  if (!world || !tools) return world;
  return { ...world, tools: world.tools.filter(({ name }) => tools.includes(name)) };
}

/** Scenarios that stay together, so that all variants are at the same place at the same time. */
const blockSize = 8;

/** The shared order, with its own order within each block: no variant is always the first to be asked. */
function interleaved<Item>(items: readonly Item[], seed: number): Item[] {
  const random = createRandom(seed);
  const blocks = Array.from({ length: Math.ceil(items.length / blockSize) }, (_, index) =>
    items.slice(index * blockSize, (index + 1) * blockSize),
  );
  return blocks.flatMap((block) => shuffle(block, Math.floor(random() * 2 ** 31)));
}
