// Writes what the schemas of the contract say of their fields into the declarations made from them, as comments: editors show
// those on hover, and the compiler leaves them out of a type that it works out itself.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseAst } from "rolldown/parseAst";

/** Adds comments to each declaration in `declarations` whose schemas are in the file of the same name in `sources`. */
export async function documentTypes({ declarations, sources }) {
  for (const name of globSync("**/*.d.ts", { cwd: declarations })) {
    const file = join(declarations, name);
    const schemas = await import(pathToFileURL(join(sources, name.replace(/\.d\.ts$/, ".ts"))).href);
    const text = readFileSync(file, "utf8");
    writeFileSync(file, withComments(text, commentsOf(text, schemas)));
  }
}

function commentsOf(text, schemas) {
  return parseAst(text, { lang: "dts" })
    .body.flatMap(({ declaration }) => (declaration?.type === "VariableDeclaration" ? declaration.declarations : []))
    .flatMap(({ id }) => commentsIn(id.typeAnnotation?.typeAnnotation, schemas[id.name]));
}

/** The comments of the fields within a type, which is written the way its schema is made. */
function commentsIn(type, schema) {
  const parts = type?.typeArguments?.params;
  if (parts === undefined || schema?.def === undefined) return [];
  const { element, innerType, options, valueType } = schema.def;
  if (schema.shape)
    return fieldsOf(parts[0]).flatMap((field) => commentsAt(field, schema.shape[field.key.name ?? field.key.value]));
  if (options) return elementsOf(parts[0]).flatMap((each, index) => commentsIn(each, options[index]));
  return valueType ? commentsIn(parts[1], valueType) : commentsIn(parts[0], innerType ?? element);
}

const fieldsOf = (type) => type.members ?? [];
/** The forms of a union stand in a tuple that may be `readonly`. */
const elementsOf = (type) => (type.typeAnnotation ?? type).elementTypes ?? [];

function commentsAt({ start, typeAnnotation }, schema) {
  const description = descriptionOf(schema);
  const own = description === undefined ? [] : [{ start, description }];
  return [...own, ...commentsIn(typeAnnotation.typeAnnotation, schema)];
}

/** The description of a field, also below `optional` and the like. */
function descriptionOf(schema) {
  return schema === undefined ? undefined : (schema.description ?? descriptionOf(schema.def.innerType));
}

function withComments(text, comments) {
  const pieces = comments.map(({ start, description }, index) => {
    const before = text.slice(comments[index - 1]?.start ?? 0, start);
    const indent = /[ \t]*$/.exec(before)[0];
    return `${before}/** ${description.replaceAll("*/", "*\\/")} */\n${indent}`;
  });
  return pieces.join("") + text.slice(comments.at(-1)?.start ?? 0);
}
