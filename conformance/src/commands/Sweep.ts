import { Console, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { sockets } from "../engine/Conformance.ts"
import { preflight } from "../engine/Preflight.ts"
import { against, sweep, sweepWalk } from "../engine/Sweep.ts"
import { entriesOf, Journal } from "../evidence/Journal.ts"
import { exitCodes } from "../report/ExitCode.ts"
import { readTextFile } from "../text/TextFile.ts"
import { exitWith } from "./CommandExit.ts"
import { Refused } from "./Refused.ts"
import { sessionOf } from "./SessionOutsideRun.ts"
import { targetFlags, targetOf } from "./Target.ts"

const entriesIn = Effect.fnUntraced(function* (file: string) {
  const text = yield* Effect.try({
    try: () => readTextFile(file),
    catch: () => new Refused({ message: `the journal ${file} cannot be read` })
  })
  return yield* Effect.mapError(
    entriesOf(text),
    () => new Refused({ message: `${file} is not a journal of this suite` })
  )
})

/** Deletes the resources of a killed run. */
export const sweepCommand = Command.make(
  "sweep",
  {
    journal: Argument.String("journal").pipe(Argument.withDescription("The run's journal.ndjson")),
    ...targetFlags
  },
  Effect.fnUntraced(function* ({ journal, ...given }) {
    const target = yield* targetOf(given)
    const { name, newer } = target.profile
    const all = yield* entriesIn(journal)
    const entries = against(all, newer.tenantBaseUrl)
    const run = all.find(({ entry }) => entry === "run")
    if (entries.length === 0 && all.length > 0) {
      const target =
        run?.entry === "run" ? `belongs to a run against ${run.target}, not ${newer.tenantBaseUrl}` : undefined
      return yield* new Refused({ message: `the journal ${target ?? "does not name a deployment"}` })
    }
    return yield* Effect.gen(function* () {
      const { sendOwed, session } = yield* sessionOf(sweepWalk, target, () => undefined)
      const sentence = yield* preflight(session)
      if (sentence !== undefined) return yield* Effect.andThen(Console.error(sentence), exitWith(exitCodes.unreachable))
      // the journal entries from here on are about this deployment
      const { write } = yield* Journal
      yield* write({ entry: "run", run: sweepWalk, target: newer.tenantBaseUrl, profile: name })
      const { deleted, residue } = yield* sweep(target.profile, entries, sendOwed)
      yield* Console.log(`deleted ${deleted}, left ${residue.length}`)
      yield* Effect.forEach(residue, ({ name, type, why }) => Console.log(`  ${type} ${name}: ${why}`))
      yield* exitWith(residue.length === 0 ? exitCodes.passed : exitCodes.failed)
    }).pipe(Effect.scoped, Effect.provide(sockets({ ...target, journalFile: journal })))
  })
).pipe(Command.withDescription("Delete the resources that a killed run left, as listed in its journal"))
