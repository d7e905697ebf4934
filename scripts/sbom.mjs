// Lists of what the product is made of, as CycloneDX. `npm run sbom -- sbom.json` (or to stdout) lists the lockfile, with hashes and
// licences; the package carries a list of what is inside it.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const { name, version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

if (import.meta.main ?? process.argv[1] === import.meta.filename) {
  const text = `${JSON.stringify(lockedSbom(), null, 2)}\n`;
  const file = process.argv[2];
  if (file === undefined) process.stdout.write(text);
  else writeFileSync(file, text);
}

function lockedSbom() {
  const output = execFileSync("npm", ["sbom", "--package-lock-only", "--sbom-format", "cyclonedx"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const list = JSON.parse(output);
  // npm calls the project by the folder it lies in.
  list.metadata.component.name = name;
  return list;
}

/** The packages inside the bundle and the page, which their notices name. */
export function bundledSbom(notices) {
  const packages = notices.flatMap((text) => [...text.matchAll(/^## (\S+) (\S+) \((.+)\)$/gm)]);
  const components = new Map(
    packages.map(([, packageName, packageVersion, license]) => {
      const purl = `pkg:npm/${packageName.replace("@", "%40")}@${packageVersion}`;
      const licenses = license === "see below" ? [] : [{ expression: license }];
      return [purl, { type: "library", "bom-ref": purl, name: packageName, version: packageVersion, purl, licenses }];
    }),
  );
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.5.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    version: 1,
    metadata: { component: { type: "application", "bom-ref": `pkg:npm/${name}@${version}`, name, version } },
    components: [...components.keys()].toSorted().map((purl) => components.get(purl)),
  };
}
