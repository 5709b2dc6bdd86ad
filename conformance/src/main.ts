#!/usr/bin/env node
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { run } from "./Cli.ts"

process.exitCode = await Effect.runPromise(Effect.provide(run(process.argv.slice(2)), NodeServices.layer))
