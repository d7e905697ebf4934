import { z } from "zod";
import { checkSchemas, placeOf, turnCheckSchemas } from "../../../scoring/checks/checks.ts";

export const UserScorerSetting = z.discriminatedUnion("type", checkSchemas).meta({ id: "UserScorerSetting" });
export type UserScorerSetting = z.infer<typeof UserScorerSetting>;

/** A scorer by name, built-in or the operator's, or a check with options. */
export const ScorerSetting = z.union([z.string().min(1).max(64), UserScorerSetting]).meta({ id: "ScorerSetting" });
export type ScorerSetting = z.infer<typeof ScorerSetting>;

/** A check of the reply to one turn. */
export const TurnCheck = z.discriminatedUnion("type", turnCheckSchemas).meta({ id: "TurnCheck" });
export type TurnCheck = z.infer<typeof TurnCheck>;

/** A check that is not a group. */
export type SingleCheck = Exclude<TurnCheck, { type: "group" }>;

/** True for checks that run code of the user's own, or transform the reply by some. */
export function usesCode(setting: ScorerSetting | TurnCheck): boolean {
  if (typeof setting === "string") return false;
  if (setting.type === "group") return setting.checks.some(usesCode);
  return placeOf(setting) === "code" || setting.transform !== undefined;
}

/** The check with other paths of its code files. */
export function withCodePaths<Check extends ScorerSetting | TurnCheck>(
  check: Check,
  toPath: (file: string) => string,
): Check {
  if (typeof check === "string" || !usesCode(check)) return check;
  const setting: Exclude<ScorerSetting | TurnCheck, string> = check;
  if (setting.type === "group") {
    const checks = setting.checks.map((member) => withCodePaths(member, toPath));
    return { ...setting, checks } as typeof setting as Check;
  }
  const { transform } = setting;
  const moved = {
    ...setting,
    ...("file" in setting && setting.file !== undefined && { file: toPath(setting.file) }),
    ...(transform && {
      transform: transform.map((code) => (code.file === undefined ? code : { ...code, file: toPath(code.file) })),
    }),
  };
  return moved as typeof setting as Check;
}
