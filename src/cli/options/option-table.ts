import { Option, type Command } from "commander";

/** One option of a command, said once: parsing, help, types and suggested commands are made from it. */
export interface OptionEntry {
  /** As commander reads them: `-m, --model <id>`. */
  readonly flags: string;
  readonly help: string;
  /** Heading in the help of `rehearsal eval`. */
  readonly group?: string;
  /** In docs/cli.md and not in the help. */
  readonly isRare?: boolean;
  readonly choices?: readonly string[];
  readonly parse?: (value: string, earlier?: never) => unknown;
  /** Help of the option's `--no-` form, which sets the value to false. */
  readonly no?: string;
  /** Other flags of the same value, in no help. */
  readonly alias?: string;
  /** The option that this one excludes. */
  readonly conflicts?: string;
}

export type OptionTable = Readonly<Record<string, OptionEntry>>;

/** The parsed values of a table. */
export type OptionValues<Table extends OptionTable> = {
  readonly [Name in keyof Table]?: ValueOf<Table[Name]> | undefined;
};

type ValueOf<Entry extends OptionEntry> = GivenValue<Entry> | (Entry extends { readonly no: string } ? false : never);

type GivenValue<Entry extends OptionEntry> = Entry extends {
  readonly parse: (value: string, earlier?: never) => infer Value;
}
  ? Readonly<Value>
  : Entry extends { readonly choices: readonly (infer Choice)[] }
    ? Choice
    : Entry["flags"] extends `${string}<${string}`
      ? string
      : boolean;

/** An option whose value has the name of its entry, whatever its flags are. */
class NamedOption extends Option {
  readonly #name: string;

  constructor(name: string, flags: string, help?: string) {
    super(flags, help);
    this.#name = name;
  }

  override attributeName(): string {
    return this.#name;
  }
}

/** Adds the options of a table to a command; `grouped` puts them below their headings. */
export function addOptions(command: Command, table: OptionTable, { grouped = false } = {}): Command {
  for (const [name, entry] of Object.entries(table)) {
    const { flags, help, group, isRare, choices, parse, no, alias, conflicts } = entry;
    const add = (option: Option, { hidden = false } = {}): void => {
      if (choices) option.choices(choices);
      // After the choices, which have a parser of their own.
      if (parse && !option.negate) option.argParser(parse as (value: string, earlier: unknown) => unknown);
      if (conflicts !== undefined) option.conflicts(conflicts);
      if (grouped && group !== undefined) option.helpGroup(`${group}:`);
      command.addOption(option.hideHelp(hidden));
    };
    add(new NamedOption(name, flags, help), { hidden: isRare ?? false });
    if (no !== undefined) add(new NamedOption(name, `--no-${flagOf(entry).slice(2)}`, no));
    if (alias !== undefined) add(new NamedOption(name, alias), { hidden: true });
  }
  return command;
}

/** The long flag of an entry, such as `--model`. */
export const flagOf = ({ flags }: OptionEntry): string => /--[\w-]+/.exec(flags)?.[0] ?? flags;
