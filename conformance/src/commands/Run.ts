import { Console, Effect, Option, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import { judge } from "../Conformance.ts"
import type { Event } from "../Event.ts"
import { exitCodeOf } from "../ExitCode.ts"
import { planOf, unlockLines } from "../Plan.ts"
import type { Profile } from "../Profile.ts"
import { reportOf } from "../Report.ts"
import { walks } from "../Walks.ts"
import { advise } from "./Advise.ts"
import { journalFile, write } from "./Artefacts.ts"
import { baselineFlag, byBaseline } from "./Baseline.ts"
import { endWith } from "./Ended.ts"
import { judgingFlags } from "./Judging.ts"
import { Refused } from "./Refused.ts"
import { onlyFlag, rulesOf } from "./Rules.ts"
import { askedToStop } from "./Signals.ts"
import { targetFlags, targetOf } from "./Target.ts"
import { tellerOf } from "./Telling.ts"

/** What is told at the end to whoever gave no profile: the lines that would have the rest judged. */
const tellUnlocks = Effect.fnUntraced(function* (profile: Profile) {
  const lines = unlockLines(planOf(walks, profile).unmet)
  if (lines.length === 0) return
  yield* Console.log(
    ["", "A profile with these lines would have more judged (wcs-conformance init begins one):"].join("\n")
  )
  yield* Effect.forEach(lines, (line) => Console.log(`  ${line}`))
})

/** Judges a deployment. */
export const runCommand = Command.make(
  "run",
  {
    ...targetFlags,
    only: onlyFlag,
    out: Flag.String("out").pipe(
      Flag.withAlias("o"),
      Flag.withDescription("The folder for reports, evidence and the journal"),
      Flag.withDefault("conformance-report")
    ),
    baseline: baselineFlag,
    ...judgingFlags
  },
  Effect.fnUntraced(function* ({ baseline, failOn, noColor, only, out, quiet, ...given }) {
    const { ca, profile } = yield* targetOf(given)
    const rules = yield* rulesOf(only)
    const known = yield* byBaseline(baseline)
    const events: Array<Event> = []
    const teller = tellerOf({ isTty: process.stdout.isTTY === true, noColor, quiet, baselined: known.rules })
    yield* judge({
      profile,
      environment: process.env,
      stop: yield* askedToStop,
      journalFile: yield* journalFile(out),
      ...(ca === undefined ? {} : { ca }),
      ...(Option.isSome(rules) ? { only: rules.value } : {})
    }).pipe(
      Stream.runForEach((event) =>
        Effect.sync(() => {
          events.push(event)
          teller.tell(event)
        })
      ),
      Effect.catchTag("SecretsMissing", ({ message }) => Effect.fail(new Refused({ message })))
    )
    const judged = reportOf(events)
    if (judged === undefined) return yield* Effect.die(new Error("the run told nothing"))
    const report = known.told(judged)
    // the verdict stands, whether or not it can be kept
    yield* Effect.catchTag(write(out, { events, report, profile }, failOn), "NotWritten", ({ message }) =>
      Console.error(`wcs-conformance: ${message}`)
    )
    const isUnreachable = report.header.ending.as === "unreachable"
    if (Option.isNone(given.profile) && !quiet && !isUnreachable) yield* tellUnlocks(profile)
    teller.conclude(report, out)
    const last = events.findLast((event) => event.type === "exchange")
    if (isUnreachable && last !== undefined && !quiet) yield* advise(last.exchange)
    yield* endWith(exitCodeOf(report, failOn))
  }, Effect.scoped)
).pipe(Command.withDescription("Judge a deployment"))
