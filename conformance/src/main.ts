#!/usr/bin/env node
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { run } from "./Cli.ts"

// who reads may go away, as `head` does: what is told to nobody changes nothing of what is done
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})

process.exitCode = await Effect.runPromise(Effect.provide(run(process.argv.slice(2)), NodeServices.layer))
