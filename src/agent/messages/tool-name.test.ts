import { expect, test } from "vitest";
import { matchToolName } from "./tool-name.ts";

const tools = new Set(["weather", "crm_find-user", "functions_list", "tool"]);
const isTool = (name: string) => tools.has(name);

test.each([
  ["weather", "weather"],
  [" weather\n", "weather"],
  ["functions.weather", "weather"],
  ["functions.weather:0", "weather"],
  ["weather<|channel|>commentary", "weather"],
  ["functions.weather<|channel|>commentary json", "weather"],
  ["weather <|constrain|>json", "weather"],
  ["default_api.weather", "weather"],
  ["crm.find-user", "crm_find-user"],
  ["functions.list", "functions_list"],
])("matches %j to %s", (name, tool) => {
  expect(matchToolName(name, isTool)).toBe(tool);
});

test.each(["", " ", "functions.", "<|channel|>commentary", "Weather", "my.weather", "weather.now", "functions.rain"])(
  "%j means no tool, and stays as it is",
  (name) => {
    expect(matchToolName(name, isTool)).toBe(name);
  },
);
