// Loaded into a measured service with `--import`: answers any message with the SQL statements run since the last one.
import { StatementSync } from "node:sqlite";

let statements = 0;
for (const method of ["run", "all", "get"]) {
  const original = StatementSync.prototype[method];
  StatementSync.prototype[method] = function counted(...values) {
    statements += 1;
    return Reflect.apply(original, this, values);
  };
}

process.on("message", () => {
  process.send(statements);
  statements = 0;
});
process.channel?.unref();
