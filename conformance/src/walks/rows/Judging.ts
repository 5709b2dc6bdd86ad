import { Effect } from "effect"
import type { RuleId } from "../../catalogue/Catalogue.ts"
import { blockRule, type Control, judge, judgePair } from "../../judgement/Judge.ts"
import { Session } from "../../judgement/Session.ts"
import { isIn, statusOf } from "../../wire/Exchange.ts"
import type { Aimed, Seen, Watch } from "./Aims.ts"
import { leavesOf, type Row, type Sweep, type SweepWalk } from "./Row.ts"
import { differencesOf, type Sent } from "./Sending.ts"

// Judges the rows of a sweep by the answers to their cells.

/** What a watch saw. */
export interface Looked extends Seen {
  readonly watch: Watch
}

/** Looks once at each watch of some calls. */
export const lookAt = Effect.fnUntraced(function* (sent: ReadonlyArray<Sent>) {
  const watches = new Map<Watch, Set<Aimed>>()
  for (const { aimed } of sent) {
    if (aimed.watch !== undefined) watches.set(aimed.watch, (watches.get(aimed.watch) ?? new Set<Aimed>()).add(aimed))
  }
  return yield* Effect.forEach(watches, ([watch, calls]) =>
    Effect.map(watch.look([...calls]), (seen): Looked => ({ ...seen, watch }))
  )
})

/** Whether nothing has changed. */
export const isUnchanged = (seen: ReadonlyArray<Seen>): boolean => seen.every(({ changes }) => changes.length === 0)

export const refuses = ({ is }: Row): boolean => is.refuses

/** The calls that had to be refused and were not. */
const doneOf = (sent: ReadonlyArray<Sent>) =>
  sent.filter(({ cell, exchange }) => cell.rows.some(refuses) && !isIn(exchange, 4)).map(({ exchange }) => exchange)

/** The rule of the only calls that had to be refused and were not; undefined if several have such calls. */
export const onlyDone = (sent: ReadonlyArray<Sent>): RuleId | undefined => {
  const done = sent.filter(({ exchange }) => !isIn(exchange, 4))
  const rules = new Set(done.flatMap(({ cell }) => cell.rows.filter(refuses).map(leavesOf)))
  return rules.size === 1 ? [...rules][0] : undefined
}

/**
 * Judges a row by its answers, and the rule that says that its refused calls change nothing. A change counts against
 * that rule only if every call that could have made it was refused.
 */
export const judgeRow = Effect.fnUntraced(function* (
  row: Row,
  good: Control,
  sent: ReadonlyArray<Sent>,
  seen: ReadonlyArray<Looked>
) {
  const { isAsked, profile } = yield* Session
  const own = sent.filter(({ cell }) => cell.rows.includes(row))
  const [first] = own
  if (first === undefined) return
  const probe = own.map(({ exchange }) => exchange)
  const watched = refuses(row) ? seen.filter(({ watch }) => own.some(({ aimed }) => aimed.watch === watch)) : []
  const after = watched.flatMap(({ reads }) => reads)
  const changes = watched.flatMap(({ changes }) => changes)
  const leaves = leavesOf(row)
  const isOwn = leaves === row.rule
  if (isAsked(row.rule)) {
    const reason = row.is.unless?.(probe, first.cell.point, profile)
    const differences = [...own.flatMap((one) => differencesOf(row, one)), ...(isOwn ? changes : [])]
    if (reason !== undefined) yield* blockRule(row.rule, reason, probe)
    else {
      const breach = row.is.isWarning?.(probe) === true ? "warn" : "fail"
      yield* judgePair(row.rule, { control: good, probe, after: isOwn ? after : [] }, differences, breach)
    }
  }
  if (isOwn || watched.length === 0 || !isAsked(leaves)) return
  const done = doneOf(sent)
  if (done.length === 0) yield* judgePair(leaves, { control: good, probe, after }, changes)
  else yield* blockRule(leaves, "prerequisite failed: a call that had to be refused was not", done)
})

/** Judges the rules about every answer with a status. Blocks those of the walk if there was none. */
export const judgeAnswers = Effect.fnUntraced(function* (
  { answers }: Sweep,
  { judges }: SweepWalk,
  sent: ReadonlyArray<Sent>
) {
  const { isAsked } = yield* Session
  for (const { is, rule, status } of answers.filter((one) => isAsked(one.rule))) {
    // a call that must be accepted may be refused for a further privilege, which another rule judges
    const own = sent.filter(({ cell, exchange }) => cell.rows.some(refuses) && statusOf(exchange) === status)
    const evidence = own.map(({ exchange }) => exchange)
    const met = own.flatMap(({ cell, exchange, token }) => is(exchange, { ...cell, token }))
    if (own.length > 0) yield* judge(rule, evidence, met)
    else if (judges.some((one) => one === rule)) yield* blockRule(rule, `no call was answered ${status}`)
  }
})
