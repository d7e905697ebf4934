import { isNode, type Document, type LineCounter } from "yaml";

interface ReadYaml {
  readonly documents: readonly Document[];
  readonly lineCounter: LineCounter;
}

/** The lines on which values of a YAML file begin. With several documents the first step of a pointer says which. */
export function yamlLinesOf(
  wanted: ReadonlySet<string>,
  { documents, lineCounter }: ReadYaml,
): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  for (const pointer of wanted) {
    const steps = pointer.split("/").slice(1).map(unescapeStep);
    const document = documents[documents.length > 1 ? Number(steps.shift() ?? 0) : 0];
    const node = steps.length === 0 ? document?.contents : document?.getIn(steps, true);
    if (isNode(node) && node.range) lines.set(pointer, lineCounter.linePos(node.range[0]).line);
  }
  return lines;
}

const unescapeStep = (step: string): string => step.replaceAll("~1", "/").replaceAll("~0", "~");
