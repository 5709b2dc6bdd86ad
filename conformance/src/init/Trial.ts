import { Effect } from "effect"
import { journalFile } from "../commands/Artefacts.ts"
import { judgedOnce } from "../commands/Run.ts"
import { printerOf } from "../commands/RunPrinter.ts"
import { askedToStop } from "../commands/Signals.ts"
import { budgetLack, chooseAll } from "../engine/Selection.ts"
import { rulesOf, type Walk } from "../judgement/Walk.ts"
import type { Profile } from "../profile/Profile.ts"
import type { Loaded } from "../profile/ProfileFile.ts"
import type { Report, RuleReport } from "../report/Report.ts"
import { decisive, difference } from "../report/ReportText.ts"
import { at } from "../text/Json.ts"
import { inLine } from "../text/Visible.ts"
import { walks } from "../walks/Walks.ts"
import type { Exchange } from "../wire/Exchange.ts"

/** The requests of one trial. */
const budget = 200

/** The result of an answer, tried by the rules that it unlocks. */
export interface Trial {
  readonly passed: ReadonlyArray<string>
  readonly failed: ReadonlyArray<string>
  /** The rules that are blocked or inconclusive. */
  readonly open: ReadonlyArray<string>
  /** Those of them that are blocked for another reason than a need. */
  readonly stopped: ReadonlyArray<string>
  /** What was found, one line each: failures, and why rules are undecided. */
  readonly lines: ReadonlyArray<string>
  /** The entries of the profile that may be wrong, such as `groups.credential.create`. */
  readonly entries: ReadonlyArray<string>
  readonly requests: number
  readonly isStopped: boolean
}

const runnable = (profile: Profile): ReadonlySet<Walk> =>
  new Set([...chooseAll(walks, profile)].flatMap(([walk, { as }]) => (as === "made" ? [walk] : [])))

/** The walks that an answer unlocks. */
export const unlocked = (before: Profile, after: Profile): ReadonlySet<Walk> => {
  const known = runnable(before)
  return new Set([...runnable(after)].filter((walk) => !known.has(walk)))
}

const maxMessage = 2000

/** The message of the refusal that blocks a rule; undefined without one. */
const messageOf = ({ findings, verdict }: RuleReport, sent: ReadonlyMap<number, Exchange>): string | undefined =>
  findings
    .filter(({ outcome }) => outcome === verdict)
    .flatMap(({ exchanges }) => exchanges)
    .flatMap((number) => {
      const message = at(sent.get(number)?.answer?.json, "error.message")
      return typeof message === "string" ? [inLine(message.slice(0, maxMessage))] : []
    })[0]

/** Why a rule is undecided, with the deployment's own words. */
const reasonOf = (rule: RuleReport, sent: ReadonlyMap<number, Exchange>): string => {
  const reason = rule.reasons.map(inLine).join("; ")
  if (rule.lacks.includes(budgetLack)) return "judged with everything else at the end: a trial has few requests"
  const message = rule.lacks.length === 0 ? messageOf(rule, sent) : undefined
  return message === undefined ? reason : `${reason}. The deployment says: ${message}`
}

const maxLines = 5

/** The lines about failures and undecided rules; the same reason once. */
const linesOf = (
  failed: ReadonlyArray<RuleReport>,
  open: ReadonlyArray<RuleReport>,
  sent: ReadonlyMap<number, Exchange>
): ReadonlyArray<string> => {
  const broken = failed.map((rule) => {
    const [first] = decisive(rule).flatMap(({ differences }) => differences)
    return `${rule.id} failed: ${first === undefined ? rule.reasons.map(inLine).join("; ") : difference(first)}`
  })
  const byReason = [...Map.groupBy(open, (rule) => reasonOf(rule, sent))]
  const undecided = byReason.map(([reason, rules]) => `${rules.map(({ id }) => id).join(" ")} undecided: ${reason}`)
  const lines = [...broken, ...undecided]
  return lines.length > maxLines ? [...lines.slice(0, maxLines), `… and ${lines.length - maxLines} more`] : lines
}

/** The entries that the reasons of rules name. */
const entriesIn = (rules: ReadonlyArray<RuleReport>): ReadonlyArray<string> => [
  ...new Set(
    rules
      .flatMap(({ reasons }) => reasons)
      .flatMap((reason) => /; look at (.+) in the profile/.exec(reason)?.[1]?.split(" and ") ?? [])
  )
]

const trialOf = ({ counts, header, rules }: Report, sent: ReadonlyMap<number, Exchange>): Trial => {
  const asked = rules.filter(({ id }) => header.only?.includes(id) === true)
  const of = (...verdicts: ReadonlyArray<RuleReport["verdict"]>) =>
    asked.filter(({ verdict }) => verdicts.includes(verdict))
  const ids = (some: ReadonlyArray<RuleReport>) => some.map(({ id }) => id)
  const [failed, open] = [of("fail", "warn", "error"), of("blocked", "inconclusive")]
  return {
    passed: ids(of("pass")),
    failed: ids(failed),
    open: ids(open),
    stopped: ids(open.filter(({ lacks, verdict }) => verdict === "blocked" && lacks.length === 0)),
    lines: linesOf(failed, open, sent),
    entries: entriesIn(open),
    requests: counts.requests,
    isStopped: header.ending.as === "interrupted"
  }
}

/** Judges the rules that an answer unlocks, with few requests, and shows the progress. */
export const tryAnswer = Effect.fnUntraced(function* (
  { ca, clientCertificate, profile }: Loaded,
  among: ReadonlySet<Walk<string>>,
  paths: { readonly out: string; readonly sweep: string }
) {
  const rules = new Set([...among].flatMap(rulesOf))
  const printer = printerOf({ isTty: process.stdout.isTTY === true, noColor: false, quiet: false })
  const { events, report } = yield* judgedOnce(
    {
      profile: { ...profile, run: { ...profile.run, budget } },
      environment: process.env,
      only: rules,
      among: (walk) => among.has(walk),
      stop: yield* askedToStop(paths.sweep),
      journalFile: yield* journalFile(paths.out),
      ca,
      clientCertificate
    },
    printer
  )
  const exchanges = events.flatMap((event) => (event.type === "exchange" ? [event.exchange] : []))
  return trialOf(report, new Map(exchanges.map((exchange) => [exchange.number, exchange])))
}, Effect.scoped)

/** Whether a trial shows that the answer is wrong: most of its rules could not be judged. */
export const isMistaken = ({ failed, passed, stopped }: Trial): boolean =>
  stopped.length > passed.length + failed.length
