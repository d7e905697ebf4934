import { expect, test } from "vitest";
import { History } from "../../contract/schemas/evaluation-request.ts";
import { Command, type Option } from "commander";
import { historyChoices } from "./choices.ts";
import { ignoredOnResume, repeatedWords, resumeWords, withEvalOptions, type EvalOptions } from "./eval-options.ts";

test("offers exactly the histories of the contract", () => {
  expect(historyChoices).toEqual(History.options);
});

const command = withEvalOptions(new Command(), "").exitOverride();
/** Every option once; those that exclude each other are tried apart. */
const options = command.options.filter(({ description }) => description !== "");

/** Typed, parsed, suggested again, and parsed once more. */
function parse(words: readonly string[]): EvalOptions {
  return withEvalOptions(new Command(), "")
    .exitOverride()
    .parse(words, { from: "user" })
    .opts<EvalOptions & Record<string, unknown>>();
}

const valueOf = ({ argChoices, flags }: Option): string =>
  argChoices?.[0] ?? (/number|port|dollars|share|margins/.test(flags) ? "1" : "it's two words");

test.each(options.map((option) => [option.long ?? "", option] as const))(
  "%s is repeated as it was typed, or named as an option that is not",
  (long, option) => {
    const typed = option.required ? [long, valueOf(option)] : [long];
    const given = parse(typed);
    const held = { again: repeatedWords([], given), resumed: resumeWords(given) };
    for (const [name, words] of Object.entries(held)) {
      const isLeftOut = (name === "again" ? leftOutAgain : leftOutOnResume).includes(long);
      expect(words).toHaveLength(isLeftOut ? 0 : typed.length);
      // shellWord quotes for a POSIX shell, which here only has to undo the quotes.
      const unquoted = words.map((word) => (word.startsWith('"') ? JSON.parse(word) : word));
      expect(parse(unquoted)).toEqual(isLeftOut ? {} : given);
    }
  },
);

const leftOutAgain =
  "--model --models --attempts --sample --seed --baseline --not-worse-by --max-regression --first --only-failed --resume --dry-run --watch --until-decided".split(
    " ",
  );
const leftOutOnResume =
  "--endpoint --target --target-command --model --models --variant --experiment --reuse --fresh --until-decided --attempts --name --protocol --system --stream --history --priority --filter --only-failed --replay-users --first --sample --seed --max-cost --max-seconds --skip-invalid --allow-code --allow-files --resume --dry-run --watch".split(
    " ",
  );

test("a resumed run says which typed options it ignores", () => {
  expect(ignoredOnResume(parse(["-m", "small", "--allow-code", "--gate", "overall>=0.8"]))).toEqual([
    "--model",
    "--allow-code",
  ]);
});

test("repeated options keep all their values, and the later of --gate and --no-gate counts", () => {
  const both = [
    "--env",
    "a",
    "--env-file",
    "b",
    "--gate",
    "cost<=1",
    "--gate",
    "overall>=0.8",
    "--data-dir",
    "my runs",
  ];
  expect(repeatedWords(["my file.yaml"], parse(both)).join(" ")).toBe(
    '"my file.yaml" --gate "cost<=1" --gate "overall>=0.8" --data-dir "my runs" --env a --env b',
  );
  expect(resumeWords(parse(["--gate", "cost<=1", "--no-gate"]))).toEqual(["--no-gate"]);
  expect(parse(["--no-gate", "--gate", "cost<=1"]).gate).toEqual(["cost<=1"]);
});
