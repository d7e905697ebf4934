// The licences of the packages inside a bundle, in one file, since their own files stay behind. For the server's bundle
// (scripts/bundle.mjs) and the page's (web/vite.config.ts).
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The notices for the packages that `modules`, paths as the bundler names them, belong to, and for `others`, whose files are no modules. */
export function thirdPartyNotices(modules: Iterable<string>, others: readonly string[] = []): string {
  const folders = [...modules].flatMap(packageOf);
  const packages = new Set([...folders, ...others.map((name) => `node_modules/${name}`)]);
  const title = "# Packages inside this one, and their licences";
  return `${[title, ...[...packages].toSorted().map(section)].join("\n\n")}\n`;
}

/** The folder of the package a module belongs to, from the root; none for our own. */
function packageOf(module: string): string[] {
  const path = relative(root, module.replace(/^\0/, "").replace(/\?.*$/, "")).split(sep);
  const last = path.lastIndexOf("node_modules");
  if (last === -1) return [];
  const length = path[last + 1]?.startsWith("@") ? 3 : 2;
  return [path.slice(0, last + length).join("/")];
}

function section(folder: string): string {
  const manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
  const { name, version, license } = manifest as { name: string; version: string; license?: string };
  const files = readdirSync(join(root, folder)).filter((file) =>
    /^(licen[cs]e|notice|copying)|^swagger-ui-bundle\.js\.LICENSE/i.test(file),
  );
  const texts = files.map((file) => readFileSync(join(root, folder, file), "utf8").trim());
  return [`## ${name} ${version} (${license ?? "see below"})`, ...texts, ...contained(name, folder)].join("\n\n");
}

/** Packages that others contain without their licences. */
function contained(name: string, folder: string): string[] {
  if (name !== "unpdf") return [];
  const [, version] = /`(\d+\.\d+\.\d+)`/.exec(readFileSync(join(root, folder, "dist/pdfjs.mjs"), "utf8")) ?? [];
  if (version === undefined) throw new Error("which version of pdf.js is inside unpdf?");
  const copyright = "Copyright Mozilla Foundation. Inside unpdf, which built it for servers.";
  const licence = readFileSync(join(root, "scripts/licences/apache-2.0.txt"), "utf8").trim();
  return [`## pdfjs-dist ${version} (Apache-2.0)`, copyright, licence];
}
