#!/usr/bin/env node
import { enableCompileCache } from "node:module";

enableCompileCache();
const { runCli } = await import("./run-cli.ts");
await runCli(process.argv);
