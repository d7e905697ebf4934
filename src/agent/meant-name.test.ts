import { expect, test } from "vitest";
import { toMeantName } from "./meant-name.ts";

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
])("%j means %s", (name, tool) => {
  expect(toMeantName(name, isTool)).toBe(tool);
});

test.each(["", " ", "functions.", "<|channel|>commentary", "Weather", "my.weather", "weather.now", "functions.rain"])(
  "%j means no tool, and stays as it is",
  (name) => {
    expect(toMeantName(name, isTool)).toBe(name);
  },
);
