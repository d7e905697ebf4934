import { compact } from "../../base/compact.ts";
import { createHash } from "node:crypto";
import { parse } from "yaml";
import { canonicalJson } from "../../base/json.ts";
import { World } from "../../contract/schemas/acting/world.ts";
import { errorLine } from "../../base/format.ts";
import type { FileScenario } from "../../formats/scenario-file.ts";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import { codeProblem, codeSettings } from "../../runs/user-code/check-code.ts";
import { ModuleError, withModuleTools } from "../../runs/user-code/world-modules.ts";
import type { Settings } from "../../settings.ts";
import { CliError } from "../terminal/cli-error.ts";
import { readTextFile } from "../terminal/files.ts";
import type { SourceOptions } from "../options/shared-options.ts";
import { createUserCode, explainModuleError } from "../composition/user-code.ts";
import { loadSettings, unreachable } from "../config/load-settings.ts";
import { serverFromEnvironment, unrestricted } from "../sources/open-source.ts";
import type { EvalSettings } from "./eval-settings.ts";

interface LoadedScenarios {
  readonly settings: EvalSettings;
  readonly scenarios: readonly FileScenario[];
}

/** Problems of the modules and state files that scenarios and a configuration name, one line each. */
export async function findWorldProblems(worlds: readonly (World | undefined)[]): Promise<string[]> {
  const read = createStateReader();
  const states = worlds.map((world) => world && read(world));
  const unread = (await Promise.allSettled(states)).flatMap((state) =>
    state.status === "rejected" ? [(state.reason as Error).message] : [],
  );
  return [...new Set([...unread, ...(await findModuleProblems(worlds))])];
}

async function findModuleProblems(worlds: readonly (World | undefined)[]): Promise<string[]> {
  const paths = new Set(worlds.flatMap((world) => world?.module ?? []));
  if (paths.size === 0) return [];
  const { host, modules } = createUserCode(await ownSettings([]));
  await using _ = host;
  const problems: string[] = [];
  for (const path of paths) {
    await modules.load(path).catch((error: unknown) => {
      if (!(error instanceof ModuleError)) throw error;
      problems.push(error.message);
    });
  }
  return problems;
}

async function ownSettings(envFile: readonly string[]): Promise<Settings> {
  const { limits, overrides } = unrestricted;
  const { settings } = await loadSettings({ envFile, limits, overrides: { ...unreachable, ...overrides } });
  return settings;
}

/** Refuses checks whose code cannot be run here, before a run is made. */
export async function requireCode({ settings, scenarios }: LoadedScenarios, where: SourceOptions): Promise<void> {
  const owner = { settings: settings.config, scenarios: scenarios as readonly Scenario[] };
  if (codeSettings(owner).length === 0) return;
  if (isRemote(where)) {
    throw new CliError(
      "checks of these scenarios run code, which only this machine may run: leave out --server and REHEARSAL_SERVER",
    );
  }
  const problem = codeProblem(owner, (await ownSettings(where.envFile ?? [])).python);
  if (problem !== null) throw new CliError(problem);
}

/** Completes worlds by the state and the tools in their files. Refuses files that cannot be used before a run is made. */
export async function loadWorlds(given: LoadedScenarios, where: SourceOptions): Promise<LoadedScenarios> {
  const loaded = await eachWorld(given, createStateReader());
  return loadModules(isRemote(where) ? shareWorld(given, loaded) : loaded, where);
}

function isRemote({ server, dataDir }: SourceOptions): boolean {
  return (server ?? serverFromEnvironment(dataDir)) !== undefined;
}

type CompleteWorld = (world: World) => Promise<World>;

/** Puts the states of files in place of their names. Files with one content become one state, and equal worlds one world. */
function createStateReader(): CompleteWorld {
  const files = new Map<string, Promise<World["state"]>>();
  const contents = new Map<string, World["state"]>();
  const worlds = new Map<string, Promise<World>>();

  async function read({ state_file = "", ...rest }: World): Promise<World> {
    const state = files.get(state_file) ?? readStateFile(state_file, contents);
    files.set(state_file, state);
    return { ...rest, state: await state };
  }

  return async (world) => {
    const { state_file, state } = world;
    if (state_file === undefined) return world;
    if (state !== undefined) {
      throw new CliError(`a world has both state and state_file (${state_file}): keep one of them`);
    }
    const key = canonicalJson(world);
    const complete = worlds.get(key) ?? read(world);
    worlds.set(key, complete);
    return complete;
  };
}

/** A world that every scenario has is sent once, as that of the run. Only where its state comes from a file, since such states are large. */
function shareWorld(given: LoadedScenarios, loaded: LoadedScenarios): LoadedScenarios {
  const { scenarios, settings } = loaded;
  const [first, second] = scenarios;
  const isShared =
    settings.config.world === undefined &&
    first?.world !== undefined &&
    second !== undefined &&
    given.scenarios[0]?.world?.state_file !== undefined &&
    scenarios.every(({ world }) => world === first.world);
  if (!isShared) return loaded;
  return {
    scenarios: scenarios.map(({ world: _world, ...scenario }) => scenario),
    settings: { ...settings, config: { ...settings.config, world: first.world } },
  };
}

async function readStateFile(state_file: string, contents: Map<string, World["state"]>): Promise<World["state"]> {
  const text = await readTextFile(state_file, `state_file: ${state_file}`);
  const kind = /\.ya?ml$/i.test(state_file) ? "YAML" : "JSON";
  const content = `${kind} ${createHash("sha256").update(text).digest("hex")}`;
  try {
    const state = contents.get(content) ?? ((kind === "YAML" ? parse(text) : JSON.parse(text)) as World["state"]);
    contents.set(content, state);
    return state;
  } catch (cause) {
    throw new CliError(`state_file: ${state_file} is not valid ${kind}: ${errorLine(cause)}`, undefined, { cause });
  }
}

async function eachWorld(given: LoadedScenarios, complete: CompleteWorld): Promise<LoadedScenarios> {
  const { settings, scenarios } = given;
  const completed: FileScenario[] = [];
  for (const { world, ...scenario } of scenarios) {
    completed.push(compact({ ...scenario, world: world ? await complete(world) : undefined }));
  }
  const { world, ...config } = settings.config;
  const { variants } = settings;
  const tested: (typeof variants & {})["variants"][number][] = [];
  for (const variant of variants?.variants ?? [])
    tested.push(variant.world ? { ...variant, world: await complete(World.parse(variant.world)) } : variant);
  return {
    scenarios: completed,
    settings: {
      ...settings,
      config: compact({ ...config, world: world ? await complete(world) : undefined }),
      variants: variants && { ...variants, variants: tested },
    },
  };
}

async function loadModules(given: LoadedScenarios, where: SourceOptions): Promise<LoadedScenarios> {
  const { config, variants } = given.settings;
  const worlds = [
    config.world,
    ...(variants?.variants ?? []).map(({ world }) => world),
    ...given.scenarios.map(({ world }) => world),
  ];
  if (!worlds.some((world) => world?.module !== undefined)) return given;
  if (isRemote(where)) {
    throw new CliError(
      "a world of these scenarios names a module, which only this machine may run: leave out --server and REHEARSAL_SERVER",
    );
  }
  const code = createUserCode(await ownSettings(where.envFile ?? []));
  await using _ = code.host;
  return await eachWorld(given, async (world) => {
    if (world.module === undefined) return world;
    return withModuleTools(world, world.module, await code.modules.load(world.module).catch(explainModuleError));
  });
}
