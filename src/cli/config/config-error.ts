import { CliError } from "../cli-error.ts";

export interface ConfigPlace {
  readonly file: string;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

/** `rehearsal.yaml:3:5 message` */
export function configError({ file, line, column }: ConfigPlace, message: string, cause?: unknown): CliError {
  const place = line === undefined ? file : `${file}:${line}:${column ?? 1}`;
  return new CliError(`${place} ${message}`, undefined, { cause });
}
