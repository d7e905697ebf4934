import type { OpenAiModel } from "../../src/contract/schemas/models.ts";

export interface KnownModel {
  readonly id: string;
  readonly name: string;
}

export interface ModelGroup {
  readonly title: string;
  readonly models: readonly KnownModel[];
}

const titles: Readonly<Record<string, string>> = { "fine-tuned": "Fine-tuned", hub: "Hub", alias: "Aliases" };

/** Models by where they come from, each once. Fine-tuned ones are known by name in both lists. */
export function groupModels(studio: Readonly<Record<string, string>>, listed: readonly OpenAiModel[]): ModelGroup[] {
  const groups = new Map<string, Map<string, string>>();
  const add = (owner: string, id: string, name: string): void => {
    const title = titles[owner] ?? owner;
    const models = groups.get(title) ?? new Map<string, string>();
    if (!models.has(id)) models.set(id, name);
    groups.set(title, models);
  };
  for (const [name, id] of Object.entries(studio)) add("fine-tuned", id, name);
  for (const model of listed) add(model.owned_by, model.id, model.name ?? model.id);
  return [...groups].map(([title, models]) => ({ title, models: [...models].map(([id, name]) => ({ id, name })) }));
}

/** Those with a text in their name or id; groups without any are left out. */
export function findModels(groups: readonly ModelGroup[], text: string): ModelGroup[] {
  const searched = text.trim().toLowerCase();
  const found = groups.map(({ title, models }) => ({
    title,
    models: models.filter(({ id, name }) => `${name}\n${id}`.toLowerCase().includes(searched)),
  }));
  return found.filter(({ models }) => models.length > 0);
}
