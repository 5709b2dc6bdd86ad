import { existsSync } from "node:fs"
import { dirname, relative, resolve } from "node:path"
import { Clock, Console, Effect, Option } from "effect"
import { Argument, Command, Flag, Prompt } from "effect/cli"
import { journalFile, write } from "../commands/Artefacts.ts"
import { calledAs } from "../commands/CalledAs.ts"
import { exitWith } from "../commands/CommandExit.ts"
import { Refused } from "../commands/Refused.ts"
import { judgedOnce } from "../commands/Run.ts"
import { printerOf } from "../commands/RunPrinter.ts"
import { askedToStop } from "../commands/Signals.ts"
import { caFlag, certificates, usualProfile } from "../commands/Target.ts"
import { initialProfile } from "../profile/InitialProfile.ts"
import type { Profile } from "../profile/Profile.ts"
import type { Loaded } from "../profile/ProfileFile.ts"
import { exitCodeOf, exitCodes } from "../report/ExitCode.ts"
import { counted } from "../report/Headline.ts"
import { plainly } from "../repro/Shell.ts"
import { walks } from "../walks/Walks.ts"
import { askAccess, askChanges, askDeployment, askUntilAccepted } from "./Access.ts"
import { askHeldSecrets, askQuestions, type Known } from "./Asking.ts"
import { textOf } from "./Draft.ts"
import { chooseProfile, type Files, outBeside, save, setVariables, usualOut } from "./Files.ts"
import { print } from "./Output.ts"
import { questionsOf } from "./Question.ts"

/** The requests of the first report. */
const firstBudget = 300

/** The seconds of a run: with a deployment's usual rate limits, a run with a whole profile takes some minutes. */
const secondsInAll = 1800

/** Judges the deployment, writes the report and prints it. */
const report = Effect.fnUntraced(function* (
  { ca, clientCertificate, profile }: Known,
  { out, profile: file }: Files,
  budget?: number
) {
  const journal = yield* journalFile(out)
  const printer = printerOf({ isTty: process.stdout.isTTY === true, noColor: false, quiet: false })
  const judged = yield* judgedOnce(
    {
      profile: budget === undefined ? profile : { ...profile, run: { ...profile.run, budget } },
      environment: process.env,
      stop: yield* askedToStop(`${calledAs(process.env)} sweep ${plainly(journal)} -p ${plainly(file)}`),
      journalFile: journal,
      ca,
      clientCertificate
    },
    printer
  )
  yield* Effect.catchTag(
    write(out, { runs: [judged], report: judged.report, profile }, "must"),
    "NotWritten",
    (error) => Console.error(`wcs-conformance: ${error.message}`)
  )
  printer.conclude(judged.report, out)
  return judged.report
}, Effect.scoped)

const step = (number: number, what: string) => Console.log(`\n${number}. ${what}`)

/** The profile entry for a file of certificates, relative to the profile. */
const tlsOf = (caFile: string, { profile }: Files) => ({
  tls: { caFile: relative(dirname(resolve(profile)), resolve(caFile)) }
})

type Given = Parameters<typeof askDeployment>

/** Asks for the address, the access and the consent to changes. Writes the profile and the first report. */
const begin = Effect.fnUntraced(function* ([url, caGiven]: Given, files: Files) {
  const begun = yield* Clock.currentTimeMillis
  yield* step(1, "The address")
  const reached = yield* askDeployment(url, caGiven)
  yield* Console.log(`  ${reached.url} answers.`)
  yield* step(2, "Access: a principal with every privilege")
  const { profile: opened, typed } = yield* askAccess(reached)
  yield* Console.log("  The deployment accepts it.")
  yield* step(3, "Changes")
  const changing = yield* askChanges(opened, reached.ca)
  const profile: Profile = {
    ...changing,
    ...(reached.caFile === undefined ? {} : tlsOf(reached.caFile, files)),
    run: { secondsInAll, ...changing.run }
  }
  const known: Known = { profile, ca: reached.ca, typed }
  yield* save(known.profile, known.typed, files)
  yield* step(4, `The first report, with at most ${firstBudget} requests`)
  const result = yield* report(known, files, firstBudget)
  const seconds = Math.round(((yield* Clock.currentTimeMillis) - begun) / 1000)
  const kept = known.typed.size === 0 ? "" : `, and ${files.secrets} has the secrets`
  yield* print(`\n${files.profile} is written${kept}. This took ${seconds} s.`)
  return { known, result }
})

/** Continues with a profile that exists, after a check of its access. */
const resume = Effect.fnUntraced(function* ([, caGiven]: Given, begun: Loaded, files: Files) {
  yield* Console.log(`${files.profile} exists: only what it leaves open is asked.`)
  const held = yield* askHeldSecrets(begun.profile, files)
  const target: Loaded = Option.isNone(caGiven)
    ? { ...begun, profile: held.profile }
    : { profile: { ...held.profile, ...tlsOf(caGiven.value, files) }, ca: yield* certificates(caGiven.value) }
  const again = yield* askUntilAccepted(target)
  yield* Console.log(`  ${target.profile.newer.tenantBaseUrl} accepts the credentials.`)
  const known: Known = { ...target, typed: new Set([...held.typed, ...again]) }
  yield* save(known.profile, known.typed, files)
  return { known, result: undefined }
})

/** The shell looks up a name without a slash in PATH. */
const sourced = (file: string): string => plainly(file.includes("/") ? file : `./${file}`)

/** The command that continues. */
const againAs = ({ out, profile }: Pick<Files, "profile" | "out">): string =>
  `${calledAs(process.env)} init -p ${plainly(profile)}${out === outBeside(profile) ? "" : ` -o ${plainly(out)}`}`

/** What is left when the questions end early, and how to go on. Without a terminal, no question can be asked. */
const leftAt = (files: Files): string => {
  if (existsSync(files.profile)) return `${files.profile} has the answers so far. To continue:\n  ${againAs(files)}`
  if (process.stdin.isTTY === true) return "nothing was written"
  const lines = textOf(initialProfile("https://t1.example", "ID"), { isJson: false })
  return (
    "nothing was written. init asks its questions at a terminal. Without one, write these lines to " +
    `${files.profile}; plan lists what can be added:\n\n${lines.trimEnd()}`
  )
}

const answering = Effect.fnUntraced(function* (given: Given, begun: Loaded | undefined, files: Files) {
  let { known, result } = begun === undefined ? yield* begin(given, files) : yield* resume(given, begun, files)
  const open = questionsOf(walks, known.profile).length
  const isAsked =
    open > 0 &&
    (yield* Prompt.Confirm({
      message: `Go on with ${counted(open, "question")} that unlock more rules? Each answer is kept; end at any time`,
      initial: true
    }))
  if (isAsked) known = yield* askQuestions(known, files)
  const message = "Judge everything that the profile allows now? With usual rate limits, this takes some minutes"
  if (yield* Prompt.Confirm({ message, initial: true })) result = yield* report(known, files)
  const secrets = existsSync(files.secrets) ? `set -a; . ${sourced(files.secrets)}; set +a; ` : ""
  const out = files.out === usualOut ? "" : ` -o ${plainly(files.out)}`
  yield* Console.log(`\nTo judge again:\n  ${secrets}${calledAs(process.env)} run -p ${plainly(files.profile)}${out}`)
  const left = questionsOf(walks, known.profile).length
  if (left > 0) yield* Console.log(`To answer the open questions:\n  ${againAs(files)}`)
  if (result !== undefined) yield* exitWith(exitCodeOf(result, "must"))
})

/** Asks for what a run needs, tries each answer, and writes a profile and a report. */
export const initCommand = Command.make(
  "init",
  {
    url: Argument.String("url").pipe(
      Argument.withDescription("The tenant's base URL, such as https://t1.example; not needed to continue a profile"),
      Argument.optional
    ),
    ca: caFlag,
    profile: Flag.String("profile").pipe(
      Flag.withAlias("p"),
      Flag.withDescription("The profile to write. If it exists, only what it leaves open is asked"),
      Flag.withDefault(usualProfile)
    ),
    out: Flag.String("out").pipe(
      Flag.withAlias("o"),
      Flag.withDescription(`The folder for reports, evidence and the journal; default: ${usualOut}, or ${usualOut}-2`),
      Flag.optional
    )
  },
  Effect.fnUntraced(function* ({ ca, out, profile, url }) {
    const { begun, ...chosen } = yield* chooseProfile(profile, Option.getOrUndefined(url))
    if (begun === undefined && Option.isNone(url)) {
      return yield* new Refused({
        message: `${chosen.profile} does not exist: give the URL, such as https://t1.example`
      })
    }
    const files: Files = {
      ...chosen,
      out: Option.getOrElse(out, () => outBeside(chosen.profile)),
      given: setVariables(),
      told: new Set()
    }
    if (files.profile !== profile) {
      yield* print(
        `Files of another deployment stay as they are. The files are ${files.profile}, ${files.secrets} and ${files.out}/.`
      )
    }
    const given: Given = [Option.getOrElse(url, () => ""), ca]
    yield* Effect.catchTag(answering(given, begun, files), "QuitError", () =>
      Effect.andThen(Console.error(`\nwcs-conformance: ended; ${leftAt(files)}`), exitWith(exitCodes.interrupted))
    )
  })
).pipe(
  Command.withDescription(
    "Ask for what a run needs, try each answer, and write a profile and a report; can be continued"
  )
)
