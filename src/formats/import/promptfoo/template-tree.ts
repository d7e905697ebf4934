import { templatePieces } from "./template-pieces.ts";

export type TemplateNode =
  | { readonly kind: "text" | "raw"; readonly text: string }
  | { readonly kind: "output"; readonly expression: string }
  | { readonly kind: "if"; readonly branches: Branch[] }
  | { readonly kind: "for"; readonly names: readonly string[]; readonly list: string; readonly body: TemplateNode[] }
  /** A tag we do not run; what it holds is read as if it stood there alone. */
  | { readonly kind: "unknown"; readonly tag: string };

interface Branch {
  /** None: otherwise. */
  readonly condition?: string;
  readonly body: TemplateNode[];
}

/** So deep at most blocks stand in one another. */
const deepest = 50;

/** A template with its blocks. One that is never closed ends with the text. */
export function templateTree(template: string): TemplateNode[] {
  const root: TemplateNode[] = [];
  const open: { readonly block: TemplateNode; body: TemplateNode[] }[] = [];
  for (const { kind, content } of templatePieces(template)) {
    const top = open.at(-1);
    const body = top?.body ?? root;
    const [, word = "", rest = ""] = kind === "tag" ? (/^(\w+)\s*([\s\S]*)$/.exec(content) ?? []) : [];
    const loop = word === "for" ? /^([\w\s,]+?)\s+in\s+([\s\S]+)$/.exec(rest) : null;
    if (kind === "text" || kind === "raw") body.push({ kind, text: content });
    else if (kind === "output") body.push({ kind, expression: content });
    else if (open.length < deepest && word === "if") {
      const inner: TemplateNode[] = [];
      const block: TemplateNode = { kind: "if", branches: [{ condition: rest, body: inner }] };
      body.push(block);
      open.push({ block, body: inner });
    } else if (open.length < deepest && loop) {
      const names = (loop[1] ?? "").split(",").map((name) => name.trim());
      const block: TemplateNode = { kind: "for", names, list: (loop[2] ?? "").trim(), body: [] };
      body.push(block);
      open.push({ block, body: block.body });
    } else if (top?.block.kind === "if" && (word === "else" || word === "elif" || word === "elseif")) {
      top.body = [];
      top.block.branches.push({ ...(word !== "else" && { condition: rest }), body: top.body });
    } else if (top && word === `end${top.block.kind}`) open.pop();
    else body.push({ kind: "unknown", tag: content });
  }
  return root;
}
