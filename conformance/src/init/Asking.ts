import { Effect, Redacted, Result, Terminal } from "effect"
import { Prompt } from "effect/cli"
import { ruleOf } from "../catalogue/Catalogue.ts"
import { calledAs } from "../commands/CalledAs.ts"
import { blanksIn, filledIn } from "../profile/Blanks.ts"
import { needs } from "../profile/Need.ts"
import type { Profile } from "../profile/Profile.ts"
import type { Loaded } from "../profile/ProfileFile.ts"
import { namesOf } from "../profile/Secrets.ts"
import { counted } from "../report/Headline.ts"
import { plainly } from "../repro/Shell.ts"
import { walks } from "../walks/Walks.ts"
import { type Entry, entryAt, withAnswer, withoutSecret } from "./Draft.ts"
import { type Files, loadSecrets, save, saveSecrets } from "./Files.ts"
import { print } from "./Output.ts"
import { type Question, questionsOf } from "./Question.ts"
import { isMistaken, type Trial, tryAnswer, unlocked } from "./Trial.ts"

// The questions about profile entries. Each answer is tried before it is kept.

/** The known parts of a profile during a trial. */
export interface Known extends Loaded {
  /** The environment variables whose values were typed. */
  readonly typed: ReadonlySet<string>
}

const isSet = (name: string): boolean => (process.env[name] ?? "") !== ""

/** Asks for one secret and saves it. Returns whether one was typed. */
const askSecret = Effect.fnUntraced(function* (name: string, empty: string, files: Files) {
  const message = `${name}; the input is hidden (empty: ${empty}; or first add ${name}=… to ${files.secrets})`
  const secret = Redacted.value(yield* Prompt.Hidden({ message }))
  yield* loadSecrets(files)
  if (secret === "") return false
  process.env[name] = secret
  yield* saveSecrets(new Set([name]), files)
  return true
})

/**
 * Asks for the secrets that a profile names and neither the environment nor the file of secrets has, and for those of
 * `again`. Returns the typed ones, which are saved.
 */
const askSecrets = Effect.fnUntraced(function* (profile: Profile, again: ReadonlySet<string>, files: Files) {
  yield* loadSecrets(files)
  const typed: Array<string> = []
  for (const name of namesOf(profile)) {
    if (isSet(name) && !again.has(name)) continue
    if (yield* askSecret(name, isSet(name) ? "the one typed before" : "none", files)) typed.push(name)
  }
  return typed
})

/**
 * Asks for the secrets that a profile lacks until each is known, or the entries that name it are deleted. Returns the
 * profile that is left, and the typed secrets.
 */
export const askHeldSecrets = Effect.fnUntraced(function* (profile: Profile, files: Files) {
  yield* loadSecrets(files)
  let left = profile
  const typed = new Set<string>()
  for (;;) {
    const name = namesOf(left).find((one) => !isSet(one))
    if (name === undefined) return { profile: left, typed }
    if (yield* askSecret(name, "leave its entry out", files)) typed.add(name)
    if (isSet(name)) continue
    const cut = withoutSecret(left, name)
    if (cut === undefined) yield* print(`  The profile needs ${name}.`)
    else if (
      yield* Prompt.Confirm({ message: `Delete ${cut.entries.join(" and ")} from ${files.profile}?`, initial: false })
    ) {
      left = cut.profile
    }
  }
})

const summaryOf = ({ failed, lines, open, passed, requests }: Trial): string =>
  [
    `  tried with ${counted(requests, "request")}: ${passed.length} passed, ${failed.length} failed, ${open.length} undecided`,
    ...lines.map((line) => `    ${line}`)
  ].join("\n")

/** The open questions that the rules of a question need, too. */
const waitingFor = ({ later, now }: Question, profile: Profile): string => {
  const rules = new Set([...now, ...later])
  const needed = questionsOf(walks, profile).filter((other) =>
    [...other.now, ...other.later].some((rule) => rules.has(rule))
  )
  return needed.map(({ need }) => need).join(", ")
}

/** The result of trying an answer. */
interface Tried {
  /** The profile with the answer; undefined if the answer makes no profile, or if a secret is missing. */
  readonly next?: Known
  readonly isGood: boolean
  /** Entries of earlier answers, and defaults, that may be wrong. */
  readonly suspects?: ReadonlyArray<Entry>
}

/** What was typed for earlier answers. */
interface Typed {
  /** The values of blanks, by their labels. */
  readonly blanks: Map<string, string>
  /** The environment variables of secrets. */
  readonly secrets: Set<string>
}

/** Tries an answer and prints the result. */
const tried = Effect.fnUntraced(function* (
  question: Question,
  answer: string,
  known: Known,
  { secrets }: Typed,
  files: Files
) {
  const changed = withAnswer(known.profile, answer)
  if (Result.isFailure(changed)) {
    yield* print(`  ${changed.failure}`)
    return { isGood: false } satisfies Tried
  }
  const profile = changed.success
  const before = new Set(namesOf(known.profile))
  // a secret that was typed for an earlier answer may be the mistake
  const typed = yield* askSecrets(profile, new Set([...secrets].filter((name) => !before.has(name))), files)
  for (const name of typed) secrets.add(name)
  const empty = namesOf(profile).filter((name) => !isSet(name))
  if (empty.length > 0) {
    yield* print(`  The answer cannot be tried without a value of ${empty.join(", ")}.`)
    return { isGood: false } satisfies Tried
  }
  const next: Known = { ...known, profile, typed: new Set([...known.typed, ...typed]) }
  const among = unlocked(known.profile, profile)
  if (among.size === 0) {
    if (questionsOf(walks, profile).some(({ need }) => need === question.need)) {
      yield* print(`  The answer does not meet the need "${question.need}" yet`)
      return { next, isGood: false } satisfies Tried
    }
    yield* print(`  Not tried yet: its rules also need ${waitingFor(question, profile)}`)
    return { next, isGood: true } satisfies Tried
  }
  const sweep = `${calledAs(process.env)} sweep ${plainly(`${files.out}/journal.ndjson`)} -p ${plainly(files.profile)}`
  const trial = yield* tryAnswer(next, among, { out: files.out, sweep })
  if (trial.isStopped) return yield* Effect.fail(new Terminal.QuitError({}))
  yield* print(summaryOf(trial))
  const kept = namesOf(profile).filter((name) => !before.has(name) && !secrets.has(name) && !files.given.has(name))
  if (isMistaken(trial) && kept.length > 0) {
    yield* print(`  If ${kept.join(" or ")} is wrong, change it in ${files.secrets}, and try the answer again.`)
  }
  const suspects = trial.entries.flatMap((name) => {
    const entry = entryAt(known.profile, name)
    return entry === undefined || entry.line !== entryAt(profile, name)?.line ? [] : [entry]
  })
  // no question asks for a default, so a wrong one is mended here
  const isGood = !isMistaken(trial) && !suspects.some(({ isDefault }) => isDefault)
  return { next, isGood, suspects } satisfies Tried
})

type Choice =
  | { readonly as: "use"; readonly lines: string }
  | { readonly as: "earlier"; readonly entry: Entry }
  | { readonly as: "edit" | "keep" | "skip" | "not offered" | "stop" }

/** The choices about a question. Lines with blanks are filled in, never used as they are. */
const choicesOf = (
  { examples, need }: Question,
  failed: string | undefined,
  suspects: ReadonlyArray<Entry> = []
): ReadonlyArray<Prompt.SelectChoice<Choice>> => {
  const choice = (title: string, as: Exclude<Choice["as"], "use" | "earlier">) => ({ title, value: { as } })
  const nth = (index: number) => (examples.length === 1 ? "these lines" : `lines ${index + 1}`)
  const lines = examples.map((line, index) => ({
    title: `${blanksIn(line).length > 0 ? "fill in" : "use"} ${nth(index)}`,
    value: { as: "use" as const, lines: line }
  }))
  const again =
    failed === undefined ? [] : [{ title: "try the answer again", value: { as: "use" as const, lines: failed } }]
  return [
    ...again,
    ...lines.filter(({ value }) => value.lines !== failed),
    choice("edit the lines", "edit"),
    ...suspects.map((entry) => ({
      title: `edit ${entry.keys.join(".")}${entry.isDefault ? "" : " of an earlier answer"}`,
      value: { as: "earlier" as const, entry }
    })),
    ...(failed === undefined ? [] : [choice("keep the answer as it is", "keep")]),
    choice("skip the question", "skip"),
    ...(Object.hasOwn(needs, need) ? [choice("the deployment does not offer this", "not offered")] : []),
    choice("end the questions", "stop")
  ]
}

/** What an answer decides: the number of rules, and the text of one. */
const worthOf = ({ later, now }: Question): string => {
  const [first] = now.length > 0 ? now : later
  const text = first === undefined ? undefined : ruleOf(first)?.text
  if (text !== undefined && now.length + later.length === 1 && now.length === 1) return `  It decides ${first}: ${text}`
  const example = text === undefined ? "" : ` One of them is ${first}: ${text}`
  const more =
    later.length === 0 ? "" : `${now.length === 0 ? "" : ", and "}${counted(later.length, "rule")} with further answers`
  return `  It decides ${now.length === 0 ? "" : counted(now.length, "rule")}${more}.${example}`
}

const printQuestion = Effect.fnUntraced(function* (question: Question, files: Files) {
  const { create, examples, need, text } = question
  yield* print(`\n${need}: ${text}`)
  yield* print(worthOf(question))
  if (create !== undefined) yield* print(`  First, in the deployment: ${create}. You may also skip the question.`)
  const secrets = new Set(examples.flatMap((line) => line.match(/\$\{[A-Z_][A-Z0-9_]*\}/g) ?? []))
  if (secrets.size > 1) yield* print(`  The secrets are read from ${files.secrets} if it has lines NAME=value.`)
  const marks = examples.map((_, index) => (examples.length === 1 ? "" : `${index + 1}. `))
  yield* Effect.forEach(examples, (line, index) => print(`  ${marks[index]}${line}`))
})

/** Asks for the value of each blank, and remembers it. */
const fillIn = Effect.fnUntraced(function* (lines: string, { blanks: values }: Typed) {
  for (const label of blanksIn(lines)) {
    const value = yield* Prompt.String({ message: label, default: values.get(label) ?? "" })
    if (value === "") values.delete(label)
    else values.set(label, value)
  }
  return filledIn(lines, values)
})

/** Asks one question until an answer works, or until the user keeps the answer or skips the question. */
const askQuestion = Effect.fnUntraced(function* (question: Question, begun: Known, typed: Typed, files: Files) {
  yield* printQuestion(question, files)
  let known = begun
  const [example = ""] = question.examples
  let failed: string | undefined
  let last: Tried | undefined
  for (;;) {
    const choice = yield* Prompt.Select<Choice>({
      message: "Your answer",
      choices: choicesOf(question, failed, last?.suspects)
    })
    if (choice.as === "keep") {
      if (last?.next !== undefined) return { known: last.next, isOver: false }
      yield* print("  The answer cannot be kept: it is no valid profile, or a secret is missing.")
      continue
    }
    if (choice.as === "skip") return { known, isOver: false }
    if (choice.as === "stop") return { known, isOver: true }
    if (choice.as === "not offered") {
      const notOffered = [...(known.profile.notOffered ?? []), question.need]
      return { known: { ...known, profile: { ...known.profile, notOffered } } satisfies Known, isOver: false }
    }
    if (choice.as === "earlier") {
      const lines = yield* Prompt.String({ message: "Lines", default: choice.entry.line })
      const changed = withAnswer(known.profile, yield* fillIn(lines, typed), choice.entry.keys)
      if (Result.isFailure(changed)) {
        yield* print(`  ${changed.failure}`)
        continue
      }
      known = { ...known, profile: changed.success }
    } else {
      const lines =
        choice.as === "use" ? choice.lines : yield* Prompt.String({ message: "Lines", default: failed ?? example })
      failed = yield* fillIn(lines, typed)
    }
    failed ??= example
    last = yield* tried(question, failed, known, typed, files)
    if (last.next !== undefined && last.isGood) return { known: last.next, isOver: false }
  }
})

/** Asks the open questions, those that unlock most rules first. Saves the profile after each. */
export const askQuestions = Effect.fnUntraced(function* (begun: Known, files: Files) {
  let known = begun
  const asked = new Set<string>()
  const typed: Typed = { blanks: new Map(), secrets: new Set() }
  yield* print("\nIn the lines, you fill in each ‹blank›. The suite fills in {{unique}} and the like at each call.")
  for (;;) {
    const open = questionsOf(walks, known.profile).filter(({ need }) => !asked.has(need))
    const [question] = open
    if (question === undefined) return known
    asked.add(question.need)
    yield* print(`\n${counted(open.length, "question")} left`)
    const answered = yield* askQuestion(question, known, typed, files)
    known = answered.known
    yield* save(known.profile, known.typed, files)
    if (answered.isOver) return known
  }
})
