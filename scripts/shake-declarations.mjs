// Leaves out of a tree of declarations what its entries do not need: whole files, and statements and imports within files.
import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseAst } from "rolldown/parseAst";

export function shakeDeclarations(folder, entries) {
  const modules = new Map();
  for (const path of globSync("**/*.d.ts", { cwd: folder })) {
    const file = join(folder, path);
    modules.set(file, readModule(file));
  }
  const kept = new Map([...modules.keys()].map((file) => [file, new Set()]));

  /** Keeps the statement that declares a name, and all that this statement names. */
  function keep(file, name) {
    const module = modules.get(file);
    if (!module) return;
    for (const statement of module.statements.filter(({ names }) => names.includes(name)))
      keepStatement(file, statement);
    const source = module.reExports.get(name);
    if (source) {
      kept.get(file).add(`export ${name}`);
      keep(source.file, source.name);
    }
    if (name === "*") for (const statement of module.statements) keepStatement(file, statement);
    for (const target of module.wholes) keep(target, name);
  }

  function keepStatement(file, statement) {
    if (kept.get(file).has(statement)) return;
    kept.get(file).add(statement);
    const module = modules.get(file);
    for (const word of statement.words) {
      const from = module.imports.get(word);
      if (from) keep(from.file, from.name);
      else keep(file, word);
    }
    for (const { file: target, name } of statement.inline) keep(target, name);
  }

  for (const entry of entries) {
    const file = join(folder, `${entry}.d.ts`);
    const module = modules.get(file);
    for (const statement of module.statements) if (statement.isExported) keepStatement(file, statement);
    for (const name of module.reExports.keys()) keep(file, name);
    for (const target of module.wholes) for (const name of exportsOf(target, modules)) keep(target, name);
  }
  const entryFiles = new Set(entries.map((entry) => join(folder, `${entry}.d.ts`)));
  for (const [file, module] of modules) {
    const names = kept.get(file);
    if (names.size === 0 && !entryFiles.has(file) && !module.wholes.some((target) => kept.get(target)?.size > 0))
      rmSync(file);
    else writeFileSync(file, written(module, names));
  }
}

function exportsOf(file, modules) {
  const module = modules.get(file);
  return [
    ...module.statements.flatMap(({ names, isExported }) => (isExported ? names : [])),
    ...module.reExports.keys(),
  ];
}

function readModule(file) {
  const text = readFileSync(file, "utf8");
  const { body, comments } = { comments: [], ...parseAst(text, { lang: "dts" }) };
  const target = (source) =>
    source.startsWith(".") ? resolve(dirname(file), source.replace(/\.[jt]s$/, ".d.ts")) : source;
  const module = { text, comments, statements: [], imports: new Map(), reExports: new Map(), wholes: [], sources: [] };
  let end = 0;
  for (const node of body) {
    // The comment before a statement goes with it.
    const start = end;
    end = node.end;
    if (node.type === "ImportDeclaration") {
      const source = { source: node.source.value, specifiers: node.specifiers.map((each) => specifierOf(each)) };
      module.sources.push(source);
      for (const { local, imported } of source.specifiers) {
        module.imports.set(local, { file: target(source.source), name: imported });
      }
    } else if (node.type === "ExportAllDeclaration") {
      module.wholes.push(target(node.source.value));
      module.statements.push({ names: [], words: [], inline: [], isExported: true, start, end: node.end });
    } else if (node.type === "ExportNamedDeclaration" && node.source) {
      for (const { local, exported } of node.specifiers) {
        module.reExports.set(exported.name, {
          file: target(node.source.value),
          name: local.name,
          source: node.source.value,
        });
      }
    } else if (!(node.type === "ExportNamedDeclaration" && !node.declaration && node.specifiers.length === 0)) {
      const declared = text.slice(node.start, node.end).replaceAll(/\/\*[\s\S]*?\*\//g, "");
      const inline = [...declared.matchAll(/import\("(\.[^"]+)"\)\.(\w+)/g)];
      module.statements.push({
        names: namesOf(node),
        words: new Set(declared.match(/[A-Za-z_$][\w$]*/g)),
        inline: inline.map(([, source, name]) => ({ file: target(source), name })),
        isExported:
          node.type.startsWith("Export") ||
          node.type === "TSGlobalDeclaration" ||
          /^declare (global|module)/.test(declared),
        start,
        end: node.end,
      });
    }
  }
  return module;
}

const specifierOf = ({ type, local, imported }) => ({
  local: local.name,
  imported: type === "ImportNamespaceSpecifier" ? "*" : type === "ImportDefaultSpecifier" ? "default" : imported.name,
});

function namesOf(node) {
  const declaration = node.declaration ?? node;
  if (declaration.declarations) return declaration.declarations.map(({ id }) => id.name);
  if (node.type === "ExportNamedDeclaration" && node.specifiers.length > 0) {
    return node.specifiers.map(({ exported }) => exported.name);
  }
  return declaration.id?.name === undefined ? [] : [declaration.id.name];
}

function written({ text, statements, sources, reExports }, kept) {
  const remaining = statements.filter((statement) => kept.has(statement));
  const words = new Set(remaining.flatMap((statement) => [...statement.words]));
  const imports = sources.flatMap(({ source, specifiers }) => {
    const used = specifiers.filter(({ local }) => words.has(local));
    return used.length === 0 ? [] : [importOf(source, used)];
  });
  const exported = [...reExports].filter(([name]) => kept.has(`export ${name}`));
  const again = exported.map(
    ([name, from]) => `export { ${from.name === name ? name : `${from.name} as ${name}`} } from "${from.source}";`,
  );
  const parts = remaining.map(({ start, end }) => text.slice(start, end).trim());
  return `${[...imports, ...again, ...parts].join("\n")}\nexport {};\n`;
}

function importOf(source, specifiers) {
  const whole = specifiers.find(({ imported }) => imported === "*");
  if (whole) return `import type * as ${whole.local} from "${source}";`;
  const names = specifiers.map(({ local, imported }) => (local === imported ? local : `${imported} as ${local}`));
  return `import type { ${names.join(", ")} } from "${source}";`;
}
