import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { exitWith } from "@wcs/conformance/commands/CommandExit"
import { commandLine } from "@wcs/conformance/commands/CommandLine"
import { judgingFlags } from "@wcs/conformance/commands/JudgingFlags"
import { Refused } from "@wcs/conformance/commands/Refused"
import { judgedOnce } from "@wcs/conformance/commands/Run"
import { printerOf } from "@wcs/conformance/commands/RunPrinter"
import { caFlag, certificates } from "@wcs/conformance/commands/Target"
import { annotationsOf } from "@wcs/conformance/formats/Annotations"
import { json } from "@wcs/conformance/formats/Json"
import { junit } from "@wcs/conformance/formats/JUnit"
import { terminal } from "@wcs/conformance/formats/Terminal"
import { exitCodeOf, type FailOn } from "@wcs/conformance/report/ExitCode"
import type { Report } from "@wcs/conformance/report/Report"
import * as GatewayUrl from "@wcs/register/GatewayUrl"
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { readSamples } from "./Samples.ts"
import { command, suiteOf } from "./Suite.ts"
import { profileOf, secretName, type Target, usualSeconds } from "./Target.ts"

const flags = {
  url: Flag.String("url").pipe(Flag.withDescription("The gateway's URL: https, or http on this machine")),
  token: Flag.String("token").pipe(
    Flag.withDescription(`The token, or with --user the password; default: the environment variable ${secretName}`),
    Flag.optional
  ),
  user: Flag.String("user").pipe(Flag.withDescription("The user name for password authentication"), Flag.optional),
  samples: Flag.String("samples").pipe(
    Flag.withDescription("A JSON file of cards that the register knows; without it, some rules cannot be judged"),
    Flag.optional
  ),
  seconds: Flag.Finite("seconds").pipe(
    Flag.withDescription("The longest time for a complete answer"),
    Flag.withDefault(usualSeconds)
  ),
  out: Flag.String("out").pipe(
    Flag.withAlias("o"),
    Flag.withDescription("The folder for report.json and junit.xml"),
    Flag.withDefault("register-kit-report")
  ),
  ca: caFlag,
  ...judgingFlags
}

const refuse = (message: string) => Effect.fail(new Refused({ message }))

/** The gateway that the flags name, and its secret. */
const targetOf = Effect.fnUntraced(function* (given: {
  readonly url: string
  readonly token: Option.Option<string>
  readonly user: Option.Option<string>
  readonly samples: Option.Option<string>
}) {
  const url = GatewayUrl.fromText(given.url)
  if (Option.isNone(url)) {
    return yield* refuse("--url takes an https URL without user, query and fragment, or an http URL of this machine")
  }
  const secret = Option.getOrElse(given.token, () => process.env[secretName] ?? "")
  if (secret === "") return yield* refuse(`--token is missing, and ${secretName} is not set`)
  const samples = Option.isNone(given.samples)
    ? []
    : yield* Effect.mapError(readSamples(given.samples.value), ({ message }) => new Refused({ message }))
  const user = Option.match(given.user, { onNone: () => ({}), onSome: (name) => ({ user: name }) })
  return { target: { url: url.value, samples, ...user } satisfies Target, secret }
})

/** Writes the reports. The verdict stands even if they cannot be written. */
const write = (folder: string, report: Report, failOn: FailOn) =>
  Effect.try({
    try: () => {
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, "report.json"), json(report))
      writeFileSync(join(folder, "junit.xml"), junit(report, failOn))
    },
    catch: (error) => String(error)
  }).pipe(Effect.catch((why) => Console.error(`${command}: the reports could not be written: ${why}`)))

const root = Command.make(
  command,
  flags,
  Effect.fnUntraced(function* ({ annotations, ca, failOn, list: lists, noColor, out, quiet, seconds, ...given }) {
    if (seconds < 0.1 || seconds > 60) return yield* refuse("--seconds takes 0.1 to 60")
    const { secret, target } = yield* targetOf(given)
    const isTty = process.stdout.isTTY === true
    const { report } = yield* judgedOnce(
      {
        suite: suiteOf(target),
        profile: profileOf(target, seconds),
        environment: { ...process.env, [secretName]: secret },
        ca: Option.isNone(ca) ? undefined : yield* certificates(ca.value)
      },
      printerOf({ isTty, noColor, quiet })
    )
    yield* write(out, report, failOn)
    const color = isTty && !noColor && process.env["NO_COLOR"] === undefined
    const told = terminal(report, { color, columns: process.stdout.columns, command, lists })
    yield* Console.log(quiet ? report.headline : told.trimEnd())
    if (Option.isSome(annotations)) yield* Effect.forEach(annotationsOf(report), (line) => Console.log(line))
    yield* exitWith(exitCodeOf(report, failOn))
  }, Effect.scoped)
).pipe(Command.withDescription("Checks a register's gateway against every rule of its contract"))

/** Runs one command line and returns its exit code. Fails only on interruption. */
export const run = commandLine(root)
