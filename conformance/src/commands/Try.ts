import { existsSync, writeFileSync } from "node:fs"
import { dirname, relative, resolve } from "node:path"
import { Clock, Console, Effect, Redacted, Result } from "effect"
import { Argument, Command, Flag, Prompt } from "effect/cli"
import { exitCodeOf, exitCodes } from "../ExitCode.ts"
import { schemaFrom } from "../PackageFile.ts"
import type { Profile } from "../profile/Profile.ts"
import { profileSchemaFile } from "../profile/ProfileSchema.ts"
import { namesOf } from "../profile/Secrets.ts"
import { counted } from "../report/Headline.ts"
import { plainly } from "../repro/Shell.ts"
import { askAccess, askChanges, askPlace } from "../trying/Access.ts"
import { textOf, withAnswer } from "../trying/Draft.ts"
import { type Question, questionsOf } from "../trying/Question.ts"
import { isMistaken, tryAnswer } from "../trying/Trial.ts"
import { walks } from "../Walks.ts"
import { journalFile, write } from "./Artefacts.ts"
import { calledAs } from "./CalledAs.ts"
import { endWith } from "./Ended.ts"
import { Refused } from "./Refused.ts"
import { judgedOnce } from "./Run.ts"
import { askedToStop } from "./Signals.ts"
import { caFlag } from "./Target.ts"
import { tellerOf } from "./Telling.ts"

/** The requests of the first report. */
const firstBudget = 300

/** Where a trial writes its files. */
interface Files {
  readonly profile: string
  /** The secrets that were typed. */
  readonly secrets: string
  readonly out: string
}

/** The known parts of a profile during a trial. */
interface Known {
  readonly profile: Profile
  readonly ca: string | undefined
  /** The environment variables whose values were typed. */
  readonly typed: ReadonlySet<string>
}

const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Writes the profile, and the secrets beside it for this user only. */
const save = ({ profile, typed }: Known, files: Files) =>
  Effect.try({
    try: () => {
      writeFileSync(files.profile, textOf(profile, schemaFrom(files.profile, profileSchemaFile)))
      const lines = [...typed].map((name) => `${name}=${shellQuoted(process.env[name] ?? "")}\n`)
      writeFileSync(files.secrets, lines.join(""), { mode: 0o600 })
    },
    catch: () => new Refused({ message: `${files.profile} or ${files.secrets} cannot be written` })
  })

/** Judges the deployment, writes the report and prints it. */
const report = Effect.fnUntraced(function* ({ ca, profile }: Known, { out }: Files, budget?: number) {
  const journal = yield* journalFile(out)
  const teller = tellerOf({ isTty: process.stdout.isTTY === true, noColor: false, quiet: false })
  const judged = yield* judgedOnce(
    {
      profile: budget === undefined ? profile : { ...profile, run: { ...profile.run, budget } },
      environment: process.env,
      stop: yield* askedToStop(`${calledAs(process.env)} sweep ${journal}`),
      journalFile: journal,
      ...(ca === undefined ? {} : { ca })
    },
    teller
  )
  yield* Effect.catchTag(
    write(out, { runs: [judged], report: judged.report, profile }, "must"),
    "NotWritten",
    (error) => Console.error(`wcs-conformance: ${error.message}`)
  )
  teller.conclude(judged.report, out)
  return judged.report
}, Effect.scoped)

/** Asks for the secrets that a profile names and the environment does not have. */
const askSecrets = Effect.fnUntraced(function* (profile: Profile, typed: ReadonlySet<string>) {
  const names = new Set(typed)
  for (const name of namesOf(profile)) {
    if ((process.env[name] ?? "") !== "") continue
    process.env[name] = Redacted.value(yield* Prompt.Hidden({ message: `${name}; the input is hidden` }))
    names.add(name)
  }
  return names
})

/** Tries an answer and prints the result; undefined if the answer does not work. */
const tried = Effect.fnUntraced(function* (question: Question, answer: string, known: Known, files: Files) {
  const changed = withAnswer(known.profile, answer)
  if (Result.isFailure(changed)) return yield* Effect.as(Console.log(`  ${changed.failure}`), undefined)
  const next: Known = { ...known, profile: changed.success, typed: yield* askSecrets(changed.success, known.typed) }
  const trial = yield* tryAnswer(question, { ...next, journalFile: yield* journalFile(files.out) })
  const { failed, passed, reasons, requests } = trial
  const broken = failed.length === 0 ? "" : ` (${failed.join(" ")})`
  const sent = counted(requests, "request")
  yield* Console.log(`  tried with ${sent}: ${passed.length} passed, ${failed.length} failed${broken}`)
  yield* Effect.forEach(reasons.slice(0, maxReasons), (reason) => Console.log(`    ${reason}`))
  return isMistaken(trial) ? undefined : next
})

const maxReasons = 5

type Choice = "use" | "edit" | "skip" | "not offered" | "stop"

/** The choices about an example. A wrong example cannot be used unchanged. */
const choicesOf = (isUsable: boolean) => {
  const use = { title: "use these lines", value: "use" as Choice }
  const others: ReadonlyArray<{ readonly title: string; readonly value: Choice }> = [
    { title: "edit them", value: "edit" },
    { title: "skip the question", value: "skip" },
    { title: "the deployment has no such interface", value: "not offered" },
    { title: "end the questions", value: "stop" }
  ]
  return isUsable ? [use, ...others] : others
}

/** Asks one question until an answer works, or until the user skips the question. */
const askQuestion = Effect.fnUntraced(function* (question: Question, known: Known, files: Files) {
  const { need, rules, text } = question
  yield* Console.log(`\n${need}: ${text}. It unlocks ${counted(rules.length, "rule")}.`)
  let lines = question.example
  let isUsable = !lines.includes("…")
  for (;;) {
    yield* Console.log(`  ${lines}`)
    const choice = yield* Prompt.Select<Choice>({ message: "Lines of the profile", choices: choicesOf(isUsable) })
    if (choice === "skip") return { known, isOver: false }
    if (choice === "stop") return { known, isOver: true }
    if (choice === "not offered") {
      const told = [...(known.profile.notOffered ?? []), need]
      return { known: { ...known, profile: { ...known.profile, notOffered: told } } satisfies Known, isOver: false }
    }
    if (choice === "edit") lines = yield* Prompt.String({ message: "Lines", default: lines })
    const next = yield* tried(question, lines, known, files)
    if (next !== undefined) return { known: next, isOver: false }
    isUsable = false
  }
})

/** Asks the open questions, those that unlock most rules first. Saves the profile after each. */
const askQuestions = Effect.fnUntraced(function* (begun: Known, files: Files) {
  let known = begun
  const asked = new Set<string>()
  for (;;) {
    const question = questionsOf(walks, known.profile).find(({ need }) => !asked.has(need))
    if (question === undefined) return known
    asked.add(question.need)
    const answered = yield* askQuestion(question, known, files)
    known = answered.known
    yield* save(known, files)
    if (answered.isOver) return known
  }
})

/** The shell looks up a name without a slash in PATH. */
const sourced = (file: string): string => plainly(file.includes("/") ? file : `./${file}`)

const step = (number: number, what: string) => Console.log(`\n${number}. ${what}`)

const trying = Effect.fnUntraced(function* (
  given: Parameters<typeof askPlace>,
  clientId: Parameters<typeof askAccess>[1],
  files: Files
) {
  const begun = yield* Clock.currentTimeMillis
  yield* step(1, "The address")
  const place = yield* askPlace(...given)
  yield* Console.log(`  ${place.url} answers.`)
  yield* step(2, "Access: a principal with every privilege")
  const { profile: opened, secrets } = yield* askAccess(place, clientId)
  yield* Console.log("  The deployment accepts it.")
  yield* step(3, "Changes")
  const changing = yield* askChanges(opened, place.ca)
  const caFile =
    place.caFile === undefined ? undefined : relative(dirname(resolve(files.profile)), resolve(place.caFile))
  const profile: Profile = { ...changing, ...(caFile === undefined ? {} : { tls: { caFile } }) }
  let known: Known = { profile, ca: place.ca, typed: new Set(secrets) }
  yield* save(known, files)
  yield* step(4, `The first report, with at most ${firstBudget} requests`)
  let result = yield* report(known, files, firstBudget)
  const seconds = Math.round(((yield* Clock.currentTimeMillis) - begun) / 1000)
  yield* Console.log(`\n${files.profile} is written, and ${files.secrets} has the secrets. This took ${seconds} s.`)
  const open = questionsOf(walks, known.profile).length
  const isAsked = yield* Prompt.Confirm({
    message: `Go on with ${counted(open, "question")} that unlock more rules?`,
    initial: true
  })
  if (isAsked) known = yield* askQuestions(known, files)
  if (isAsked || (yield* Prompt.Confirm({ message: "Judge everything that the profile allows now?", initial: true }))) {
    result = yield* report(known, files)
  }
  yield* Console.log(
    `\nTo judge again: set -a; . ${sourced(files.secrets)}; set +a; ${calledAs(process.env)} run -p ${files.profile}`
  )
  yield* endWith(exitCodeOf(result, "must"))
})

/** Asks for what a run needs, tries each answer, and writes a profile and a report. */
export const tryCommand = Command.make(
  "try",
  {
    url: Argument.String("url").pipe(Argument.withDescription("The tenant's base URL, such as https://t1.example")),
    clientId: Flag.String("client-id").pipe(Flag.withDescription("The id of an OAuth client"), Flag.optional),
    ca: caFlag,
    profile: Flag.String("profile").pipe(
      Flag.withAlias("p"),
      Flag.withDescription("The profile to write; an existing file is never overwritten"),
      Flag.withDefault("conformance.yaml")
    ),
    out: Flag.String("out").pipe(
      Flag.withAlias("o"),
      Flag.withDescription("The folder for reports, evidence and the journal"),
      Flag.withDefault("conformance-report")
    )
  },
  Effect.fnUntraced(function* ({ ca, clientId, out, profile, url }) {
    const secrets = `${profile.replace(/\.(?:ya?ml|json)$/, "")}.env`
    const existing = [profile, secrets].find((file) => existsSync(file))
    if (existing !== undefined) return yield* new Refused({ message: `${existing} already exists` })
    yield* Effect.catchTag(trying([url, ca], clientId, { profile, secrets, out }), "QuitError", () =>
      Effect.andThen(
        Console.error(
          `wcs-conformance: ended; ${existsSync(profile) ? `${profile} has the answers so far` : "nothing was written"}`
        ),
        endWith(exitCodes.interrupted)
      )
    )
  })
).pipe(Command.withDescription("Ask for what a run needs, try each answer, and write a profile and the first report"))
